package vectorize_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/opt/opttest"
	"github.com/simtc/simtc/vir/opt/vectorize"
)

// Random reductions, before and after the pass alone and all passes.
func TestReductionsKeepResults(t *testing.T) {
	stats := opttest.Keeps(t, 1000, vectorize.Reductions, func(rng *rand.Rand) string {
		g := opttest.ReductionLoop{Rng: rng, Exact: rng.Intn(3) == 0}
		return g.Function()
	})
	require.Greater(t, stats["reductions"], 300)
}

func TestGatherReductionsKeepResults(t *testing.T) {
	stats := opttest.Keeps(t, 1000, vectorize.GatherReductions, func(rng *rand.Rand) string {
		g := opttest.ReductionLoop{Rng: rng, Gathers: true, Exact: rng.Intn(3) == 0}
		return g.Function()
	})
	require.Greater(t, stats["reductions with scalar loads"], 100)
}

// Vectorizing a loop visits the whole function, so in a function with very many loops only some are
// vectorized.
func TestReductionsOfLongCode(t *testing.T) {
	widened := func(loops int) int {
		f := opttest.ManyLoops(t, loops)
		stats := opt.Stats{}
		vectorize.Reductions(f, stats)
		require.NoError(t, vir.Verify(f))
		return stats["reductions"]
	}
	require.Equal(t, 20, widened(20))
	many := widened(700)
	require.Greater(t, many, 20)
	require.Less(t, many, 500)
}
