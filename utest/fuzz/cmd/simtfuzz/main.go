// Command simtfuzz runs random programs in all variants, and reports the first program
// with different results after minimizing it.
//
//	go run ./utest/fuzz/cmd/simtfuzz -seeds 0:10000 -kind cfg
package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/launch/wasmhost/defaulthost"
	"github.com/simtc/simtc/utest/fuzz"
)

func main() {
	seeds := pflag.String("seeds", "0:1000", "seeds from A to B-1, as A:B")
	kind := pflag.String("kind", "cfg", "cfg, reducible, program, search, loop, series, ask, wrap or opencl")
	widths := pflag.IntSlice("widths", nil, "widths to test; default: two of 1, 4, 8, 16, 32 and 64, selected by the seed")
	blocks := pflag.Int("blocks", 0, "maximum number of blocks of a graph; 0: the default of the generator")
	every := pflag.Int("every", 8, "for one seed in N, interpret after every pass and also linearize without optimization")
	stop := pflag.Int("stop", 1, "number of failures after which to stop")
	wasm := pflag.Int("wasm", 0, "run WebAssembly for one seed in N; 0: never")
	native := pflag.Int("native", 1, "run machine code for one seed in N if the machine supports it; 0: never")
	legal := pflag.Int("legalize", 4, "interpret legalized code for one seed in N; 0: never")
	driver := pflag.Bool("driver", false, "only compare programs with the machine's OpenCL driver")
	dump := pflag.Bool("dump", false, "print the programs")
	shrink := pflag.Bool("shrink", true, "minimize failing programs")
	explain := pflag.Int("explain", 0, "print the linearization of a failing program at this width; 0: do not")
	ways := pflag.Int("ways", 0, "number of linearizers per seed, in rotation; 0: all")
	pflag.Parse()
	debug.SetGCPercent(400)
	from, to, ok := strings.Cut(*seeds, ":")
	lo, err1 := strconv.ParseInt(from, 0, 64)
	hi, err2 := strconv.ParseInt(to, 0, 64)
	if !ok || err1 != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, "simtfuzz: -seeds wants A:B")
		os.Exit(2)
	}
	engine := sync.OnceValue(func() wasmhost.Host { return defaulthost.New() })
	start := time.Now()
	failed, blocksRun := 0, 0
	last := start
	for seed := lo; seed < hi; seed++ {
		if *driver {
			if err := checkDriver(seed, *kind, *shrink); err != nil {
				fmt.Printf("seed %d: %v\n", seed, err)
				if failed++; failed >= *stop {
					break
				}
			}
			continue
		}
		c, err := fuzz.Generate(seed, *kind, fuzz.Options{Blocks: *blocks})
		if err != nil {
			fmt.Printf("seed %d: %v\n", seed, err)
			failed++
			if failed >= *stop {
				break
			}
			continue
		}
		if *dump {
			fmt.Println(c.Text())
		}
		blocksRun += len(c.Kernel.Blocks)
		steps := fuzz.Steps{Widths: *widths}
		if len(*widths) == 0 {
			steps.Widths = fuzz.WidthsOf(seed)
		}
		steps.Linearizers = fuzz.LinearizersOf(seed, *ways)
		one := func(n *int) bool { return *n > 0 && seed%int64(*n) == 0 }
		if one(every) {
			steps.EveryPass, steps.Raw, steps.Text = true, true, true
		}
		steps.Threads = 1 + int(seed%2)
		steps.Legalize, steps.Native = one(legal), one(native)
		if one(wasm) {
			steps.WASM = engine()
		}
		if err := fuzz.Check(context.Background(), c, steps); err != nil {
			failed++
			fmt.Printf("seed %d: %v\n", seed, err)
			if *shrink {
				c, err = fuzz.Minimize(context.Background(), c, steps)
				fmt.Printf("%s\nseed %d made small: %v\n", c.Text(), seed, err)
			}
			if *explain > 0 {
				fmt.Println(fuzz.Explain(c.Kernel, *explain))
			}
			if failed >= *stop {
				break
			}
		}
		if now := time.Now(); now.Sub(last) > 10*time.Second {
			last = now
			fmt.Printf("%s %d:%d, %d failed, %.0f/s\n", *kind, lo, seed+1, failed, float64(seed+1-lo)/now.Sub(start).Seconds())
		}
	}
	took := time.Since(start)
	fmt.Printf("%s seeds %s: %d failed, %d blocks, %v, %.0f/s\n", *kind, *seeds, failed, blocksRun, took.Round(time.Millisecond), float64(hi-lo)/took.Seconds())
	if failed > 0 {
		os.Exit(1)
	}
}

// checkDriver compares one program with the OpenCL driver.
func checkDriver(seed int64, kind string, shrink bool) error {
	ctx := context.Background()
	make := func() (*fuzz.Case, error) { return fuzz.Program(seed, fuzz.ProgramOptions{Strict: true}) }
	if kind == "opencl" {
		make = func() (*fuzz.Case, error) { return fuzz.OpenCL(seed) }
	}
	c, err := make()
	if err != nil {
		return err
	}
	err = fuzz.CheckDriver(ctx, c)
	if err == nil || !shrink {
		return err
	}
	c = fuzz.MinimizeText(c, func(c *fuzz.Case) bool { return fuzz.CheckDriver(ctx, c) != nil })
	fmt.Println(c.Source)
	return fuzz.CheckDriver(ctx, c)
}
