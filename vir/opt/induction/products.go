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

// product is the value that indices in a loop depend on: a counter times an invariant factor,
// plus invariant terms.
type product struct {
	counter wideCounter
	from    analysis.InEdge // the only entry of the loop
	factor  *vir.Value
	rest    []*vir.Value
	indices []indexOf
}

// indexOf is the extension of a product, or of the product of the counter plus a constant.
type indexOf struct {
	v    *vir.Value
	more int64 // the index minus the product
}

// products finds products of a counter that are extended to indices. They become counters that
// are stepped by the factor:
//
//	sext(k*n + i)    j = sext(i), j + sext(n), ...
//	sext(k<<5 + i)   j = sext(i), j + 32, ...
//	sext(a + k<<5 + i)   j = sext(a + i), j + 32, ...
//
// As in sums, the terms of an address do not wrap together. The initial value is computed in 32
// bits, where it may wrap.
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
			m, rest := n.splitInvariant(v.Args[0], w.cycle)
			factor, ahead := n.matchProduct(m, w.k)
			if p.factor, p.rest = factor, rest; factor == nil || !n.isInvariant(factor, w.cycle) {
				continue
			}
			if factor.Op == vir.Const && (factor.Signed() < -analysis.MaxStep || factor.Signed() > analysis.MaxStep) {
				continue // a hash, which wraps
			}
			if factor.Op != vir.Const && !n.accessedEveryIteration(w.cycle, v) {
				continue // it may wrap, and be small again in the iterations that access memory
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

// splitInvariant splits the sum m into its varying part and the terms invariant in c.
func (n *induction) splitInvariant(m *vir.Value, c *cfg.Cycle) (changes *vir.Value, rest []*vir.Value) {
	for m.Op == alu.Add && len(rest) < maxTerms {
		switch {
		case n.isInvariant(m.Args[1], c):
			m, rest = m.Args[0], append(rest, m.Args[1])
		case n.isInvariant(m.Args[0], c):
			m, rest = m.Args[1], append(rest, m.Args[0])
		default:
			return m, rest
		}
	}
	return m, rest
}

// accessedEveryIteration reports whether every iteration accesses memory at an invariant base plus the index
// v: between iterations v then changes by no more than the size of an object.
func (n *induction) accessedEveryIteration(c *cfg.Cycle, v *vir.Value) bool {
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
			return base != nil && n.isInvariant(base, c) && accessed(u.By)
		}
		return u.By.Op == alu.Shl && u.By.Args[0] == v && n.accessedEveryIteration(c, u.By)
	})
}

// matchProduct matches m = factor * (k + ahead); factor is nil if m is no such product.
func (n *induction) matchProduct(m, k *vir.Value) (factor *vir.Value, ahead int64) {
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

// reduce adds the counter for p.
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
