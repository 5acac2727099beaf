package equalities_test

import (
	"context"
	"fmt"
	"math/rand"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/equalities"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// use applies the package to f for 16 lanes.
func use(f *kernel.Func, st opt.Stats) bool {
	info := divergence.Analyze(f, divergence.Options{Width: 16})
	uniform := make([]bool, len(info.Shapes))
	for i, s := range info.Shapes {
		uniform[i] = s.IsUniform()
	}
	return equalities.Use(f, info.Divergent, uniform, true, st)
}

func TestGolden(t *testing.T) {
	golden.Run(t, filepath.Join("testdata", "*.txtar"), func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before, st := kernel.Clone(f), opt.Stats{}
		use(f, st)
		require.NoError(t, kernel.Verify(f), f.String())
		for _, scalar := range []uint64{0, 1, 2, 3, 5, 9, 17, 100} {
			canonical.SameMeaning(t, before, f, scalar)
		}
		return map[string]string{
			"after.simt": divergence.Analyze(f, divergence.Options{Width: 16}).String(),
			"stats":      fmt.Sprintf("made uniform by equalities: %d\nvalues read from an active lane: %d\n", st["made uniform by equalities"], st["values read from an active lane"]),
		}
	})
}

// TestKeepsKernels turns comparisons of random kernels into equalities, and assumes of random
// values that they are uniform: results must not depend on it.
func TestKeepsKernels(t *testing.T) {
	const maxSteps = 1 << 18
	changed := 0
	for seed := range int64(400) {
		c := fuzz.Kernel(seed, fuzz.Options{Reducible: seed%2 == 0})
		f, err := fuzz.Clone(c.Kernel)
		require.NoError(t, err)
		rng := rand.New(rand.NewSource(seed))
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if alu.InfoOf(v.Op).Class == alu.Compare && v.Args[0].Type.IsInt() && rng.Intn(2) == 0 {
					v.Op = []kernel.Op{alu.Eq, alu.Ne}[rng.Intn(2)]
				}
			}
		}
		canonical.Form(t, f)
		want, err := c.Run(context.Background(), launch.NewInterpreter(f, maxSteps, false))
		if err != nil {
			continue // it does not end
		}
		divergent, uniform := make([]bool, len(f.Blocks)), make([]bool, f.NumValues())
		for i := range divergent {
			divergent[i] = true
		}
		for i := range uniform {
			uniform[i] = rng.Intn(2) == 0
		}
		before := f.String()
		if !equalities.Use(f, divergent, uniform, seed%2 == 0, opt.Stats{}) {
			continue
		}
		changed++
		require.NoError(t, kernel.Verify(f), f.String())
		again, st := kernel.Clone(f), opt.Stats{}
		opt.LCSSA(again, st)
		require.Empty(t, st, "not in LCSSA form")
		got, err := c.Run(context.Background(), launch.NewInterpreter(f, 2*maxSteps, false))
		require.NoError(t, err, "seed %d\n%s\n%s", seed, before, f)
		require.NoError(t, c.Compare(want, got), "seed %d\n%s\n%s", seed, before, f)
	}
	require.Greater(t, changed, 50)
}
