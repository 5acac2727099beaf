package joinpoints

import (
	"slices"

	"github.com/simtc/simtc/cfg"
)

// Interval is a range of positions that control repeats: from the end of Hi it jumps back
// to the head of Lo while a lane waits in the interval.
type Interval struct {
	Lo, Hi int // both included
	Parent int // index of the smallest interval around this one, or -1
}

// Contains reports whether position p is in the interval.
func (i Interval) Contains(p int) bool { return i.Lo <= p && p <= i.Hi }

// Intervals returns the intervals of a linear order of g's reachable blocks: each extends
// from the target of backward edges (including edges of a block to itself) to the last of
// their sources, and is widened until all intervals are nested. They are in increasing
// order of Lo, without duplicates. For an order made by Order they are exactly the
// cycles.
func Intervals(g *cfg.Graph, order []int) []Interval {
	pos := cfg.Positions(order, g.Len())
	var spans []Interval
	for p, b := range order {
		last := -1
		for _, u := range g.Preds[b] {
			last = max(last, pos[u])
		}
		if last >= p {
			spans = append(spans, Interval{Lo: p, Hi: last})
		}
	}
	return Nest(spans)
}

// Nest widens overlapping intervals until any two are disjoint or nested: of two that
// cross, the first is extended to the end of the second. Intervals with the same Lo are
// merged. The result is in increasing order of Lo, with Parent set; the Parent fields of
// spans are ignored.
func Nest(spans []Interval) []Interval {
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b Interval) int { return a.Lo - b.Lo })
	merged := spans[:0]
	for _, s := range spans {
		if k := len(merged) - 1; k >= 0 && merged[k].Lo == s.Lo {
			merged[k].Hi = max(merged[k].Hi, s.Hi)
		} else {
			merged = append(merged, s)
		}
	}

	// From the last to the first: later intervals are already nested, and the outermost
	// of those that begin within the current one become its children.
	var outer []int
	for i := len(merged) - 1; i >= 0; i-- {
		s := &merged[i]
		s.Parent = -1
		for len(outer) > 0 && merged[outer[len(outer)-1]].Lo <= s.Hi {
			child := &merged[outer[len(outer)-1]]
			child.Parent = i
			s.Hi = max(s.Hi, child.Hi)
			outer = outer[:len(outer)-1]
		}
		outer = append(outer, i)
	}
	return merged
}

// nesting answers queries about nested intervals over n positions.
type nesting struct {
	intervals []Interval
	innermost []int // by position; -1 for none
	children  [][]int
	roots     []int
}

func newNesting(intervals []Interval, n int) *nesting {
	t := &nesting{
		intervals: intervals,
		innermost: make([]int, n),
		children:  make([][]int, len(intervals)),
	}
	starts := fill(n, -1) // by position: the interval that begins there; at most one does
	for i, s := range intervals {
		starts[s.Lo] = i
		if s.Parent >= 0 {
			t.children[s.Parent] = append(t.children[s.Parent], i)
		} else {
			t.roots = append(t.roots, i)
		}
	}
	at := -1
	for p := 0; p < n; p++ {
		if i := starts[p]; i >= 0 {
			at = i
		}
		for at >= 0 && intervals[at].Hi < p {
			at = intervals[at].Parent
		}
		t.innermost[p] = at
	}
	return t
}

// common returns the innermost interval with both positions, or -1.
func (t *nesting) common(p, q int) int {
	i := t.innermost[q]
	for i >= 0 && !t.intervals[i].Contains(p) {
		i = t.intervals[i].Parent
	}
	return i
}

// child returns the outermost interval that contains p among those nested in i (among all
// if i is -1), or -1.
func (t *nesting) child(i, p int) int {
	among := t.roots
	if i >= 0 {
		among = t.children[i]
	}
	k, found := slices.BinarySearchFunc(among, p, func(c, p int) int { return t.intervals[c].Lo - p })
	if !found {
		k--
	}
	if k >= 0 && t.intervals[among[k]].Contains(p) {
		return among[k]
	}
	return -1
}

// entered returns the position at which control going forward from p to q enters the
// intervals around q: the first position of the outermost interval that contains q but
// not p, or q itself.
func (t *nesting) entered(p, q int) int {
	at := q
	for i := t.innermost[q]; i >= 0 && !t.intervals[i].Contains(p); i = t.intervals[i].Parent {
		at = t.intervals[i].Lo
	}
	return at
}
