package joinpoints_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
	"github.com/simtc/simtc/joinpoints"
)

func TestOrderProperties(t *testing.T) {
	irreducible := 0
	cfgtest.Each(500, 30, func(kind string, seed int64, g *cfg.Graph) {
		forest := cfg.Cycles(g)
		order := joinpoints.Order(g, forest)
		require.Equal(t, order, joinpoints.Order(g, cfg.Cycles(g)))
		require.Len(t, order, g.Len(), "%s %d", kind, seed)
		require.Equal(t, 0, order[0])
		pos := cfg.Positions(order, g.Len())
		require.NotContains(t, pos, -1)
		if exits := g.Exits(); len(exits) == 1 {
			require.Equal(t, exits[0], order[len(order)-1])
		}
		if !forest.Reducible() {
			irreducible++
		}

		// Backward edges lead to headers of cycles that contain both ends.
		for u, ss := range g.Succs {
			for _, w := range ss {
				if pos[w] <= pos[u] {
					c := forest.InnermostCycle(w)
					require.True(t, forest.IsHeader(w), "%s %d: edge %d-%d", kind, seed, u, w)
					require.True(t, forest.Contains(c, u), "%s %d: edge %d-%d", kind, seed, u, w)
				}
			}
		}

		// Cycles are contiguous and equal the intervals.
		var want, got [][2]int
		for _, c := range forest.Cycles {
			at := cfg.Positions(order, g.Len())[c.Header]
			for _, b := range c.Blocks {
				require.GreaterOrEqual(t, pos[b], at, "%s %d", kind, seed)
				require.Less(t, pos[b], at+len(c.Blocks), "%s %d", kind, seed)
			}
			want = append(want, [2]int{at, at + len(c.Blocks) - 1})
		}
		for _, s := range joinpoints.Intervals(g, order) {
			got = append(got, [2]int{s.Lo, s.Hi})
		}
		require.ElementsMatch(t, want, got, "%s %d", kind, seed)
	})
	require.Greater(t, irreducible, 300)
}

// TestOrderOfAcyclicGraphsIsDominanceCompact checks that, in graphs without cycles and
// apart from the position of the exit, the blocks dominated by a block are contiguous.
func TestOrderOfAcyclicGraphsIsDominanceCompact(t *testing.T) {
	for seed := int64(0); seed < 500; seed++ {
		rng := rand.New(rand.NewSource(seed))
		n := 2 + rng.Intn(25)
		succs := make([][]int, n)
		for b := 1; b < n; b++ {
			for range 1 + rng.Intn(2) {
				p := rng.Intn(b)
				succs[p] = append(succs[p], b)
			}
		}
		g := cfg.NewGraph(succs)
		order := joinpoints.Order(g, cfg.Cycles(g))
		if len(g.Exits()) == 1 {
			order = order[:n-1]
		}
		d := cfg.Dominators(g)
		for a := range succs {
			in := func(b int) bool { return d.Dominates(a, b) }
			first := slices.IndexFunc(order, in)
			if first < 0 {
				continue
			}
			rest := slices.IndexFunc(order[first:], func(b int) bool { return !in(b) })
			if rest >= 0 {
				require.False(t, slices.ContainsFunc(order[first+rest:], in), "seed %d: block %d in %v", seed, a, order)
			}
		}
	}
}

func TestOrderTakesTheFirstTargetFirst(t *testing.T) {
	// if (0) 1 else 2; 3; the loop 3-4 exits to 5.
	g := cfg.NewGraph([][]int{{2, 1}, {3}, {3}, {4, 5}, {3}, {}})
	require.Equal(t, []int{0, 2, 1, 3, 4, 5}, joinpoints.Order(g, cfg.Cycles(g)))
	require.Empty(t, joinpoints.Order(cfg.NewGraph(nil), cfg.Cycles(cfg.NewGraph(nil))))
}

func TestNest(t *testing.T) {
	span := func(lo, hi int) joinpoints.Interval { return joinpoints.Interval{Lo: lo, Hi: hi, Parent: 99} }
	for _, test := range []struct {
		name     string
		in, want []joinpoints.Interval
	}{
		{"none", nil, nil},
		{"disjoint", []joinpoints.Interval{span(4, 5), span(1, 2)}, []joinpoints.Interval{{1, 2, -1}, {4, 5, -1}}},
		{"nested", []joinpoints.Interval{span(1, 9), span(4, 5)}, []joinpoints.Interval{{1, 9, -1}, {4, 5, 0}}},
		{"crossing", []joinpoints.Interval{span(1, 5), span(3, 8)}, []joinpoints.Interval{{1, 8, -1}, {3, 8, 0}}},
		{"chain", []joinpoints.Interval{span(0, 2), span(2, 4), span(4, 6), span(7, 7)}, []joinpoints.Interval{{0, 6, -1}, {2, 6, 0}, {4, 6, 1}, {7, 7, -1}}},
		{"same start", []joinpoints.Interval{span(1, 5), span(1, 3), span(4, 7)}, []joinpoints.Interval{{1, 7, -1}, {4, 7, 0}}},
	} {
		require.Equal(t, len(test.want), len(joinpoints.Nest(test.in)), test.name)
		for i, s := range joinpoints.Nest(test.in) {
			require.Equal(t, test.want[i], s, test.name)
		}
	}
}

func TestNestOfRandomIntervals(t *testing.T) {
	for seed := int64(0); seed < 2000; seed++ {
		rng := rand.New(rand.NewSource(seed))
		var spans []joinpoints.Interval
		for range rng.Intn(8) {
			lo := rng.Intn(20)
			spans = append(spans, joinpoints.Interval{Lo: lo, Hi: lo + rng.Intn(8)})
		}
		nested := joinpoints.Nest(spans)
		for _, s := range spans {
			require.True(t, slices.ContainsFunc(nested, func(x joinpoints.Interval) bool { return x.Lo == s.Lo && x.Hi >= s.Hi }))
		}
		for i, a := range nested {
			parent := -1
			for j, b := range nested[:i] {
				require.Less(t, b.Lo, a.Lo)
				require.True(t, b.Hi < a.Lo || b.Hi >= a.Hi, "seed %d: %v and %v cross", seed, b, a)
				if b.Hi >= a.Hi {
					parent = j
				}
			}
			require.Equal(t, parent, a.Parent)
			require.True(t, slices.ContainsFunc(spans, func(s joinpoints.Interval) bool { return s.Hi == a.Hi }))
		}
	}
}
