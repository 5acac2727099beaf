package opt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	kinterp "github.com/simtc/simtc/kernel/interp"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
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
		if d.Name() == "meld" {
			continue // takes more than a kernel: TestMeld
		}
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
					sameMeaning(t, before, f, scalar)
				}
				return map[string]string{"out.simt": out}
			})
		})
	}
}

// sameMeaning runs both kernels; those that never end are alike, too.
func sameMeaning(t *testing.T, before, after *kernel.Func, scalar uint64) {
	t.Helper()
	c := fuzz.CaseOf(before, scalar)
	c.Range = launch.Of(1)
	run := func(f *kernel.Func) ([][]byte, error) {
		return c.Run(context.Background(), launch.NewInterpreter(f, 100_000, false))
	}
	want, wantErr := run(before)
	got, err := run(after)
	if errors.Is(wantErr, kinterp.ErrSteps) {
		require.ErrorIs(t, err, kinterp.ErrSteps)
		return
	}
	require.NoError(t, wantErr)
	require.NoError(t, err)
	require.NoError(t, c.Compare(want, got), "with %d:\n%s", scalar, after)
}
