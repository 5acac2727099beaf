package cfg_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
)

var analyses = []struct {
	name string
	run  func(g *cfg.Graph)
}{
	{"rpo", func(g *cfg.Graph) { g.ReversePostOrder() }},
	{"dominators", func(g *cfg.Graph) { cfg.Dominators(g) }},
	{"postdominators", func(g *cfg.Graph) { cfg.PostDominators(g) }},
	{"cycles", func(g *cfg.Graph) { cfg.Cycles(g) }},
	{"regions", func(g *cfg.Graph) { cfg.Regions(g) }},
}

func Benchmark(b *testing.B) {
	for _, shape := range cfgtest.Shapes {
		g := shape.Make(50_000)
		for _, a := range analyses {
			b.Run(shape.Name+"/"+a.name, func(b *testing.B) {
				for b.Loop() {
					a.run(g)
				}
			})
		}
	}
}

// Every analysis stays far from quadratic time: on 50,000 blocks that would be
// minutes. The bound is loose, as machines are busy.
func TestLargeGraphs(t *testing.T) {
	for _, shape := range cfgtest.Shapes {
		g := shape.Make(50_000)
		for _, a := range analyses {
			start := time.Now()
			a.run(g)
			require.Less(t, time.Since(start), 2*time.Second, "%s of %s", a.name, shape.Name)
		}
	}
}
