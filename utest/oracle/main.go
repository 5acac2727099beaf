// Command oracle computes the checksums of the end-to-end kernels with references that share no
// code with the compiler: an OpenCL driver (package opencl), and the kernel compiled as C by
// gcc.
//
//	go run ./utest/oracle [-update] [-c] [-vary] [-j N] FILE.cl...
//
// Without -update it only compares. It must not import any compiler package.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/utest/opencl"
	"github.com/simtc/simtc/utest/runfile"
)

var (
	update  = flag.Bool("update", false, "write the driver's checksums into the files")
	useC    = flag.Bool("c", false, "also compile each kernel as C with sanitizers and compare")
	trustC  = flag.Bool("trust-c", false, "with -update and -c: where the two differ, take the checksum of the C program and note it")
	vary    = flag.Bool("vary", false, "also run with other local sizes and on one thread, to expose races")
	workers = flag.Int("j", 2, "number of files to run in parallel")
)

func main() {
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	reports := make([]string, flag.NArg())
	bad := make([]bool, flag.NArg())
	var wg sync.WaitGroup
	slots := make(chan struct{}, *workers)
	for i, path := range flag.Args() {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			reports[i], bad[i] = one(path)
		}()
	}
	wg.Wait()
	status := 0
	for i, r := range reports {
		fmt.Print(r)
		if bad[i] {
			status = 1
		}
	}
	os.Exit(status)
}

// one checks or updates one file and returns its report.
func one(path string) (report string, bad bool) {
	var out strings.Builder
	fail := func(format string, args ...any) {
		fmt.Fprintf(&out, "%s: %s\n", path, fmt.Sprintf(format, args...))
		bad = true
	}
	f, err := runfile.Read(path)
	if err != nil {
		fail("%v", err)
		return out.String(), bad
	}
	for _, r := range f.Runs {
		got, err := driver(f, r.Words, nil)
		if errors.Is(err, opencl.ErrImages) {
			fmt.Fprintf(&out, "%s: line %d: %v\n", path, r.Line, err)
			continue
		}
		if err != nil {
			fail("line %d: %v", r.Line, err)
			continue
		}
		if *vary {
			for _, v := range variants(r) {
				again, err := driver(f, v.words, v.env)
				if err != nil {
					fail("line %d: %v", r.Line, err)
				} else if d := differ(got, again); d != "" {
					fail("line %d: %s: %s", r.Line, v.name, d)
				}
			}
		}
		if *useC {
			c, err := inC(f, r)
			switch {
			case errors.Is(err, errNotC):
				fmt.Fprintf(&out, "%s: line %d: not C: %v\n", path, r.Line, err)
			case err != nil:
				fail("line %d: %v", r.Line, err)
			default:
				if d := differ(got, c); d != "" {
					if *trustC {
						fmt.Fprintf(&out, "%s: line %d: taken from C: %s\n", path, r.Line, d)
						got = prefer(c, got)
					} else {
						fail("line %d: driver and C: %s", r.Line, d)
					}
				}
			}
		}
		if *update {
			r.Sums = got
		} else if d := differ(r.Sums, got); d != "" {
			fail("line %d: %s", r.Line, d)
		}
	}
	if *update && !bad {
		if text := f.WithSums(); text != f.Source {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				fail("%v", err)
			}
		}
	}
	return out.String(), bad
}

// differ describes the first difference between two lists of checksums.
func differ(want, got []runfile.Sum) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d buffers, want %d", len(got), len(want))
	}
	for i := range want {
		if want[i].Note != "" {
			continue // known to differ from the driver
		}
		if want[i].Arg != got[i].Arg || want[i].Hash != got[i].Hash {
			return fmt.Sprintf("argument %d is %s, want %s", got[i].Arg, got[i].Hash, want[i].Hash)
		}
	}
	return ""
}

// prefer returns c with a note on every checksum that differs from the driver's.
func prefer(c, driver []runfile.Sum) []runfile.Sum {
	for i := range c {
		if c[i].Hash != driver[i].Hash {
			c[i].Note = "(the kernel as C; PoCL 3.1 differs)"
		}
	}
	return c
}

// variant is a variation of a run.
type variant struct {
	name  string
	words []string
	env   []string
}

// variants lists runs that must give the same bytes as r. The result of a run that sets its
// local size may depend on it, so that only the number of threads varies.
func variants(r *runfile.Run) []variant {
	v := []variant{{"one thread", r.Words, []string{"POCL_MAX_PTHREAD_COUNT=1"}}}
	if r.Flag("-l", "--local") == "" {
		v = append(v, variant{"local size 1", append([]string{"-l", "1,1,1"[:2*len(strings.Split(r.Flag("-g"), ","))-1]}, r.Words...), nil})
	}
	return v
}

// driver runs one run line on the OpenCL driver.
func driver(f *runfile.File, words, env []string) ([]runfile.Sum, error) {
	c, err := opencl.Parse(f.Path, words)
	if err != nil {
		return nil, err
	}
	c.Runs, c.Env = 0, env
	result, err := opencl.Run(context.Background(), c)
	if err != nil {
		return nil, err
	}
	var sums []runfile.Sum
	for _, s := range result.Checksums {
		sums = append(sums, runfile.Sum{Arg: s.Arg, Hash: ndarg.FormatHash(s.FNV)})
	}
	return sums, nil
}
