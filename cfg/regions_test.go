package cfg_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
)

// TestRegionsAgainstDefinition checks regions and classes on the graph closed by a
// virtual end with an edge to the entry. A node on every edge lets edges and blocks be
// treated alike: two nodes are equivalent if each cycle that contains one contains the
// other.
func TestRegionsAgainstDefinition(t *testing.T) {
	regions := 0
	cfgtest.Each(250, 10, func(kind string, seed int64, g *cfg.Graph) {
		tree := cfg.Regions(g)
		n := g.Len()
		end := n
		closed := make([][]int, n+1)
		edges := map[cfg.Edge]int{} // the node on an edge
		var list []cfg.Edge
		add := func(e cfg.Edge, from, to int) {
			edges[e] = len(closed)
			list = append(list, e)
			closed[from] = append(closed[from], len(closed))
			closed = append(closed, []int{to})
		}
		add(cfg.Edge{From: cfg.Outside, To: 0}, end, 0)
		for b, ss := range g.Succs {
			for i, s := range ss {
				add(cfg.Edge{From: b, To: s, Index: i}, b, s)
			}
		}
		ends := append(g.Exits(), cfg.PostDominators(g).Attached...)
		for _, b := range ends {
			add(cfg.Edge{From: b, To: cfg.Outside}, b, end)
		}
		onCycle := func(x, avoid int) bool {
			return slices.ContainsFunc(closed[x], func(s int) bool { return reach(closed, s, avoid)[x] })
		}
		equivalent := func(x, y int) bool { return x == y || !onCycle(x, y) && !onCycle(y, x) }

		for a := range g.Succs {
			for b := range g.Succs {
				require.Equal(t, equivalent(a, b), tree.Class[a] == tree.Class[b], "%s %d: blocks %d, %d", kind, seed, a, b)
			}
			for _, e := range list {
				if e.From != cfg.Outside && e.To != cfg.Outside {
					require.Equal(t, equivalent(a, edges[e]), tree.Class[a] == tree.EdgeClass[e.From][e.Index], "%s %d: block %d, edge %v", kind, seed, a, e)
				}
			}
		}

		dom := dominance(closed, end) // the end is the root and dominates all
		want := map[cfg.Edge]cfg.Edge{}
		for _, e := range list {
			for _, x := range list {
				if e == x || !equivalent(edges[e], edges[x]) || !dom[edges[e]][edges[x]] {
					continue
				}
				// The nearest equivalent edge that e dominates.
				if y, ok := want[e]; !ok || dom[edges[x]][edges[y]] {
					want[e] = x
				}
			}
		}
		got := map[cfg.Edge]cfg.Edge{}
		require.Equal(t, tree.Root, tree.Regions[0])
		require.Len(t, tree.Root.Blocks, n)
		for i, r := range tree.Regions {
			require.Equal(t, i, r.ID)
			if r == tree.Root {
				continue
			}
			got[r.Entry] = r.Exit
			require.Contains(t, r.Parent.Children, r)
			require.Equal(t, r.Parent.Depth+1, r.Depth)
			require.Equal(t, r.Entry.To, r.Blocks[0])
			var blocks []int
			for b := range g.Succs {
				// Between the edges: after the entry, and unreachable from it without
				// passing the exit or the entry again.
				if dom[edges[r.Entry]][b] && reach(closed, edges[r.Entry], edges[r.Exit])[b] {
					blocks = append(blocks, b)
				}
			}
			require.ElementsMatch(t, blocks, r.Blocks, "%s %d: region %v-%v", kind, seed, r.Entry, r.Exit)
			for _, b := range r.Blocks {
				in := false
				for x := tree.Innermost(b); x != nil; x = x.Parent {
					in = in || x == r
				}
				require.True(t, in)
			}
		}
		require.Equal(t, want, got, "%s %d", kind, seed)
		regions += len(got)
	})
	require.Greater(t, regions, 500)
}

func TestRegionsOfIfInLoop(t *testing.T) {
	// 0 -> 1 (header) -> {2, 3} -> 4 -> 1; the exit is from 4 to 5.
	g := cfg.NewGraph([][]int{{1}, {2, 3}, {4}, {4}, {1, 5}, {}})
	tree := cfg.Regions(g)
	require.Equal(t, tree.Class[0], tree.Class[5])
	require.Equal(t, tree.Class[1], tree.Class[4])
	require.NotEqual(t, tree.Class[0], tree.Class[1])
	require.NotEqual(t, tree.Class[2], tree.Class[3])
	r := tree.Innermost(2)
	require.Equal(t, []int{2}, r.Blocks)
	require.ElementsMatch(t, []int{1, 2, 3, 4}, r.Parent.Blocks)
	require.Equal(t, cfg.Edge{From: 0, To: 1}, r.Parent.Entry)
	require.Equal(t, cfg.Edge{From: 4, To: 5, Index: 1}, r.Parent.Exit)
}
