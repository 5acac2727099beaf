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
)

// findRounds counts the rounds of the loops that lanes leave together and that
// end soon even if there are none: what no lane has computed may be anything, but
// they count by constants.
func (m *masks) findRounds() {
	m.rounds = make([]int, len(m.Loops.Cycles))
	for _, c := range m.Loops.Cycles {
		if !m.maskedHeader(c.Header) {
			m.rounds[c.ID] = m.countRounds(c)
		}
	}
}

// countRounds returns 0 for a loop that may not end soon.
func (m *masks) countRounds(c *cfg.Cycle) int {
	h := c.Header
	latch := m.K.Blocks[m.latch(h)]
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
	}
	return 0
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
	var first *kernel.Value
	for _, id := range m.G.Preds[head.ID] {
		if m.Loops.Contains(c, id) {
			continue
		}
		for _, e := range m.K.Blocks[id].Edges {
			if e.To == head {
				first = e.Args[p.Index]
			}
		}
	}
	next := back.Args[p.Index]
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
