package cfg_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
)

// TestCyclesAgainstDefinition compares the forest with its definition: the roots are the
// strongly connected sets, the children of a cycle are the strongly connected sets of the
// cycle without its header, and so on.
func TestCyclesAgainstDefinition(t *testing.T) {
	kinds := map[bool]int{}
	cfgtest.Each(500, 16, func(kind string, seed int64, g *cfg.Graph) {
		f := cfg.Cycles(g)
		all := make([]bool, g.Len())
		for b := range all {
			all[b] = true
		}
		seen := 0
		var check func(parent *cfg.Cycle, among []*cfg.Cycle, in []bool)
		check = func(parent *cfg.Cycle, among []*cfg.Cycle, in []bool) {
			var want, got [][]int
			for _, set := range components(g.Succs, in) {
				want = append(want, members(set))
			}
			for _, c := range among {
				got = append(got, slices.Sorted(slices.Values(c.Blocks)))
			}
			require.ElementsMatch(t, want, got, "%s %d: inside %v", kind, seed, parent)
			for _, c := range among {
				require.Same(t, parent, c.Parent)
				checkCycle(t, g, f, c)
				seen++
				inside := make([]bool, g.Len())
				for _, b := range c.Blocks[1:] {
					inside[b] = true
				}
				check(c, c.Children, inside)
			}
		}
		check(nil, f.Roots, all)
		require.Len(t, f.Cycles, seen)
		for i, c := range f.Cycles {
			require.Equal(t, i, c.ID)
		}
		for b := range g.Succs {
			depth := 0
			for c := f.InnermostCycle(b); c != nil; c = c.Parent {
				require.Contains(t, c.Blocks, b)
				depth++
			}
			require.Equal(t, depth, f.Depth(b))
			for _, c := range f.Cycles {
				require.Equal(t, slices.Contains(c.Blocks, b), f.Contains(c, b))
				if f.Contains(c, b) {
					k := f.Child(c, b)
					require.Equal(t, f.InnermostCycle(b) != c, k != nil)
					require.True(t, k == nil || k.Parent == c && f.Contains(k, b))
				}
			}
		}
		kinds[f.Reducible()]++
		require.Equal(t, backEdgesDominated(g), f.Reducible(), "%s %d", kind, seed)
		if kind == "structured" {
			require.True(t, f.Reducible())
		}
	})
	require.Greater(t, kinds[true], 100)
	require.Greater(t, kinds[false], 100)
}

func checkCycle(t *testing.T, g *cfg.Graph, f *cfg.CycleForest, c *cfg.Cycle) {
	require.Equal(t, c.Header, c.Blocks[0])
	require.True(t, f.IsHeader(c.Header))
	var entries, latches []int
	var exits []cfg.Edge
	entering := 0
	for _, b := range c.Blocks {
		if b == c.Header || slices.ContainsFunc(g.Preds[b], func(p int) bool { return !f.Contains(c, p) }) {
			entries = append(entries, b)
		}
		if slices.Contains(g.Succs[b], c.Header) {
			latches = append(latches, b)
		}
		for i, s := range g.Succs[b] {
			if !f.Contains(c, s) {
				exits = append(exits, cfg.Edge{From: b, To: s, Index: i})
			}
		}
		for _, p := range g.Preds[b] {
			if !f.Contains(c, p) {
				entering++
			}
		}
	}
	require.Equal(t, entries, c.Entries)
	require.Equal(t, latches, c.Latches)
	require.Equal(t, exits, f.Exits(c))
	require.Len(t, f.Entering(c), entering)
	require.Equal(t, len(entries) == 1, c.Reducible())
}

// backEdgesDominated is the usual definition of a reducible graph: without the edges
// whose target dominates their source, the graph is acyclic.
func backEdgesDominated(g *cfg.Graph) bool {
	dom := dominance(g.Succs, 0)
	forward := make([][]int, g.Len())
	for b, ss := range g.Succs {
		for _, s := range ss {
			if !dom[s][b] {
				forward[b] = append(forward[b], s)
			}
		}
	}
	all := make([]bool, g.Len())
	for b := range all {
		all[b] = true
	}
	return len(components(forward, all)) == 0
}

func TestIrreducibleCycle(t *testing.T) {
	// 0 has edges to 1 and 2, which have edges to each other; 2 exits.
	g := cfg.NewGraph([][]int{{1, 2}, {2}, {1, 3}, {}})
	f := cfg.Cycles(g)
	require.Len(t, f.Cycles, 1)
	c := f.Cycles[0]
	require.ElementsMatch(t, []int{1, 2}, c.Entries)
	require.False(t, c.Reducible())
	require.False(t, f.Reducible())
	require.Equal(t, []cfg.Edge{{From: 2, To: 3, Index: 1}}, f.Exits(c))
}
