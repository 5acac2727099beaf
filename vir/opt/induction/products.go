package induction

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// maxReduced bounds the products of one loop that become counters.
const maxReduced = 3

// product is what indices of addresses in a loop are computed from: a counter
// times what stays, and what stays added to it.
type product struct {
	counter wideCounter
	from    analysis.InEdge // the only way into the loop
	factor  *vir.Value
	rest    []*vir.Value
	indices []indexOf
}

// indexOf is the extension of a product, or of one of the counter some rounds on.
type indexOf struct {
	v    *vir.Value
	more int64 // what it is more than the product
}

// products finds the products of a counter that extend to indices: these are
// counters themselves, in steps of the factor.
//
//	sext(k*n + i)    j = sext(i), j + sext(n), ...
//	sext(k<<5 + i)   j = sext(i), j + 32, ...
//	sext(a + k<<5 + i)   j = sext(a + i), j + 32, ...
//
// As in sums, the numbers of an address do not wrap together; what the counters start
// with is computed in 32 bits, where it may.
func (n *induction) products(w wideCounter) []product {
	if len(w.starts) != 1 {
		return nil
	}
	var found []product
	for _, id := range w.cycle.Blocks {
		for _, v := range n.f.Blocks[id].Values {
			if v.Op != alu.SExt || !n.isIndex(v) {
				continue
			}
			p := product{counter: w, from: w.starts[0].edge}
			m, rest := n.withoutStaying(v.Args[0], w.cycle)
			factor, ahead := n.factor(m, w.k)
			if p.factor, p.rest = factor, rest; factor == nil || !n.outside(factor, w.cycle) {
				continue
			}
			if factor.Op == vir.Const && (factor.Signed() < -analysis.MaxStep || factor.Signed() > analysis.MaxStep) {
				continue // as hashes have it, which do wrap
			}
			if factor.Op != vir.Const && !n.everyRound(w.cycle, v) {
				continue // so may this one, and be a small product again in the rounds that access it
			}
			x := indexOf{v, 0}
			if ahead != 0 {
				if factor.Op != vir.Const {
					continue
				}
				x.more = ahead * factor.Signed()
			}
			known := false
			for i := range found {
				if q := &found[i]; q.factor == p.factor && slices.Equal(q.rest, p.rest) {
					q.indices = append(q.indices, x)
					known = true
				}
			}
			if !known && len(found) < maxReduced {
				p.indices = append(p.indices, x)
				found = append(found, p)
			}
		}
	}
	return found
}

// withoutStaying splits the sum m into what changes in c and the terms that stay.
func (n *induction) withoutStaying(m *vir.Value, c *cfg.Cycle) (changes *vir.Value, rest []*vir.Value) {
	for m.Op == alu.Add && len(rest) < maxTerms {
		switch {
		case n.outside(m.Args[1], c):
			m, rest = m.Args[0], append(rest, m.Args[1])
		case n.outside(m.Args[0], c):
			m, rest = m.Args[1], append(rest, m.Args[0])
		default:
			return m, rest
		}
	}
	return m, rest
}

// everyRound reports whether memory is accessed each time round at the index v from what
// stays: from one round to the next it goes no farther than objects are large.
func (n *induction) everyRound(c *cfg.Cycle, v *vir.Value) bool {
	accessed := func(address *vir.Value) bool {
		return slices.ContainsFunc(n.uses[address.ID], func(u analysis.Use) bool {
			return u.By != nil && accessesAt(u.By) && u.By.Args[0] == address &&
				!slices.ContainsFunc(c.Latches, func(l int) bool { return !n.dom.Dominates(u.By.Block.ID, l) })
		})
	}
	return slices.ContainsFunc(n.uses[v.ID], func(u analysis.Use) bool {
		switch {
		case u.By == nil:
			return false
		case u.By.Op == alu.Add:
			base := analysis.Other(u.By, alu.Add, v)
			return base != nil && n.outside(base, c) && accessed(u.By)
		}
		return u.By.Op == alu.Shl && u.By.Args[0] == v && n.everyRound(c, u.By)
	})
}

// factor is what m is k times, or the sum of k and a number; nil if m is no product
// of it.
func (n *induction) factor(m, k *vir.Value) (factor *vir.Value, ahead int64) {
	if m.Op != alu.Mul && m.Op != alu.Shl {
		return nil, 0
	}
	for i, x := range m.Args {
		ahead := int64(0)
		if y, by := step(x); y == k && by.Op == vir.Const {
			x, ahead = y, by.Signed()
		}
		switch c := m.Args[1-i]; {
		case x != k:
		case m.Op == alu.Mul:
			return c, ahead
		case i == 0 && c.Op == vir.Const && c.Const < 31:
			return n.f.Const(m.Type, 1<<c.Const), ahead
		}
	}
	return nil, 0
}

// reduce makes the counter of p.
func (n *induction) reduce(p product) {
	t, low := vir.Scalar(alu.I64), vir.Scalar(alu.I32)
	b, h := p.from.From, p.counter.k.Block
	op := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
		v := b.Append(op, t, args...)
		v.Pos = p.indices[0].v.Pos
		return v
	}
	factor := n.extend(b, p.factor)
	step := factor
	if p.counter.step != 1 {
		step = op(alu.Mul, t, factor, n.f.Const(t, uint64(p.counter.step)))
	}
	first := op(alu.Mul, low, p.factor, p.from.Edge().Args[p.counter.k.Index])
	for _, x := range p.rest {
		first = op(alu.Add, low, first, x)
	}
	first = op(alu.SExt, t, first)
	q := h.NewParam(t, p.counter.k.Name)
	next := map[*vir.Value]*vir.Value{}
	for _, x := range p.counter.next {
		v := x.Block.NewValue(alu.Add, t, q, step)
		v.Pos = x.Pos
		x.Block.Values = insertAfter(x.Block.Values, x, v)
		next[x] = v
	}
	for _, e := range n.in[h.ID] {
		a := first
		if n.cycles.Contains(p.counter.cycle, e.From.ID) {
			a = next[e.Edge().Args[p.counter.k.Index]]
		}
		e.Edge().Args = append(e.Edge().Args, a)
	}
	for _, x := range p.indices {
		n.reduced[x.v] = q
		if x.more != 0 {
			v := x.v.Block.NewValue(alu.Add, t, q, n.f.Const(t, uint64(x.more)))
			v.Pos = x.v.Pos
			x.v.Block.Values = insertAfter(x.v.Block.Values, x.v, v)
			n.reduced[x.v] = v
		}
	}
}
