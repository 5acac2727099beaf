package joinpoints_test

import (
	"testing"
	"time"

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

// No shape of graph takes quadratic time, which would be minutes here. The
// bound is loose, as machines are busy.
func TestLargeGraphs(t *testing.T) {
	for _, shape := range cfgtest.Shapes {
		g := shape.Make(50_000)
		start := time.Now()
		p := joinpoints.Compute(g, joinpoints.Order(g, cfg.Cycles(g)))
		require.Less(t, time.Since(start), 3*time.Second, shape.Name)
		require.Greater(t, p.Len(), 30_000, shape.Name)
	}
}
