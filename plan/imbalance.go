package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// imbalance is the set of conditions that end a loop in its lanes.
type imbalance uint8

const (
	balanced  imbalance = 1 << iota // uniform, an order of the work-item's ID or its neighbours, bisection
	ordered                         // an order of computed numbers or of counters
	loaded                          // an order of numbers from memory
	unordered                       // low bits, or equality of computed numbers
	searching                       // the data that a lane visits
	dividing                        // a search for the smallest divisor of the lane's number
)

// findDivergent finds the loops with an exit on a mask, and the causes of lane imbalance.
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
					w.imbalance[c.ID] |= w.imbalanceBy(c, b.Cond)
				default:
					w.imbalance[c.ID] |= balanced
				}
			}
		}
	}
}

// imbalanceFactor returns the iterations of the slowest of W lanes relative to the mean
// lane's. For uniformly distributed trip counts it is 2W/(W+1), for exits at random the
// W-th harmonic number.
func (w *flow) imbalanceFactor(c *cfg.Cycle) float64 {
	n := w.enteringLanes[c.ID]
	var times float64
	switch p := w.stayProb[c.ID]; {
	case p > 0: // exits at random in each iteration
		times = max(1, (1-p)*(1+math.Log(n)/-math.Log(p)))
	case w.untilLastLane[c.ID], w.imbalance[c.ID] == balanced:
		return 1
	case w.sharedLimit[c.ID]:
		times = 1 + imbalanceSpeed*math.Log2(n)
	case w.imbalance[c.ID]&dividing != 0: // exits early or not at all: the slowest has few divisors
		times = (1 - math.Pow(1-noDivisor, n)) / noDivisor
	case w.imbalance[c.ID] == searching: // and nothing bounds the search
		times = 1 + imbalanceSearch*math.Log2(n)
	case w.imbalance[c.ID]&(searching|unordered) != 0:
		times = 1 + imbalanceBits*math.Pow(math.Log2(n), imbalanceBitsPower)
	case w.imbalance[c.ID]&loaded != 0:
		times = 1 + imbalanceLoaded*(n-1)/(n+1)
	default:
		times = 1 + imbalanceOrder*math.Pow(math.Log2(n), imbalanceOrderPower)
	}
	return min(times, max(1, w.tripLimit[c.ID]/w.trips[c.ID]))
}

// imbalanceBy returns the causes of imbalance in a mask or a test of one: those of the
// comparisons that it is computed from, also through path selectors.
func (w *flow) imbalanceBy(c *cfg.Cycle, cond *vir.Value) (by imbalance) {
	if w.bisects(c) {
		return balanced
	}
	const limit = 64 // limits the values visited
	work := []*vir.Value{cond}
	from := func(vs []*vir.Value) {
		for _, v := range vs {
			if len(work) < limit && !slices.Contains(work, v) {
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
		case compares && w.pathSelector[v.Args[0].ID]:
			from(v.Args[:1])
		case compares && w.divides(c, v):
			by |= dividing
		case compares && w.testsBits(v, 0):
			by |= searching
		case compares && w.isSafetyLimit(c, v):
		case compares && (w.affineInID(v.Args[0], true) && v.Args[1].Op == vir.Splat || w.affineInID(v.Args[1], true) && v.Args[0].Op == vir.Splat):
			by |= balanced
		case (v.Op == alu.Eq || v.Op == alu.Ne) && w.counter(c, v.Args[0]) == 0:
			const depth = 6
			by |= max(unordered, w.imbalanceOf(c, v.Args[0], depth), w.imbalanceOf(c, v.Args[1], depth))
		case compares:
			const depth = 6
			by |= max(w.imbalanceOf(c, v.Args[0], depth), w.imbalanceOf(c, v.Args[1], depth))
		case v.Op == vir.Any || v.Op == vir.All || v.Op == alu.Select || v.Type.Elem == alu.I1 && v.Op.Pure():
			from(v.Args)
		}
	}
	return by
}

// divides reports whether v tests a remainder of a division by a counter of c.
func (w *flow) divides(c *cfg.Cycle, v *vir.Value) bool {
	return (v.Op == alu.Eq || v.Op == alu.Ne) && v.Args[0].Op == alu.URem && w.counter(c, converted(v.Args[0].Args[1])) != 0
}

// bisects reports whether c bisects a range, as a binary search does, which takes all lanes
// about the same number of iterations.
func (w *flow) bisects(c *cfg.Cycle) bool {
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

// isSafetyLimit reports whether v ends c only as a last resort, by comparing a counter with
// a very large constant.
func (w *flow) isSafetyLimit(c *cfg.Cycle, v *vir.Value) bool {
	limit := v.Args[1]
	if limit.Op != vir.Const || !limit.Type.Elem.IsInt() {
		return false
	}
	step := w.counter(c, v.Args[0])
	return step > 0 && math.Abs(float64(limit.Signed())) > maxTrips*step
}

// counter returns the step of the counter of c that v is, or 0.
func (w *flow) counter(c *cfg.Cycle, v *vir.Value) float64 {
	if v.Op == alu.Select { // lanes that have exited keep their value
		v = v.Args[1]
	}
	const depth = 3
	if v = origin(v, depth); v.Op != vir.Param || v.Block.ID != c.Header {
		return 0
	}
	return w.step(c, v)
}

// imbalanceOf returns how the lanes' values of v, compared in c, differ. Counters differ as
// their initial values do.
func (w *flow) imbalanceOf(c *cfg.Cycle, v *vir.Value, depth int) imbalance {
	o := origin(v, depth)
	inside := o.Block != nil && w.loops.Contains(c, o.Block.ID)
	switch {
	case w.besideID(v):
		return balanced
	case o.Op == vir.Gather && inside:
		return searching
	case o.Op == vir.Gather || o.Op == vir.VLoad:
		return loaded
	case o.Op == vir.Param && o.Block.ID == c.Header && depth > 0:
		worst := ordered
		if w.counter(c, v) != 0 {
			worst = balanced
		}
		for _, a := range w.passed[o.ID] {
			if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
				worst = max(worst, w.imbalanceOf(c, a, depth-1))
			}
		}
		return worst
	}
	for ; v != o; v = v.Args[0] {
		if v.Op == alu.And || v.Op == alu.URem {
			return unordered
		}
	}
	return ordered
}

// besideID reports whether v is the work-item's ID plus a uniform value, clamped to uniform
// bounds: loops over the neighbourhood of a work-item are shorter only in the few lanes at
// a border.
func (w *flow) besideID(v *vir.Value) bool {
	same := func(v *vir.Value) bool { return v.Op == vir.Splat || w.uniformAcrossStrips(v) }
	for !w.affineInID(v, false) {
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
