package joinpoints

import "github.com/simtc/simtc/cfg"

// Target is where control goes: to the head of position Pos, or, if End is
// set, to its end, there to the back jump of the interval with index Interval
// and not to those inside it, so that control never comes into an interval
// from outside but at its beginning. The head of position n (the number of
// positions) is the end of the flow.
type Target struct {
	Pos      int
	End      bool
	Interval int // 0 if End is not set
}

// Line is a graph's blocks in one line, with the intervals of it that repeat.
type Line struct {
	Order     []int // block at a position
	Pos       []int // position of a block, -1 for a block not in the order
	Intervals []Interval

	g    *cfg.Graph
	nest *nesting
}

// NewLine lays g out along order, which must hold all reachable blocks, the entry first.
// Orders other than Order's do too, with more JOIN points.
func NewLine(g *cfg.Graph, order []int) *Line {
	l := &Line{Order: order, Pos: cfg.Positions(order, g.Len()), Intervals: Intervals(g, order), g: g}
	l.nest = newNesting(l.Intervals, len(order))
	return l
}

// Len returns the number of positions.
func (l *Line) Len() int { return len(l.Order) }

// WaitsFrom returns, for an edge between positions, the first position that control may
// pass after u going on, before any back jump past w: that after u, or the first of the
// outermost interval that has u but not w, which is repeated while lanes remain in it.
// A lane that took the edge waits at w meanwhile.
func (l *Line) WaitsFrom(u, w int) int {
	lo, _ := l.waitsFrom(u, w)
	return lo
}

// waitsFrom returns also the innermost interval around both ends.
func (l *Line) waitsFrom(u, w int) (lo, around int) {
	around = l.nest.common(u, w)
	if inner := l.nest.child(around, u); inner >= 0 && !l.Intervals[inner].Contains(w) {
		return l.Intervals[inner].Lo, around
	}
	return u + 1, around
}

// Points is the linear flow along a line; see the package comment. Tables are indexed by
// position.
type Points struct {
	*Line

	// NextJoin is where to go from a JOIN point without active lanes: the
	// head of the nearest later position at which a lane may wait, or the end
	// of an interval, if that comes first and a lane may wait for the jump
	// back. It never leads into the middle of an interval, but to its first
	// position. Meaningless for heads that are no JOIN points.
	NextJoin []Target

	// Next is where to go from the end of a position, if no back jump is
	// taken there: like NextJoin, but lanes may wait at the successors too.
	// What lies between a position and its Next is jumped over without a test.
	Next []Target

	direct []bool
}

// Points finds the flow along the line. direct tells, by block, which branches stay
// branches, nil if none do: all active lanes leave such a block together and control jumps
// with them, so that nobody waits on its edges. It is the caller's to know that the jump
// passes no waiting lanes. Nearly linear time.
func (l *Line) Points(direct []bool) *Points {
	n := l.Len()
	p := &Points{Line: l, direct: direct}

	// waits[q] is the first position control may pass while a lane waits at a
	// later q; after[q] the first at whose end one may wait. waitsBack[i] and
	// afterBack[i] say the same of lanes that wait for the back jump of
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

// edges calls f with the positions of the ends of every edge on which lanes
// may wait.
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

// nearest returns for every position x the nearest place after it where a lane
// may wait: the least q > x with from[q] <= x, or the end of the innermost
// interval i around x with back[i] <= x, if that comes before q. With atEnd,
// control is at the end of x and has done with the intervals that end there.
func (p *Points) nearest(from, back []int, atEnd bool) []Target {
	n := p.Len()

	// Innermost interval around x with back[i] <= x. At back[i] no interval
	// inside i that contains it has come to its own back[] before, so that
	// those in force nest like a stack. Intervals come outer before inner.
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

	// From the last position to the first, a stack of the q that can still be
	// an answer, the nearest on top: a farther one only if it is waited at
	// from earlier on.
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
