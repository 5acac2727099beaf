// Command bench compares the CPU time of kernels compiled by simtc with that of an OpenCL
// driver, on one thread each, with alternating runs so that both see the same state of the
// machine.
//
//	go run ./utest/bench [flags] [KERNEL...]
//
// Kernels are named by their files in kernels/ and shapes/; no names means all of kernels/,
// "shapes" those of shapes/, "tests" those of the end-to-end tests with a bench line. With
// --compile it measures compilation instead of runs, with --plan the accuracy of the cost
// model, with --shapes kernels against the driver and every forced strategy, with
// --intrinsics the kernels of utest/intrinsics against handwritten ones, and with --ablate
// the effect of each pass. It must use only the public API of simtc, as an embedding program
// would.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"time"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/intrinsics"
	"github.com/simtc/simtc/utest/opencl"
	"github.com/spf13/pflag"
)

// settings holds the flags.
type settings struct {
	runs      int
	target    string
	linearize string
	widths    []int
	compile   bool
	plan      bool
	shapes    bool
	alone     bool
	checked   bool
	json      bool
	profile   string

	intrinsics bool

	ablate  string // a measure; "": none
	pattern string
	passes  []string
	limit   time.Duration
}

func main() {
	var s settings
	pflag.IntVarP(&s.runs, "runs", "n", 18, "timed runs of each kernel; the minimum CPU time counts")
	pflag.StringVar(&s.target, "target", "", "simtc's target: "+strings.Join(simtc.Targets(), ", ")+"; default: the best one on this machine")
	pflag.StringVar(&s.linearize, "linearize", "auto", "simtc's linearizer")
	pflag.IntSliceVar(&s.widths, "width", []int{0}, "simtc's widths, one row each; 0 is its choice")
	pflag.BoolVar(&s.compile, "compile", false, "measure compilation instead of runs")
	pflag.BoolVar(&s.plan, "plan", false, "compare predicted and measured costs of all strategies; --linearize and --width limit them")
	pflag.BoolVar(&s.shapes, "shapes", false, "compare the plan's and tuning's choices with the driver and with the best forced strategy, by default for the kernels that show shapes of accesses, work-groups and loops; --linearize and --width limit the strategies")
	pflag.BoolVar(&s.alone, "alone", false, "measure only simtc, without an OpenCL driver")
	pflag.BoolVar(&s.checked, "checked", false, "measure the cost of checked accesses (Options.Checked), without an OpenCL driver")
	pflag.BoolVar(&s.intrinsics, "intrinsics", false, "compare with handwritten kernels compiled by a C compiler, for AVX-512: "+strings.Join(intrinsics.AVX512.Names(), " ")+"; with --target avx2 for AVX2: "+strings.Join(intrinsics.AVX2.Names(), " "))
	pflag.StringVar(&s.ablate, "ablate", "", "switch each optional pass and feature of strategies off in turn, over all kernels of the benchmark and the tests, and measure: "+strings.Join([]string{byTime, byInstructions, byCode}, ", "))
	pflag.Lookup("ablate").NoOptDefVal = byTime
	pflag.StringVar(&s.pattern, "kernels", "", "with --ablate: only kernels whose file names match the `glob`")
	pflag.StringSliceVar(&s.passes, "passes", nil, "with --ablate: only these passes and features")
	pflag.DurationVar(&s.limit, "limit", 200*time.Millisecond, "with --ablate: time for measuring a kernel without one pass; a launch of more than ten times as long is stopped")
	pflag.BoolVar(&s.json, "json", false, "print one JSON object per row")
	pflag.StringVar(&s.profile, "cpuprofile", "", "with --compile: write a profile of the compiler to this `file`")
	pflag.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: bench [flags] [KERNEL...]\n%skernels: %s\nshapes: %s\ntests: %s\n", pflag.CommandLine.FlagUsages(), strings.Join(names(), " "), strings.Join(shapes(), " "), strings.Join(tests(), " "))
	}
	pflag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ok, err := s.run(ctx, pflag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if !ok {
		os.Exit(1)
	}
}

// byHand returns the handwritten kernels to compare with.
func (s *settings) byHand() *intrinsics.Set {
	if s.target == simtc.AVX2 {
		return intrinsics.AVX2
	}
	return intrinsics.AVX512
}

// run measures the chosen kernels and reports whether all of them succeeded.
func (s *settings) run(ctx context.Context, chosen []string) (ok bool, err error) {
	find := load
	if s.checked && (s.plan || s.compile || s.intrinsics) {
		return false, errors.New("--checked cannot be combined with --plan, --compile or --intrinsics")
	}
	if s.intrinsics {
		if s.plan || s.compile || s.alone {
			return false, errors.New("--intrinsics cannot be combined with --plan, --compile or --alone")
		}
		find = func(chosen []string) ([]*benchmark, error) { return loadByHand(s.byHand(), chosen) }
	}
	if s.ablate != "" {
		if s.checked || s.plan || s.shapes || s.compile || s.intrinsics {
			return false, errors.New("--ablate cannot be combined with --checked, --plan, --shapes, --compile or --intrinsics")
		}
		debug.SetGCPercent(800)
		return s.ablateTable(ctx, chosen)
	}
	if s.shapes {
		if s.checked || s.plan || s.compile || s.intrinsics {
			return false, errors.New("--shapes cannot be combined with --checked, --plan, --compile or --intrinsics")
		}
		if len(chosen) == 0 {
			chosen = shapes()
		}
	}
	kernels, err := find(chosen)
	if err != nil {
		return false, err
	}
	if s.plan {
		debug.SetGCPercent(800)
		return s.planTable(ctx, kernels)
	}
	driver := ""
	switch {
	case s.intrinsics:
		if driver, err = s.byHand().Runner().Device(ctx); err != nil {
			return false, err
		}
	case !s.alone && !s.checked:
		if driver, err = opencl.Device(); err != nil {
			fmt.Fprintf(os.Stderr, "No OpenCL driver to compare with (%v); measuring only simtc.\n", err)
		}
	}
	debug.SetGCPercent(800) // keeps garbage collection out of the measurement
	if s.shapes {
		return s.shapesTable(ctx, kernels, driver)
	}
	if s.compile {
		return s.compileTable(ctx, kernels, driver)
	}
	var t *table
	if !s.json {
		t = runTable(driver, s.checked)
	}
	ok = true
	for i, k := range kernels {
		rows, err := s.measure(ctx, k, driver != "")
		if err != nil {
			return false, fmt.Errorf("%s: %w", k.name, err)
		}
		for _, r := range rows {
			ok = ok && r.Note == ""
			if s.json {
				line, err := json.Marshal(r)
				if err != nil {
					return false, err
				}
				fmt.Println(string(line))
				continue
			}
			t.row(r)
		}
		progress(i+1, len(kernels))
	}
	if !s.json {
		t.print()
	}
	return ok, nil
}
