package cfg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
)

// analyses run each analysis and return the number of blocks in its result.
var analyses = []struct {
	name string
	run  func(g *cfg.Graph) int
}{
	{"rpo", func(g *cfg.Graph) int { return len(g.ReversePostOrder()) }},
	{"dominators", func(g *cfg.Graph) int { return count(g, cfg.Dominators(g).Contains) }},
	{"postdominators", func(g *cfg.Graph) int { return count(g, cfg.PostDominators(g).Contains) }},
	{"cycles", func(g *cfg.Graph) int {
		f := cfg.Cycles(g)
		return count(g, func(b int) bool { c := f.InnermostCycle(b); return c == nil || f.Contains(c, b) })
	}},
	{"regions", func(g *cfg.Graph) int {
		t := cfg.Regions(g)
		return count(g, func(b int) bool { return t.Innermost(b) != nil })
	}},
}

func count(g *cfg.Graph, known func(block int) bool) int {
	n := 0
	for b := range g.Len() {
		if known(b) {
			n++
		}
	}
	return n
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

// TestLargeGraphs checks that no analysis takes quadratic time, which would be minutes
// for 50,000 blocks.
func TestLargeGraphs(t *testing.T) {
	for _, shape := range cfgtest.Shapes {
		g := shape.Make(50_000)
		for _, a := range analyses {
			require.Equal(t, g.Len(), a.run(g), "%s of %s", a.name, shape.Name)
		}
	}
}
