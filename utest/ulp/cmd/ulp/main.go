// Command ulp measures the errors of OpenCL's math functions.
//
//	go run ./utest/ulp/cmd/ulp -f sin,cos -type float -all -record utest/ulp/measured.tsv
package main

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/simtc/simtc/utest/ulp"
)

func main() {
	names := pflag.StringP("functions", "f", "", "functions to measure, separated by commas (default all)")
	typ := pflag.String("type", "", "float or double (default both)")
	target := pflag.String("target", "", "target to run on (default: the fastest available)")
	all := pflag.Bool("all", false, "measure all floats, for functions of one argument")
	n := pflag.IntP("count", "n", 1_000_000, "number of arguments of a sweep (a tenth of it for double)")
	seed := pflag.Int64("seed", 1, "seed of the random arguments")
	record := pflag.String("record", "", "file in which to record the maxima")
	source := pflag.Bool("source", false, "only print the kernels")
	pflag.Parse()
	failed := false
	for i := range ulp.Functions {
		f := &ulp.Functions[i]
		if *names != "" && !has(*names, f.Name) {
			continue
		}
		for _, t := range []ulp.Type{ulp.Float, ulp.Double} {
			if *typ != "" && *typ != t.String() || f.Bound(t) == 0 {
				continue
			}
			if *source {
				fmt.Print(ulp.Source(f, t))
				continue
			}
			start := time.Now()
			res, err := measure(f, t, *target, *all, *n, *seed)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				failed = true
				continue
			}
			verdict := ""
			if res.Max > f.Bound(t) {
				verdict, failed = "  TOO MUCH", true
			}
			fmt.Printf("%s  (%.1f s)%s\n", res, time.Since(start).Seconds(), verdict)
			if *record != "" {
				if err := ulp.Record(*record, res); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

func has(list, name string) bool {
	for _, s := range strings.Split(list, ",") {
		if s == name {
			return true
		}
	}
	return false
}

func measure(f *ulp.Function, t ulp.Type, target string, all bool, n int, seed int64) (*ulp.Result, error) {
	r, err := ulp.NewRunner(f, t, target)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if all && t == ulp.Float && f.Arity == 1 && !f.Coarse {
		return r.All(func(done uint64) {
			if isTerminal() {
				fmt.Fprintf(os.Stderr, "\r%s %3d%%\r", f.Name, done*100>>32)
			}
		})
	}
	if t == ulp.Double || f.Coarse {
		n /= 10
	}
	a, b := f.Sweep(t, n, seed)
	return r.Measure(a, b)
}

func isTerminal() bool {
	s, err := os.Stderr.Stat()
	return err == nil && s.Mode()&os.ModeCharDevice != 0
}
