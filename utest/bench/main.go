// Command bench compares the CPU time of kernels compiled by simtc with that of
// an OpenCL driver, on one thread each, a few runs of each in turn so that both see
// the same machine.
//
//	go run ./utest/bench [flags] [KERNEL...]
//
// Kernels are named by their files in kernels/; none means all, "tests" those
// of the end-to-end tests that have a bench line. With --compile it measures
// compiling instead of running, with --plan how well the compiler foretells the
// best way to compile, with --intrinsics the kernels of utest/intrinsics with what was written
// by hand. It must use only the public API of simtc, as a
// program that embeds it would.
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

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/intrinsics"
	"github.com/simtc/simtc/utest/opencl"
	"github.com/spf13/pflag"
)

// settings are the flags.
type settings struct {
	runs      int
	target    string
	linearize string
	widths    []int
	compile   bool
	plan      bool
	alone     bool
	checked   bool
	json      bool
	profile   string

	intrinsics bool
}

func main() {
	var s settings
	pflag.IntVarP(&s.runs, "runs", "n", 18, "timed runs of each kernel; the least CPU time counts")
	pflag.StringVar(&s.target, "target", "", "simtc's target: "+strings.Join(simtc.Targets(), ", ")+"; the best one here unless given")
	pflag.StringVar(&s.linearize, "linearize", "auto", "simtc's linearizer")
	pflag.IntSliceVar(&s.widths, "width", []int{0}, "simtc's widths, 0 being its choice; several make a row each")
	pflag.BoolVar(&s.compile, "compile", false, "measure compiling, not running")
	pflag.BoolVar(&s.plan, "plan", false, "compare what the compiler expects of each way to compile with what it measures; --linearize and --width limit them")
	pflag.BoolVar(&s.alone, "alone", false, "measure simtc only, even if there is an OpenCL driver")
	pflag.BoolVar(&s.checked, "checked", false, "measure what tests of accesses cost (Options.Checked), without an OpenCL driver")
	pflag.BoolVar(&s.intrinsics, "intrinsics", false, "compare with kernels written by hand for AVX-512 and compiled by a C compiler: "+strings.Join(intrinsics.Names(), " "))
	pflag.BoolVar(&s.json, "json", false, "print one JSON object a row")
	pflag.StringVar(&s.profile, "cpuprofile", "", "with --compile: write a profile of the compiler to this `file`")
	pflag.Usage = func() {
		fmt.Fprintf(os.Stderr, "usage: bench [flags] [KERNEL...]\n%skernels: %s\ntests: %s\n", pflag.CommandLine.FlagUsages(), strings.Join(names(), " "), strings.Join(tests(), " "))
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

// run measures the chosen kernels and reports whether all of them did what
// they should.
func (s *settings) run(ctx context.Context, chosen []string) (ok bool, err error) {
	find := load
	if s.checked && (s.plan || s.compile || s.intrinsics) {
		return false, errors.New("--checked is for runs: not with --plan, --compile or --intrinsics")
	}
	if s.intrinsics {
		if s.plan || s.compile || s.alone {
			return false, errors.New("--intrinsics is for comparing runs: not with --plan, --compile or --alone")
		}
		find = loadByHand
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
		if driver, err = intrinsics.Runner().Device(ctx); err != nil {
			return false, err
		}
	case !s.alone && !s.checked:
		if driver, err = opencl.Device(); err != nil {
			fmt.Fprintf(os.Stderr, "No OpenCL driver to compare with (%v); the numbers are simtc's alone.\n", err)
		}
	}
	debug.SetGCPercent(800) // collections are not what is measured
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
