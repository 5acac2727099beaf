package opt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// Every pass has a folder of testdata with code before and after it. The kernels run, too,
// with the same results before and after.
func TestPasses(t *testing.T) {
	byName := map[string]func(*kernel.Func, opt.Stats){}
	for _, p := range allPasses {
		byName[p.Name] = p.Run
	}
	dirs, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, d := range dirs {
		run := byName[d.Name()]
		require.NotNil(t, run, "no pass %s", d.Name())
		t.Run(d.Name(), func(t *testing.T) {
			golden.Run(t, filepath.Join("testdata", d.Name(), "*.txtar"), func(t *testing.T, files map[string]string) map[string]string {
				m, err := kernel.Parse("in.simt", files["in.simt"])
				require.NoError(t, err)
				f := m.Funcs[0]
				before, err := fuzz.Clone(f)
				require.NoError(t, err)
				opt.RemoveUnreachable(f, nil)
				run(f, nil)
				require.NoError(t, kernel.Verify(f), f.String())
				out := f.String()
				run(f, nil)
				require.NoError(t, kernel.Verify(f), "run again")
				for _, scalar := range []uint64{0, 1, 2, 3, 5, 9, 17, 100, 0xffffffff} {
					canonical.SameMeaning(t, before, f, scalar)
				}
				return map[string]string{"out.simt": out}
			})
		})
	}
}

// Switches are lowered early enough: no branch is left that a second run of the passes
// would fold, and no arm that it would convert to selects.
func TestLoweredSwitchesAreSimplified(t *testing.T) {
	for name, source := range map[string]string{
		"cheap arms": `
kernel void f(global const int *a, global int *o, int op, int n) {
	int i = get_global_id(0), x = a[i];
	for (int k = 0; k < n; k++) {
		switch (op) {
		case 0: x += k; break;
		case 1: x *= 3; break;
		case 2: x ^= x >> 3; break;
		case 3: if (x & 1) x = x * 5 + k; else x = x / 2; break;
		default: x = ~x;
		}
		op = (op + 1) & 3;
	}
	o[i] = x;
}`,
		"no default": `
kernel void f(global const int *a, global int *o, int op, int n) {
	int i = get_global_id(0), x = a[i];
	switch (x & 3) {
	case 0: o[i] = 1;
	case 1: o[i + n] = 2; break;
	case 2: o[i + 2 * n] = 3; break;
	case 3: o[i + 3 * n] = 4;
	}
}`,
	} {
		t.Run(name, func(t *testing.T) {
			m, err := clc.Compile("in.cl", source, clc.Options{})
			require.NoError(t, err)
			f := m.Funcs[0]
			for _, p := range opt.Passes {
				p.Run(f, nil)
			}
			conditions := 0
			for _, b := range f.Blocks {
				require.False(t, b.Name == "case" && len(b.Values) == 0 && b.Kind == kernel.Jump, "%s", f)
				if b.Kind == kernel.Branch {
					conditions++
				}
			}
			second, st := kernel.Clone(f), opt.Stats{}
			for _, p := range opt.Simplify {
				p.Run(second, st)
			}
			require.Zero(t, st["branches converted to selects"], "%s", f)
			for _, b := range second.Blocks {
				if b.Kind == kernel.Branch {
					conditions--
				}
			}
			require.Zero(t, conditions, "%s\n%s", f, second)
		})
	}
}
