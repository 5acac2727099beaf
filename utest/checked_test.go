package utest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/utest/runfile"
)

// TestCheckedKernels runs every run line of the end-to-end kernels with access checks, in
// the interpreter, which checks all accesses, and with one of the strategies, selected
// in turn. No access may be rejected, and the checksums must not change.
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
					reference := runOne(t, r, k, simtc.Strategy{Target: simtc.Interpreter}, nil)
					subGroups := knowsSubGroups(t, k)
					all := slices.DeleteFunc(ways(t, k, false), func(w simtc.Strategy) bool { return w.Lanes == simtc.Iterations || !runsHere(w.Target) })
					some := 1
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
					if (n+i)%2 == 0 || *long {
						cut(t, r, k, (n+i)/2)
					}
				})
			}
		})
	}
}

// cut halves one of the kernel's buffers. Then either no access is out of bounds, or the
// launch ends with the error of a check and not with a fault in the executor: no access
// is wrongly proven safe.
func cut(t *testing.T, r *testRun, k *simtc.Kernel, turn int) {
	var long []int
	for i, b := range r.fills {
		if r.specs[i].Kind == ndarg.Buffer && len(b) > 1 {
			long = append(long, i)
		}
	}
	if len(long) == 0 || knowsSubGroups(t, k) {
		return
	}
	short := *r
	short.fills = slices.Clone(r.fills)
	at := long[turn%len(long)]
	short.fills[at] = r.fills[at][:len(r.fills[at])/2]
	failed := 0
	ws := []simtc.Strategy{{Target: simtc.Interpreter}, {Target: simtc.VIR, Width: 4 << (turn % 3)}}
	for _, w := range ws {
		k, err := k.With(w)
		require.NoError(t, err)
		if _, err = short.launch(t, k, betweenPatterns); err != nil {
			require.Regexp(t, " (out of bounds: |outside of )", err.Error(), "%s, half of argument %d", w, at)
			failed++
		}
	}
	require.True(t, failed == 0 || failed == len(ws), "half of argument %d: %d of %d ways failed", at, failed, len(ws))
}
