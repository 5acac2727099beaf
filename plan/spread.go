package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// spread is what ends a loop in its lanes, as a set.
type spread uint8

const (
	adjacent  spread = 1 << iota // all at once, an order of the work-item's number, what is beside it, halves of a range
	ordered                      // an order of numbers that lanes compute, or count alike
	loaded                       // of numbers out of memory
	unordered                    // of low bits, or what a computed number becomes equal to
	searching                    // what a lane comes across
	dividing                     // the first of ascending numbers that divides the lane's
)

// findDivergent finds the loops with an exit that asks a mask.
func (w *flow) findDivergent() {
	for _, b := range w.f.Blocks {
		if b.Kind != vir.Branch {
			continue
		}
		for _, e := range b.Edges {
			for c := w.blockLoop[b.ID]; c != nil && !w.loops.Contains(c, e.To.ID); c = c.Parent {
				switch {
				case c.Depth == 1:
				case onMask(b.Cond):
					w.divergent[c.ID] = true
					w.spread[c.ID] |= w.spreadBy(c, b.Cond)
				default:
					w.spread[c.ID] |= adjacent
				}
			}
		}
	}
}

// waste is how many times the average lane's iterations of a loop the slowest of
// W lanes takes. That of numbers of a uniform distribution would make it
// 2W/(W+1), and of events that happen at random the harmonic number of W.
func (w *flow) waste(c *cfg.Cycle) float64 {
	n := w.lanes[c.ID]
	var times float64
	switch p := w.stays[c.ID]; {
	case p > 0: // each round by chance
		times = max(1, (1-p)*(1+math.Log(n)/-math.Log(p)))
	case w.last[c.ID], w.spread[c.ID] == adjacent:
		return 1
	case w.pace[c.ID]:
		times = 1 + unpaced*math.Log2(n)
	case w.spread[c.ID]&dividing != 0: // soon, or not at all: the slowest has few divisors
		times = (1 - math.Pow(1-undivided, n)) / undivided
	case w.spread[c.ID] == searching: // and nothing ends the search
		times = 1 + wastedSearch*math.Log2(n)
	case w.spread[c.ID]&(searching|unordered) != 0:
		times = 1 + unevenly*math.Pow(math.Log2(n), unevenPower)
	case w.spread[c.ID]&loaded != 0:
		times = 1 + lengths*(n-1)/(n+1)
	default:
		times = 1 + wasted*math.Pow(math.Log2(n), wastedPower)
	}
	return min(times, max(1, w.most[c.ID]/w.trips[c.ID]))
}

// spreadBy is what a mask, or a question about one, makes lanes leave c by: the
// comparisons that it comes from, be it by way of a number that says where a lane
// goes on.
func (w *flow) spreadBy(c *cfg.Cycle, cond *vir.Value) (by spread) {
	if w.halves(c) {
		return adjacent
	}
	const most = 64 // values looked at
	work := []*vir.Value{cond}
	from := func(vs []*vir.Value) {
		for _, v := range vs {
			if len(work) < most && !slices.Contains(work, v) {
				work = append(work, v)
			}
		}
	}
	for i := 0; i < len(work); i++ {
		v := work[i]
		compares := alu.InfoOf(v.Op).Class == alu.Compare
		switch {
		case v.Op == vir.Param:
			if v.Block.ID != c.Header && w.loops.Contains(c, v.Block.ID) {
				from(w.passed[v.ID])
			}
		case compares && w.chosen[v.Args[0].ID]:
			from(v.Args[:1])
		case compares && w.divides(c, v):
			by |= dividing
		case compares && w.tests(v, 0):
			by |= searching
		case compares && w.farOff(c, v):
		case compares && (w.alongID(v.Args[0], true) && v.Args[1].Op == vir.Splat || w.alongID(v.Args[1], true) && v.Args[0].Op == vir.Splat):
			by |= adjacent
		case (v.Op == alu.Eq || v.Op == alu.Ne) && w.counter(c, v.Args[0]) == 0:
			const depth = 6
			by |= max(unordered, w.spreadOf(c, v.Args[0], depth), w.spreadOf(c, v.Args[1], depth))
		case compares:
			const depth = 6
			by |= max(w.spreadOf(c, v.Args[0], depth), w.spreadOf(c, v.Args[1], depth))
		case v.Op == vir.Any || v.Op == vir.All || v.Op == alu.Select || v.Type.Elem == alu.I1 && v.Op.Pure():
			from(v.Args)
		}
	}
	return by
}

