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

// Points is the linear flow of a graph along an order; see the package
// comment. Tables are indexed by position.
type Points struct {
	Order     []int // block at a position
	Pos       []int // position of a block, -1 for a block not in the order
	Intervals []Interval

	// IsJoin tells where control may arrive at a head with no active lane.
	// It is exact: if every path of the graph is possible, so is an arrival
	// without lanes at each JOIN point, and at no other head.
	IsJoin []bool

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

	// Gathers tells where lanes may become active that were not active in the
	// block before, because they waited. At the other heads the active lanes
	// are those of the position before that chose this successor, and control
	// always comes from there.
	Gathers []bool

	// SameMask gives the first position known to run with the same active
	// lanes as this one in the same pass of the innermost interval: itself, or
	// an earlier position that control always comes through on its way here,
	// so that the mask computed there can be used again.
	SameMask []int

	g      *cfg.Graph
	direct []bool
	nest   *nesting
}

// Len returns the number of positions.
func (p *Points) Len() int { return len(p.Order) }

// Innermost returns the index of the smallest interval that contains a
// position, or -1.
func (p *Points) Innermost(pos int) int { return p.nest.innermost[pos] }

// Starts returns the index of the interval that begins at a position, or -1.
// No two begin at the same.
func (p *Points) Starts(pos int) int { return p.nest.starts[pos] }

// Ends returns the indexes of the intervals whose last position is pos,
// innermost first: the order of the back jumps at its end.
func (p *Points) Ends(pos int) []int {
	var ends []int
	for i := p.nest.innermost[pos]; i >= 0 && p.Intervals[i].Hi == pos; i = p.Intervals[i].Parent {
		ends = append(ends, i)
	}
	return ends
}

// Compute finds the linear flow of g along order, which must hold all
// reachable blocks, the entry first. Orders other than Order's do too, with
// more JOIN points. Nearly linear time.
func Compute(g *cfg.Graph, order []int) *Points { return ComputeDirect(g, order, nil) }

// ComputeDirect is Compute for a flow in which some branches stay branches:
// direct tells, by block, where all active lanes leave together and control
// jumps with them, so that nobody waits on the block's edges. It is the
// caller's to know that such a jump passes no waiting lanes.
func ComputeDirect(g *cfg.Graph, order []int, direct []bool) *Points {
	n := len(order)
	p := &Points{
		Order:     order,
		Pos:       cfg.Positions(order, g.Len()),
		Intervals: Intervals(g, order),
		g:         g,
		direct:    direct,
	}
	p.nest = newNesting(p.Intervals, n)

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
	p.IsJoin = p.emptyHeads()
	p.Gathers = make([]bool, n)
	for q := range p.Gathers {
		p.Gathers[q] = p.gathers(q)
	}
	p.SameMask = p.sameMasks()
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

// emptyHeads finds the heads where control may arrive with no active lane.
//
// While a lane that runs alone waits, control's way is fixed: it goes from the
// end of the edge's source along NextJoin and Next to its target. The heads
// on the ways of all edges are just the ones: suppose that control arrives
// with several lanes at a head where none waits. Since the last block that ran
// it has jumped back nowhere (after a jump back a block runs), so it went the
// way of any one of that block's lanes alone, and that lane still waits.
//
// The ways are paths in a tree, as every head and every end leads to one
// place, a later one: count the edges whose way leads through each.
func (p *Points) emptyHeads() []bool {
	n := p.Len()
	node := func(t Target) int {
		if t.End {
			return 2*t.Pos + 1
		}
		return 2 * t.Pos
	}
	through := make([]int, 2*n+1)
	for u, b := range p.Order {
		if len(p.g.Succs[b]) == 0 {
			through[2*u+1]++
		}
	}
	p.edges(func(u, w int) {
		through[2*u+1]++
		if w <= u {
			// The way ends with the jump back to w, which begins an interval.
			through[2*p.Intervals[p.nest.starts[w]].Hi+1]--
		} else {
			through[2*w]--
		}
	})
	empty := make([]bool, n)
	for q := range empty {
		empty[q] = through[2*q] > 0
		through[node(p.NextJoin[q])] += through[2*q]
		through[node(p.Next[q])] += through[2*q+1]
	}
	return empty
}

// gathers reports whether position q may be entered by lanes that waited.
func (p *Points) gathers(q int) bool {
	if q == 0 || p.nest.innermost[q] != p.nest.innermost[q-1] {
		return true
	}
	for _, u := range p.g.Preds[p.Order[q]] {
		if at := p.Pos[u]; at >= 0 && at != q-1 {
			return true
		}
	}
	return false
}

// sameMasks relates positions of control-equivalent blocks in one interval.
// Lanes at the earlier one all come to the later one within the pass and no
// others do. If the later one is no JOIN point, control is never there without
// lanes, hence never without having run the earlier one.
func (p *Points) sameMasks() []int {
	same := make([]int, p.Len())
	if len(same) == 0 {
		return same
	}
	class := cfg.Regions(p.g).Class
	latest := fill(p.g.Len(), -1) // position of the latest member of a class
	for q, b := range p.Order {
		same[q] = q
		if d := latest[class[b]]; d >= 0 && !p.IsJoin[q] && p.nest.innermost[d] == p.nest.innermost[q] {
			same[q] = same[d]
		}
		latest[class[b]] = q
	}
	return same
}
