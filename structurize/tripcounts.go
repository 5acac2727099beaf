package structurize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

const (
	// maxIdleTrips bounds the trip count of a loop that may run with an empty mask.
	maxIdleTrips = 1024
	// maxCounting bounds the operations of a loop's counter and bound.
	maxCounting = 4
	// byArguments stands for the trip count of a loop that counts to a bound which
	// kernel arguments determine.
	byArguments = -1
)

// findTripCounts computes the trip counts of uniform loops that end even if their mask is
// empty. Values that no lane computed are undefined; these loops count from constants to a
// small trip count, or by one to a bound that arguments determine, which may take as long
// as with lanes.
func (m *masks) findTripCounts() {
	m.tripCount = make([]int, len(m.Loops.Cycles))
	for _, c := range m.Loops.Cycles {
		if !m.maskedHeader(c.Header) {
			m.tripCount[c.ID] = m.countTrips(c)
		}
	}
}

// constantTripCounts returns the trip counts that are constants, by loop header.
func (m *masks) constantTripCounts() map[*kernel.Block]int {
	out := map[*kernel.Block]int{}
	for _, c := range m.Loops.Cycles {
		if n := m.tripCount[c.ID]; n > 0 {
			out[m.K.Blocks[c.Header]] = n
		}
	}
	return out
}

// countTrips returns the trip count of c, byArguments, or 0 for a loop that may not end.
func (m *masks) countTrips(c *cfg.Cycle) int {
	h := c.Header
	latch := m.K.Blocks[m.latch(h)]
	trips := 0
	back := latch.Edges[slices.IndexFunc(latch.Edges, func(e kernel.Edge) bool { return e.To.ID == h })]
	for _, id := range c.Blocks {
		b := m.K.Blocks[id]
		if b.Kind != kernel.Branch || m.Loops.InnermostCycle(id) != c || !m.Dom.Dominates(id, latch.ID) {
			continue
		}
		stays := [2]bool{m.Loops.Contains(c, b.Edges[0].To.ID), m.Loops.Contains(c, b.Edges[1].To.ID)}
		if stays[0] == stays[1] {
			continue
		}
		if n := m.until(c, back, b.Cond, stays[1]); n > 0 {
			return n
		}
		if m.ends(c, back, b.Cond, stays[1]) {
			trips = byArguments
		}
	}
	return trips
}

// until returns the iteration in which cond == end, by evaluation. The counter must start
// at a constant, and cond must depend on one header parameter alone. It returns 0 if that
// is not so or takes more than maxIdleTrips iterations.
func (m *masks) until(c *cfg.Cycle, back kernel.Edge, cond *kernel.Value, end bool) int {
	head := m.K.Blocks[c.Header]
	p := counter(cond, head, maxCounting)
	if p == nil {
		return 0
	}
	first, next := m.initial(c, p), back.Args[p.Index]
	if first == nil || first.Op != kernel.Const || next != p && counter(next, head, maxCounting) != p {
		return 0
	}
	x := first.Const
	for n := 1; n <= maxIdleTrips; n++ {
		if evaluate(cond, p, x) == 1 == end {
			return n
		}
		x = evaluate(next, p, x)
	}
	return 0
}

// initial returns the value of p, a parameter of the header, in the first iteration.
func (m *masks) initial(c *cfg.Cycle, p *kernel.Value) *kernel.Value {
	for _, id := range m.G.Preds[c.Header] {
		if m.Loops.Contains(c, id) {
			continue
		}
		for _, e := range m.K.Blocks[id].Edges {
			if e.To == p.Block {
				return e.Args[p.Index]
			}
		}
	}
	return nil
}

// ends reports whether the exit taken at cond == end ends c whatever the arguments are: a
// counter with a step of one, which starts at a value that the arguments determine, stays
// below a bound that they determine, or differs from it, until then. A comparison that
// admits equality may step over the largest number and never end.
func (m *masks) ends(c *cfg.Cycle, back kernel.Edge, cond *kernel.Value, end bool) bool {
	if len(cond.Args) != 2 || !cond.Args[0].Type.IsInt() {
		return false
	}
	below, above := cond.Args[0], cond.Args[1]
	differs := false
	switch {
	case (cond.Op == alu.Slt || cond.Op == alu.Ult) && !end:
	case (cond.Op == alu.Sle || cond.Op == alu.Ule) && end:
		below, above = above, below
	case cond.Op == alu.Ne && !end, cond.Op == alu.Eq && end:
		differs = true
	default:
		return false
	}
	up, down := m.countsByOne(c, back, below), m.countsByOne(c, back, above)
	return argumentsDetermine(above) && (up == 1 || differs && up == -1) ||
		argumentsDetermine(below) && (down == -1 || differs && down == 1)
}

// countsByOne returns the step of v, 1 or -1, if v is a counter of c whose initial value
// the arguments determine, else 0.
func (m *masks) countsByOne(c *cfg.Cycle, back kernel.Edge, v *kernel.Value) int64 {
	for i, p := range m.K.Blocks[c.Header].Params {
		next := back.Args[i]
		if v != p && v != next || next.Op != alu.Add || next.Args[0] != p || !argumentsDetermine(m.initial(c, p)) {
			continue
		}
		if by := next.Args[1]; by.Op == kernel.Const {
			if n := by.Type.Signed(by.Const); n == 1 || n == -1 {
				return n
			}
		}
	}
	return 0
}

// argumentsDetermine reports whether v depends only on arguments and the range, so that it
// is defined even if no lane is active.
func argumentsDetermine(v *kernel.Value) bool { return argumentsDetermineIn(v, maxCounting) }

func argumentsDetermineIn(v *kernel.Value, steps int) bool {
	switch v.Op {
	case kernel.Const, kernel.Argument, kernel.GroupID, kernel.GlobalSize, kernel.LocalSize, kernel.NumGroups:
		return true
	}
	return steps > 0 && v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !argumentsDetermineIn(a, steps-1) })
}

// counter returns the parameter of head that v is computed from, together with constants
// only, in at most the given number of steps, or nil.
func counter(v *kernel.Value, head *kernel.Block, steps int) *kernel.Value {
	if v.Op == kernel.Param && v.Block == head {
		return v
	}
	if steps == 0 || v.Op == kernel.Const || !v.Op.Pure() {
		return nil
	}
	var p *kernel.Value
	for _, a := range v.Args {
		if a.Op == kernel.Const {
			continue
		}
		x := counter(a, head, steps-1)
		if x == nil || p != nil && x != p {
			return nil
		}
		p = x
	}
	return p
}

// evaluate computes v for p = x, where counter(v) is p.
func evaluate(v, p *kernel.Value, x uint64) uint64 {
	switch {
	case v == p:
		return x
	case v.Op == kernel.Const:
		return v.Const
	}
	var a [3]uint64
	for i, y := range v.Args {
		a[i] = evaluate(y, p, x)
	}
	return alu.Eval(v.Op, v.Type, v.Args[len(v.Args)-1].Type, a[0], a[1], a[2])
}
