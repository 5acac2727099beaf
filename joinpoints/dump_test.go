package joinpoints_test

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/joinpoints"
)

// parseGraph parses a graph from lines "block: successor...", the entry first.
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

// dump formats the order, the intervals and the JOIN points as a table, one position per
// line; names are those of blocks.
//
// The column loops shows where intervals begin (>), continue (|) and end (<), outermost
// on the left, with X for an interval of one position. "join -> p" is a JOIN point and
// the target of control without active lanes. "then -> p" is the target after the block,
// if it is not the next position; p is a head, "end of p..q" is the end of an interval,
// and "done" the end of the flow. "same p" means that the active lanes are those of
// position p, "gathers" that waiting lanes are added.
func dump(t *testing.T, p *joinpoints.Points, joins []bool, names []string) string {
	var out strings.Builder
	tw := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "pos\tblock\tloops\tflow\n")
	for q, b := range p.Order {
		var notes []string
		if joins[q] {
			notes = append(notes, "join -> "+target(p, p.NextJoin[q]))
		}
		for _, i := range p.Ends(q) {
			notes = append(notes, fmt.Sprintf("back -> %d", p.Intervals[i].Lo))
		}
		if t := p.Next[q]; t != (joinpoints.Target{Pos: q + 1}) {
			notes = append(notes, "then -> "+target(p, t))
		}
		around := loops(p, q)
		if around == "" {
			around = "."
		}
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\n", q, names[b], around, strings.Join(notes, ", "))
	}
	require.NoError(t, tw.Flush())
	return out.String()
}

func target(p *joinpoints.Points, t joinpoints.Target) string {
	switch {
	case t.Pos == p.Len():
		return "done"
	case t.End:
		return fmt.Sprintf("end of %d..%d", p.Intervals[t.Interval].Lo, t.Pos)
	}
	return fmt.Sprint(t.Pos)
}

// loops formats the intervals that contain a position.
func loops(p *joinpoints.Points, pos int) string {
	var marks []byte
	for i := p.Innermost(pos); i >= 0; i = p.Intervals[i].Parent {
		switch s := p.Intervals[i]; {
		case s.Lo == s.Hi:
			marks = append(marks, 'X')
		case s.Lo == pos:
			marks = append(marks, '>')
		case s.Hi == pos:
			marks = append(marks, '<')
		default:
			marks = append(marks, '|')
		}
	}
	for i, j := 0, len(marks)-1; i < j; i, j = i+1, j-1 {
		marks[i], marks[j] = marks[j], marks[i]
	}
	return string(marks)
}

func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		g, names := parseGraph(t, files["graph"])
		p := joinpoints.Compute(g, joinpoints.Order(g, cfg.Cycles(g)))
		var runs strings.Builder
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
		return map[string]string{"joins": dump(t, p, joinPoints(t, "", g, p), names), "mayrun": runs.String()}
	})
}

// TestBeignetExample uses the five blocks of Beignet's description of unstructured
// branches. Block 2 must not jump directly to block 5, as lanes may wait at block 4; a
// JOIN point there passes control on.
func TestBeignetExample(t *testing.T) {
	g := cfg.NewGraph([][]int{{1, 3}, {2, 4}, {3, 2}, {4}, {}})
	p := joinpoints.Compute(g, joinpoints.Order(g, cfg.Cycles(g)))
	require.Equal(t, []int{0, 1, 2, 3, 4}, p.Order)
	require.Equal(t, []bool{false, true, true, true, false}, joinPoints(t, "", g, p), "every lane comes to the last block")
	require.Equal(t, joinpoints.Target{Pos: 4}, p.NextJoin[3])
	require.Equal(t, []joinpoints.Interval{{Lo: 2, Hi: 2, Parent: -1}}, p.Intervals)
	require.Equal(t, joinpoints.Target{Pos: 3}, p.NextJoin[2])
	require.Equal(t, []joinpoints.Range{{Lo: 2, Hi: 3}}, p.MayRun(1, 4))
}
