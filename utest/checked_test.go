package utest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/runfile"
)

// TestCheckedKernels runs every run line of the end-to-end kernels with tests of accesses, by
// the interpreter, which tests all, and in some of the ways, which take turns: nothing is
// refused, and the checksums are the same.
func TestCheckedKernels(t *testing.T) {
	paths := append(sources(t, "kernels/*.cl"), sources(t, "testdata/cl2/*.cl")...)
	for n, path := range paths {
		t.Run(name(path), func(t *testing.T) {
			t.Parallel()
			f, err := runfile.Read(path)
			require.NoError(t, err)
			programs := programs{source: f.Source, byOptions: map[string]*simtc.Program{}}
			defer programs.close(t)
			for i, line := range f.Runs {
				t.Run(fmt.Sprint(i+1), func(t *testing.T) {
					r, err := readRun(path, line)
					require.NoError(t, err)
					r.opt.Checked = true
					k, err := programs.get(t, r.opt).Kernel(r.kernel)
					require.NoError(t, err)
					reference := runOne(t, r, k, simtc.Way{Target: simtc.Interpreter}, nil)
					subGroups := knowsSubGroups(t, k)
					all := slices.DeleteFunc(ways(t, k, false), func(w simtc.Way) bool { return w.Lanes == simtc.Rounds || !runsHere(w.Target) })
					some := 3
					if *long {
						some = len(all)
					}
					for j := range min(some, len(all)) {
						w := all[(n+i+j*max(len(all)/some, 1))%len(all)]
						t.Run(strings.ReplaceAll(w.String(), " ", "_"), func(t *testing.T) {
							if subGroups {
								runSubGroups(t, r, k, w)
								return
							}
							runOne(t, r, k, w, reference)
						})
					}
				})
			}
		})
	}
}
