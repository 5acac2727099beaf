package opt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// Every pass before and after, a folder of testdata for each. The kernels are
// run, too: what they compute stays the same.
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
