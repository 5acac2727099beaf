package structurize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

const (
	// maxRounds is how many rounds a loop may make without lanes.
	maxRounds = 1024
	// maxCounting bounds the operations of what a loop counts by.
	maxCounting = 4
	// argued is the number of rounds of a loop that counts to what the arguments
	// tell.
	argued = -1
)

// findRounds counts the rounds of the loops that lanes leave together and that
// end even if there are none: what no lane has computed may be anything, but they
// count by constants, and end soon, or by one to what the arguments tell, which
// may take as long as with lanes.
func (m *masks) findRounds() {
	m.rounds = make([]int, len(m.Loops.Cycles))
	for _, c := range m.Loops.Cycles {
		if !m.maskedHeader(c.Header) {
			m.rounds[c.ID] = m.countRounds(c)
		}
	}
}

// knownRounds lists the numbers of rounds that are constants, by header.
func (m *masks) knownRounds() map[*kernel.Block]int {
	out := map[*kernel.Block]int{}
	for _, c := range m.Loops.Cycles {
		if n := m.rounds[c.ID]; n > 0 {
			out[m.K.Blocks[c.Header]] = n
		}
	}
	return out
}

// countRounds returns 0 for a loop that may not end.
func (m *masks) countRounds(c *cfg.Cycle) int {
	h := c.Header
	latch := m.K.Blocks[m.latch(h)]
	rounds := 0
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
			rounds = argued
		}
	}
	return rounds
}

// until returns in which round cond is what it is at the end of c: it starts from
// a constant and depends on one parameter of the header alone. It returns 0 where
// it does not, or that is not soon.
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
	for n := 1; n <= maxRounds; n++ {
		if evaluate(cond, p, x) == 1 == end {
			return n
		}
		x = evaluate(next, p, x)
	}
	return 0
}

// initial returns what p, a parameter of the header, is in the first round.
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

// ends reports whether c is left by cond == end however large the arguments are:
// while it is not, what is counted by one, from where the arguments tell, lies
// before a bound that they tell, or apart from it. What may be equal to the bound
// may count past it and never end.
func (m *masks) ends(c *cfg.Cycle, back kernel.Edge, cond *kernel.Value, end bool) bool {
	if len(cond.Args) != 2 || !cond.Args[0].Type.IsInt() {
		return false
	}
	below, above := cond.Args[0], cond.Args[1]
	apart := false
	switch {
	case (cond.Op == alu.Slt || cond.Op == alu.Ult) && !end:
	case (cond.Op == alu.Sle || cond.Op == alu.Ule) && end:
		below, above = above, below
	case cond.Op == alu.Ne && !end, cond.Op == alu.Eq && end:
		apart = true
	default:
		return false
	}
	up, down := m.countsByOne(c, back, below), m.countsByOne(c, back, above)
	return told(above) && (up == 1 || apart && up == -1) || told(below) && (down == -1 || apart && down == 1)
}

// countsByOne returns 1 or -1 if that is added to v in each round of c, from where
// the arguments tell, else 0.
func (m *masks) countsByOne(c *cfg.Cycle, back kernel.Edge, v *kernel.Value) int64 {
	for i, p := range m.K.Blocks[c.Header].Params {
		next := back.Args[i]
		if v != p && v != next || next.Op != alu.Add || next.Args[0] != p || !told(m.initial(c, p)) {
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

// told reports whether the arguments and the range tell what v is, whether there
// are lanes or not.
func told(v *kernel.Value) bool { return toldBy(v, maxCounting) }

func toldBy(v *kernel.Value, steps int) bool {
	switch v.Op {
	case kernel.Const, kernel.Argument, kernel.GroupID, kernel.GlobalSize, kernel.LocalSize, kernel.NumGroups:
		return true
	}
	return steps > 0 && v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !toldBy(a, steps-1) })
}

// counter returns the one parameter of head that v is computed from, with
// constants, in so many steps, nil if there is none or something else.
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

// evaluate computes v, for which p is a counter, where that is x.
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
