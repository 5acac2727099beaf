package cfg_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
)

func TestOrders(t *testing.T) {
	// A branch, its two sides, the join; block 4 is unreachable.
	g := cfg.NewGraph([][]int{{1, 2}, {3}, {3}, {}, {3}})
	require.Equal(t, []int{0, 1, 2, 3}, g.ReversePostOrder())
	require.Equal(t, []int{3, 2, 1, 0}, g.PostOrder())
	require.Equal(t, []bool{true, true, true, true, false}, g.Reachable())
	require.Equal(t, []int{3}, g.Exits())
	require.Equal(t, []int{0, 1, 2, 3, -1}, cfg.Positions(g.ReversePostOrder(), 5))
	require.Empty(t, cfg.NewGraph(nil).PostOrder())
}

func TestDominatorsAgainstDefinition(t *testing.T) {
	cfgtest.Each(400, 16, func(kind string, seed int64, g *cfg.Graph) {
		d := cfg.Dominators(g)
		checkTree(t, kind, seed, d, dominance(g.Succs, 0))

		// In preorder the blocks dominated by a block are contiguous and start with it.
		for i, b := range d.Preorder {
			inside := true
			for _, x := range d.Preorder[i:] {
				require.True(t, inside || !d.Dominates(b, x), "%s %d: %d, %d", kind, seed, b, x)
				inside = d.Dominates(b, x)
			}
		}
	})
}

func TestPostDominatorsAgainstDefinition(t *testing.T) {
	cfgtest.Each(400, 16, func(kind string, seed int64, g *cfg.Graph) {
		p := cfg.PostDominators(g)
		require.Equal(t, g.Len(), p.Exit)
		checkTree(t, kind, seed, &p.DomTree, dominance(withEnd(g, p.Attached, true), p.Exit))
	})
}

func checkTree(t *testing.T, kind string, seed int64, d *cfg.DomTree, dom [][]bool) {
	for a := range dom {
		for b := range dom {
			require.Equal(t, dom[a][b], d.Dominates(a, b), "%s %d: %d dominates %d", kind, seed, a, b)
		}
		if a == d.Root {
			require.Equal(t, -1, d.IDom[a])
			continue
		}
		i := d.IDom[a]
		require.True(t, dom[i][a] && i != a, "%s %d: idom of %d", kind, seed, a)
		require.Equal(t, d.Depth[i]+1, d.Depth[a])
		require.Contains(t, d.Children[i], a)
		for x := range dom {
			if x != a && dom[x][a] {
				require.True(t, dom[x][i], "%s %d: %d is a nearer dominator of %d", kind, seed, x, a)
			}
		}
	}
}

// TestDominatorsOfLargeGraphs checks immediate dominators by the sizes of dominator sets: those
// of a block are ordered by dominance, so the nearest has one dominator fewer.
func TestDominatorsOfLargeGraphs(t *testing.T) {
	for seed := int64(0); seed < 20; seed++ {
		rng := rand.New(rand.NewSource(seed))
		n := 50 + rng.Intn(200)
		for _, g := range []*cfg.Graph{cfgtest.Random(rng, n), cfgtest.Local(rng, n), cfgtest.Structured(rng, n)} {
			d := cfg.Dominators(g)
			dom := dominance(g.Succs, 0)
			dominators := func(b int) (count int) {
				for a := range dom {
					if dom[a][b] {
						count++
					}
				}
				return count
			}
			for b := 1; b < g.Len(); b++ {
				require.True(t, dom[d.IDom[b]][b])
				require.Equal(t, dominators(b), dominators(d.IDom[b])+1)
			}
		}
	}
}

func TestUnreachableBlocksAreOffTheTrees(t *testing.T) {
	g := cfg.NewGraph([][]int{{1}, {}, {1, 2}})
	d := cfg.Dominators(g)
	require.Equal(t, []int{-1, 0, -1}, d.IDom)
	require.False(t, d.Dominates(2, 2))
	require.False(t, d.Dominates(0, 2))
	require.False(t, d.Dominates(2, 1))
	require.False(t, d.Contains(2))
	p := cfg.PostDominators(g)
	require.Equal(t, []int{1, 3, -1, -1}, p.IDom)
	require.False(t, p.PostDominates(1, 2))
	require.Empty(t, cfg.Cycles(g).Cycles)
	require.Equal(t, []int{0, 0, -1}, cfg.Regions(g).Class)
}

func TestInfiniteLoopsAreAttachedAtTheirLatch(t *testing.T) {
	// 0 -> 1 -> {2,3} -> 4 -> 1 has no exit. 4 joins 2 and 3.
	g := cfg.NewGraph([][]int{{1}, {2, 3}, {4}, {4}, {1}})
	p := cfg.PostDominators(g)
	require.Equal(t, []int{4}, p.Attached)
	require.Equal(t, 4, p.IPDom(1))
	require.Equal(t, p.Exit, p.IPDom(4))
	require.Equal(t, 1, p.IPDom(0))
	require.True(t, p.PostDominates(4, 0))
}

// TestJoinsAgainstDefinition compares Joins with the iterated dominance frontier.
func TestJoinsAgainstDefinition(t *testing.T) {
	cfgtest.Each(300, 14, func(kind string, seed int64, g *cfg.Graph) {
		d := cfg.Dominators(g)
		front := make([][]int, g.Len())
		for a := range g.Succs {
			for b := range g.Succs {
				if !d.StrictlyDominates(a, b) && slices.ContainsFunc(g.Preds[b], func(p int) bool { return d.Dominates(a, p) }) {
					front[a] = append(front[a], b)
				}
			}
		}

		rng := rand.New(rand.NewSource(seed))
		joins := d.Joins() // reused for several variables
		for range 3 {
			defs := rng.Perm(g.Len())[:1+rng.Intn(g.Len())]
			in := make([]bool, g.Len())
			for work := slices.Clone(defs); len(work) > 0; {
				b := work[0]
				work = work[1:]
				for _, x := range front[b] {
					if !in[x] {
						in[x] = true
						work = append(work, x)
					}
				}
			}
			require.Equal(t, members(in), joins.Of(defs), "%s %d: of %v", kind, seed, defs)
		}
	})
}

func TestNearestCommonDominator(t *testing.T) {
	cfgtest.Each(60, 14, func(kind string, seed int64, g *cfg.Graph) {
		d := cfg.Dominators(g)
		for a := range g.Succs {
			for b := range g.Succs {
				c := d.NearestCommon(a, b)
				require.True(t, d.Dominates(c, a) && d.Dominates(c, b))
				for x := range g.Succs {
					if d.Dominates(x, a) && d.Dominates(x, b) {
						require.True(t, d.Dominates(x, c), "%s %d", kind, seed)
					}
				}
			}
		}
	})
}

func TestStronglyConnected(t *testing.T) {
	cfgtest.Each(200, 14, func(kind string, seed int64, g *cfg.Graph) {
		component, count := g.StronglyConnected()
		for a := range g.Succs {
			from := reach(g.Succs, a, -1)
			require.Less(t, component[a], count)
			for b := range g.Succs {
				same := from[b] && reach(g.Succs, b, -1)[a]
				require.Equal(t, same, component[a] == component[b], "%s %d", kind, seed)
				if from[b] {
					require.LessOrEqual(t, component[b], component[a])
				}
			}
		}
	})
}
