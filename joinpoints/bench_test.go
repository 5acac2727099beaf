package joinpoints_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
	"github.com/simtc/simtc/joinpoints"
)

func Benchmark(b *testing.B) {
	for _, shape := range cfgtest.Shapes {
		g := shape.Make(50_000)
		forest := cfg.Cycles(g)
		order := joinpoints.Order(g, forest)
		b.Run(shape.Name+"/order", func(b *testing.B) {
			for b.Loop() {
				joinpoints.Order(g, forest)
			}
		})
		b.Run(shape.Name+"/compute", func(b *testing.B) {
			for b.Loop() {
				joinpoints.Compute(g, order)
			}
		})
	}
}

// TestLargeGraphs checks that no graph shape takes quadratic time, which would be
// minutes.
func TestLargeGraphs(t *testing.T) {
	for _, shape := range cfgtest.Shapes {
		g := shape.Make(50_000)
		p := joinpoints.Compute(g, joinpoints.Order(g, cfg.Cycles(g)))
		require.Greater(t, p.Len(), 30_000, shape.Name)
	}
}