// divides reports whether v compares the remainder of a division by a counter of c.
func (w *flow) divides(c *cfg.Cycle, v *vir.Value) bool {
	return (v.Op == alu.Eq || v.Op == alu.Ne) && v.Args[0].Op == alu.URem && w.counter(c, converted(v.Args[0].Args[1])) != 0
}

// halves reports whether c cuts a range in half in each round, as a binary search
// does: that takes each lane about as long.
func (w *flow) halves(c *cfg.Cycle) bool {
	bound := func(v *vir.Value) bool { return v.Op == vir.Param && v.Block.ID == c.Header }
	for _, b := range c.Blocks {
		for _, v := range w.f.Blocks[b].Values {
			if v.Op != alu.AShr && v.Op != alu.LShr || v.Args[1].Op != vir.Const || v.Args[1].Const != 1 {
				continue
			}
			if x := v.Args[0]; (x.Op == alu.Add || x.Op == alu.Sub) && x.Args[0] != x.Args[1] && bound(x.Args[0]) && bound(x.Args[1]) {
				return true
			}
		}
	}
	return false
}

// farOff reports whether v ends c only as a last resort: by a counter that is
// compared with so great a constant that others end c before.
func (w *flow) farOff(c *cfg.Cycle, v *vir.Value) bool {
	limit := v.Args[1]
	if limit.Op != vir.Const || !limit.Type.Elem.IsInt() {
		return false
	}
	step := w.counter(c, v.Args[0])
	return step > 0 && math.Abs(float64(limit.Signed())) > mostTrips*step
}

// counter returns the step of the counter of c that v is; 0: it is none.
func (w *flow) counter(c *cfg.Cycle, v *vir.Value) float64 {
	if v.Op == alu.Select { // lanes that have left keep their number
		v = v.Args[1]
	}
	const depth = 3
	if v = origin(v, depth); v.Op != vir.Param || v.Block.ID != c.Header {
		return 0
	}
	return w.step(c, v)
}

// spreadOf is how different lanes' numbers are that are compared in c. Counters
// are as different as what they begin with.
func (w *flow) spreadOf(c *cfg.Cycle, v *vir.Value, depth int) spread {
	o := origin(v, depth)
	inside := o.Block != nil && w.loops.Contains(c, o.Block.ID)
	switch {
	case w.besideID(v):
		return adjacent
	case o.Op == vir.Gather && inside:
		return searching
	case o.Op == vir.Gather || o.Op == vir.VLoad:
		return loaded
	case o.Op == vir.Param && o.Block.ID == c.Header && depth > 0:
		most := ordered
		if w.counter(c, v) != 0 {
			most = adjacent
		}
		for _, a := range w.passed[o.ID] {
			if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
				most = max(most, w.spreadOf(c, a, depth-1))
			}
		}
		return most
	}
	for ; v != o; v = v.Args[0] {
		if v.Op == alu.And || v.Op == alu.URem {
			return unordered
		}
	}
	return ordered
}

// besideID reports whether v is the number of the work-item, or more or less by the
// same for all, kept within bounds that all share: a loop over what is beside it goes
// round less often only in the few lanes that are at a border.
func (w *flow) besideID(v *vir.Value) bool {
	same := func(v *vir.Value) bool { return v.Op == vir.Splat || w.before(v) }
	for !w.alongID(v, false) {
		switch v.Op {
		case alu.SExt, alu.ZExt, alu.Trunc:
			v = v.Args[0]
		case alu.Add, alu.SMin, alu.SMax, alu.UMin, alu.UMax:
			switch {
			case same(v.Args[1]):
				v = v.Args[0]
			case same(v.Args[0]):
				v = v.Args[1]
			default:
				return false
			}
		default:
			return false
		}
	}
	return true
}
