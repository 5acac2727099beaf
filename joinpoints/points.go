package joinpoints

import "github.com/simtc/simtc/cfg"

// Target is a destination of control: the head of position Pos, or, if End is set, its
// end. There, control starts with the back jump of the interval with index Interval and
// skips those of intervals nested in it, so that control enters an interval only at its
// start. The head of position n (the number of positions) is the end of the flow.
type Target struct {
	Pos      int
	End      bool
	Interval int // 0 if End is not set
}

// Line is the blocks of a graph in a linear order, with its repeating intervals.
type Line struct {
	Order     []int // block at each position
	Pos       []int // position of each block, -1 for a block not in the order
	Intervals []Interval

	g    *cfg.Graph
	nest *nesting
}

// NewLine arranges g along order, which must contain all reachable blocks, the entry
// first. Orders other than that of Order are permitted, but have more JOIN points.
func NewLine(g *cfg.Graph, order []int) *Line {
	l := &Line{Order: order, Pos: cfg.Positions(order, g.Len()), Intervals: Intervals(g, order), g: g}
	l.nest = newNesting(l.Intervals, len(order))
	return l
}

// Len returns the number of positions.
func (l *Line) Len() int { return len(l.Order) }

// WaitsFrom returns, for an edge between positions u and w, the first position that
// control may pass after u before a back jump beyond w: the position after u, or the
// first position of the outermost interval that contains u but not w, which is repeated
// while lanes remain in it. A lane that took the edge waits at w meanwhile.
func (l *Line) WaitsFrom(u, w int) int {
	lo, _ := l.waitsFrom(u, w)
	return lo
}

// waitsFrom also returns the innermost interval that contains both ends.
func (l *Line) waitsFrom(u, w int) (lo, around int) {
	around = l.nest.common(u, w)
	if inner := l.nest.child(around, u); inner >= 0 && !l.Intervals[inner].Contains(w) {
		return l.Intervals[inner].Lo, around
	}
	return u + 1, around
}

// Points is the linear flow along a Line; see the package comment. Tables are indexed by
// position.
type Points struct {
	*Line

	// NextJoin is the destination from a JOIN point without active lanes: the head of the
	// nearest later position where a lane may wait, or the end of an interval, if that
	// comes first and a lane may wait for the back jump. It never leads into the middle
	// of an interval, but to its first position. It is undefined for heads that are not
	// JOIN points.
	NextJoin []Target

	// Next is the destination from the end of a position if no back jump is taken there:
	// like NextJoin, but lanes may also wait at the successors. The positions between a
	// position and its Next are skipped without a test.
	Next []Target

	direct []bool
}

// Points computes the flow along the line. direct reports, by block, which branches
// remain branches; nil means none. All active lanes take the same edge of such a branch
// and control jumps with them, so that no lane waits on its edges. The caller must ensure
// that the jump skips no waiting lanes. Nearly linear time.
func (l *Line) Points(direct []bool) *Points {
	n := l.Len()
	p := &Points{Line: l, direct: direct}

	// waits[q] is the first position that control may pass while a lane waits at a later
	// position q; after[q] is the first position at whose end a lane may wait at q.
	// waitsBack[i] and afterBack[i] are the same for lanes that wait for the back jump of
	// interval i.
	waits, after := fill(n, n), fill(n, n)
	waitsBack, afterBack := fill(len(p.Intervals), n), fill(len(p.Intervals), n)
	p.edges(func(u, w int) {
		lo, around := p.waitsFrom(u, w)
		if u < w {
			waits[w] = min(waits[w], lo)
			after[w] = min(after[w], lo, u)
		} else {
			waitsBack[around] = min(waitsBack[around], lo)
			afterBack[around] = min(afterBack[around], lo, u)
		}
	})
	p.NextJoin = p.nearest(waits, waitsBack, false)
	p.Next = p.nearest(after, afterBack, true)
	return p
}

func fill(n, value int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = value
	}
	return s
}

// edges calls f with the positions of the ends of every edge on which lanes may wait.
func (p *Points) edges(f func(u, w int)) {
	for u, b := range p.Order {
		if p.direct != nil && p.direct[b] {
			continue
		}
		for _, s := range p.g.Succs[b] {
			f(u, p.Pos[s])
		}
	}
}

// nearest returns for every position x the nearest later place where a lane may wait: the
// smallest q > x with from[q] <= x, or the end of the innermost interval i around x with
// back[i] <= x, if that comes before q. With atEnd, control is at the end of x and has
// completed the intervals that end there.
func (p *Points) nearest(from, back []int, atEnd bool) []Target {
	n := p.Len()

	// The innermost interval around x with back[i] <= x. No interval nested in i that
	// contains back[i] has reached its own back[] before, so the current intervals form a
	// stack. Outer intervals precede inner ones.
	opening := make([][]int, n)
	for i, x := range back {
		if x < n {
			opening[x] = append(opening[x], i)
		}
	}
	limit := make([]int, n) // an interval, or -1
	var stack []int
	for x := range limit {
		for _, i := range opening[x] {
			stack = append(stack, i)
		}
		done := x
		if atEnd {
			done = x + 1
		}
		for len(stack) > 0 && p.Intervals[stack[len(stack)-1]].Hi < done {
			stack = stack[:len(stack)-1]
		}
		limit[x] = -1
		if len(stack) > 0 {
			limit[x] = stack[len(stack)-1]
		}
	}

	// From the last position to the first, a stack of the possible results q, the nearest
	// on top. A more distant one is kept only if its waiting range begins earlier.
	next := make([]Target, n)
	candidates := []int{n}
	first := func(q int) int {
		if q == n {
			return -1 // lanes may have finished at any time
		}
		return from[q]
	}
	for x := n - 1; x >= 0; x-- {
		for first(candidates[len(candidates)-1]) > x {
			candidates = candidates[:len(candidates)-1]
		}
		q := candidates[len(candidates)-1]
		switch i := limit[x]; {
		case i >= 0 && q > p.Intervals[i].Hi:
			next[x] = Target{Pos: p.Intervals[i].Hi, End: true, Interval: i}
		case q == n:
			next[x] = Target{Pos: n}
		default:
			next[x] = Target{Pos: p.nest.entered(x, q)}
		}
		for first(candidates[len(candidates)-1]) >= from[x] {
			candidates = candidates[:len(candidates)-1]
		}
		candidates = append(candidates, x)
	}
	return next
}
