package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// Loops that run a small, constant number of times count no fuel: the loop
// around them pays for them, so that fuel measures time all the same.

// mostUncounted bounds the iterations between two looks at the fuel.
const mostUncounted = 8192

// countFuel finds such loops, marks their back edges and notes what others
// cost. Only loops inside of others are free, for those look at the fuel.
func (s *selector) countFuel() {
	f := s.f
	forest := cfg.Cycles(f.Graph())
	if len(forest.Cycles) < 2 {
		return
	}
	free, cost := map[int]bool{}, map[int]int64{}
	for i := len(forest.Cycles) - 1; i >= 0; i-- { // inner loops first
		c := forest.Cycles[i]
		each := int64(1)
		for _, x := range c.Children {
			if free[x.Header] {
				each += cost[x.Header]
			}
		}
		cost[c.Header] = each
		if c.Parent == nil || !c.Reducible() {
			continue
		}
		if n := constantTrips(f, c, forest); n > 0 && n*each <= mostUncounted {
			free[c.Header] = true
			cost[c.Header] = n * each
			for _, latch := range c.Latches {
				s.freeEdges(latch, c.Header)
			}
		}
	}
	s.m.cost = cost
}

// freeEdges marks the edges from a block to the head of a free loop.
func (s *selector) freeEdges(from, head int) {
	mark := func(end *terminator) {
		if end.targets == nil && !end.ret {
			end.freeYes = end.freeYes || end.yes == head
			end.freeNo = end.freeNo || end.cond && end.no == head
		}
	}
	end := &s.m.blocks[from].term
	mark(end)
	for _, to := range s.m.blocks[from].succs() {
		if to >= len(s.f.Blocks) { // made for the copies of the edge
			mark(&s.m.blocks[to].term)
		}
	}
}

// constantTrips returns a bound on how often the body of c runs each time the
// loop is entered: its header leaves it by a comparison of a counter with a
// constant. It is 0 if there is none below mostUncounted.
func constantTrips(f *vir.Func, c *cfg.Cycle, forest *cfg.CycleForest) int64 {
	h := f.Blocks[c.Header]
	if h.Kind != vir.Branch || alu.InfoOf(h.Cond.Op).Class != alu.Compare {
		return 0
	}
	stay := slices.IndexFunc(h.Edges, func(e vir.Edge) bool { return forest.Contains(c, e.To.ID) })
	if stay < 0 || forest.Contains(c, h.Edges[1-stay].To.ID) {
		return 0
	}
	// The operand that varies: a parameter p of the header, or p + k.
	x, limit, swapped := h.Cond.Args[0], h.Cond.Args[1], false
	if x.Op == vir.Const {
		x, limit, swapped = limit, x, true
	}
	plus := uint64(0)
	if x.Op == alu.Add && x.Args[1].Op == vir.Const {
		x, plus = x.Args[0], x.Args[1].Const
	}
	wraps := x.Type.Elem.Mask() // of the number compared
	if x.Op == alu.Trunc {      // a counter that addresses are made of
		x = x.Args[0]
	}
	t := x.Type
	if limit.Op != vir.Const || x.Op != vir.Param || x.Block != h || !t.IsScalar() || !t.Elem.IsInt() {
		return 0
	}
	var starts []uint64
	step, stepped := uint64(0), false
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			if e.To != h {
				continue
			}
			a := e.Args[x.Index]
			if !forest.Contains(c, b.ID) {
				if a.Op != vir.Const {
					return 0
				}
				starts = append(starts, a.Const)
				continue
			}
			if a.Op != alu.Add || a.Args[0] != x || a.Args[1].Op != vir.Const || stepped && a.Args[1].Const != step {
				return 0
			}
			step, stepped = a.Args[1].Const, true
		}
	}
	most := int64(0)
	for _, v := range starts {
		n := int64(0)
		for ; n <= mostUncounted; n++ {
			p, q := (v+plus)&wraps, limit.Const
			if swapped {
				p, q = q, p
			}
			if holds := alu.Eval(h.Cond.Op, alu.I1, limit.Type.Elem, p, q, 0) != 0; holds != (stay == 0) {
				break
			}
			v = (v + step) & t.Elem.Mask()
		}
		most = max(most, n+1)
	}
	if most > mostUncounted {
		return 0
	}
	return most
}
