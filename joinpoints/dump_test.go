package joinpoints_test

import (
	"bufio"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/joinpoints"
)

// parseGraph reads a graph of lines "block: successor...", the entry first.
func parseGraph(t *testing.T, text string) (*cfg.Graph, []string) {
	t.Helper()
	var names []string
	number := map[string]int{}
	var lists [][]string
	for in := bufio.NewScanner(strings.NewReader(text)); in.Scan(); {
		name, list, ok := strings.Cut(in.Text(), ":")
		require.True(t, ok, "line %q", in.Text())
		number[name] = len(names)
		names = append(names, name)
		lists = append(lists, strings.Fields(list))
	}
	succs := make([][]int, len(names))
	for b, list := range lists {
		for _, s := range list {
			require.Contains(t, number, s)
			succs[b] = append(succs[b], number[s])
		}
	}
	return cfg.NewGraph(succs), names
}

func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		g, names := parseGraph(t, files["graph"])
		p := joinpoints.Compute(g, joinpoints.Order(g, cfg.Cycles(g)))
		var dump, runs strings.Builder
		require.NoError(t, p.Dump(&dump, func(b int) string { return names[b] }))
		for u, ss := range g.Succs {
			for _, w := range ss {
				for i, r := range p.MayRun(u, w) {
					if i == 0 {
						fmt.Fprintf(&runs, "%s-%s:", names[u], names[w])
					}
					fmt.Fprintf(&runs, " %d..%d", r.Lo, r.Hi)
					if i == len(p.MayRun(u, w))-1 {
						fmt.Fprintln(&runs)
					}
				}
			}
		}
		return map[string]string{"joins": dump.String(), "mayrun": runs.String()}
	})
}

// The five blocks of Beignet's description of unstructured branches: block 2
// must not jump straight to block 5, as lanes may wait at block 4; a JOIN point
// there sends control on.
func TestBeignetExample(t *testing.T) {
	g := cfg.NewGraph([][]int{{1, 3}, {2, 4}, {3, 2}, {4}, {}})
	p := joinpoints.Compute(g, joinpoints.Order(g, cfg.Cycles(g)))
	require.Equal(t, []int{0, 1, 2, 3, 4}, p.Order)
	require.True(t, p.IsJoin[3])
	require.Equal(t, joinpoints.Target{Pos: 4}, p.NextJoin[3])
	require.False(t, p.IsJoin[0])
	require.False(t, p.IsJoin[4], "every lane comes to the last block")
	require.Equal(t, []joinpoints.Interval{{Lo: 2, Hi: 2, Parent: -1}}, p.Intervals)
	require.Equal(t, joinpoints.Target{Pos: 3}, p.NextJoin[2])
	require.Equal(t, []joinpoints.Range{{Lo: 2, Hi: 3}}, p.MayRun(1, 4))
	require.Equal(t, 0, p.SameMask[4])
}
