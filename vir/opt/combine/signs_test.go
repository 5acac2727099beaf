package combine_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/opttest"
)

// Signs of counters that start below zero or wrap.
func TestSignsOfCounters(t *testing.T) {
	stats := opttest.Keeps(t, 500, combine.Signs, func(rng *rand.Rand) string {
		g := opttest.ReductionLoop{Rng: rng, Gathers: true}
		return g.Function()
	})
	require.Greater(t, stats["sign extensions removed"], 100)
}
