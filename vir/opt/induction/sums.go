package induction

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// maxTerms bounds the terms of a sum.
const maxTerms = 4

// term is a 32-bit term of a sum.
type term struct {
	x     *vir.Value
	minus bool
}

// sums splits indices that are sums with a wide counter: invariant terms are added to the base
// first, so that the loop keeps only the counter. A counter and the other terms do not wrap
// together, since the access would be outside of its object. The other terms may wrap among
// themselves, like the difference of two unsigned positions, and stay one value. So may the
// difference of a counter that starts far from zero and the other terms: see mergeAtStart.
func (n *induction) sums() {
	n.f.Renumber()
	n.uses = analysis.UsesOf(n.f)
	for _, b := range n.f.Blocks {
		var out []*vir.Value
		for _, v := range b.Values {
			out = n.split(b, v, out)
			out = append(out, v)
		}
		b.Values = out
	}
}

// split rewrites v = base + index, if the index is such a sum, to the last of several additions,
// and appends the others to out.
func (n *induction) split(b *vir.Block, v *vir.Value, out []*vir.Value) []*vir.Value {
	t := vir.Scalar(alu.I64)
	if v.Op != alu.Add || v.Type != t {
		return out
	}
	for k, s := range v.Args {
		base := v.Args[1-k]
		var scale *vir.Value // multiplies or shifts the index
		if (s.Op == alu.Shl || s.Op == alu.Mul) && s.Args[1].Op == vir.Const {
			s, scale = s.Args[0], s
		}
		if s.Op != alu.SExt || s.ID >= len(n.uses) || !n.isIndex(s) {
			continue
		}
		terms := n.terms(s.Args[0], false, nil, b)
		if len(terms) < 2 || !n.hasWideCounter(terms) {
			continue
		}
		place := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
			x := b.NewValue(op, t, args...)
			x.Pos = v.Pos
			out = append(out, x)
			return x
		}
		made := func(op vir.Op, args ...*vir.Value) *vir.Value { return place(op, t, args...) }
		if terms = n.mergeTerms(terms, place); terms == nil {
			continue
		}
		for i, x := range terms {
			wide := n.wide[x.x]
			switch {
			case wide != nil:
			case x.x.Type == t:
				wide = x.x
			case x.x.Op == vir.Const:
				wide = n.f.Const(t, uint64(x.x.Signed()))
			default:
				wide = made(alu.SExt, x.x)
			}
			if scale != nil {
				if wide.Op == vir.Const {
					wide = n.f.Const(t, alu.Eval(scale.Op, alu.I64, alu.I64, wide.Const, scale.Args[1].Const, 0))
				} else {
					wide = made(scale.Op, wide, scale.Args[1])
				}
			}
			op := alu.Add
			if x.minus {
				op = alu.Sub
			}
			if i == len(terms)-1 {
				v.Op, v.Args = op, []*vir.Value{base, wide}
			} else {
				base = made(op, base, wide)
			}
		}
		return out
	}
	return out
}

// terms lists the terms of v, nil if one is neither wide nor invariant in the innermost loop
// around b.
func (n *induction) terms(v *vir.Value, minus bool, list []term, b *vir.Block) []term {
	if (v.Op == alu.Add || v.Op == alu.Sub) && n.wide[v] == nil && !n.isWideOrInvariant(v, b) {
		if list = n.terms(v.Args[0], minus, list, b); list == nil {
			return nil
		}
		return n.terms(v.Args[1], minus != (v.Op == alu.Sub), list, b)
	}
	if !n.isWideOrInvariant(v, b) || len(list) == maxTerms {
		return nil
	}
	return append(list, term{v, minus})
}

// mergeTerms merges terms that may wrap among themselves, and sorts the terms into the order of
// addition; nil if the sum must stay unchanged.
func (n *induction) mergeTerms(terms []term, place func(vir.Op, vir.Type, ...*vir.Value) *vir.Value) []term {
	slices.SortStableFunc(terms, func(x, y term) int { return n.depth(x.x) - n.depth(y.x) })
	var out, rest []term
	at := 0   // position of the merged terms
	far := -1 // in out: the term that may start far from zero
	for _, x := range terms {
		wide := n.wide[x.x]
		switch {
		case n.starts[wide] != nil:
			if far >= 0 {
				return nil
			}
			far = len(out)
			out = append(out, x)
		case wide != nil || analysis.IsSmall(x.x):
			out = append(out, x)
		default:
			at = len(out)
			rest = append(rest, x)
		}
	}
	if rest == nil {
		return out
	}
	// Two values beyond the signed range may have a small difference.
	if far >= 0 && (out[far].minus || slices.ContainsFunc(rest, func(x term) bool { return x.minus })) {
		sum, ok := n.mergeAtStart(out[far], rest)
		if !ok {
			return nil
		}
		return slices.Insert(out, 0, sum)
	}
	sum := rest[0]
	for _, x := range rest[1:] {
		switch {
		case sum.minus == x.minus:
			sum.x = place(alu.Add, x.x.Type, sum.x, x.x)
		case sum.minus:
			sum = term{place(alu.Sub, x.x.Type, x.x, sum.x), false}
		default:
			sum.x = place(alu.Sub, x.x.Type, sum.x, x.x)
		}
	}
	return slices.Insert(out, at, sum)
}

// mergeAtStart merges the terms that are added to the counter k into one 64-bit term that is exact
// at k's initial value: the extension of the sum there, minus the initial value. It fails if k
// has several initial values, or a term is not available there.
func (n *induction) mergeAtStart(k term, rest []term) (sum term, ok bool) {
	starts := n.starts[n.wide[k.x]]
	if len(starts) != 1 || starts[0].edge.From == nil {
		return term{}, false
	}
	start, b := starts[0].x, starts[0].edge.From
	if low := n.narrow[start]; low != nil {
		start = low
	}
	for _, x := range rest {
		if x.x.Op != vir.Const && !n.dom.Dominates(x.x.Block.ID, b.ID) {
			return term{}, false
		}
	}
	t, low := vir.Scalar(alu.I64), vir.Scalar(alu.I32)
	op := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
		v := b.Append(op, t, args...)
		v.Pos = k.x.Pos
		return v
	}
	first, less := start, vir.Op(alu.Sub)
	if k.minus {
		first, less = op(alu.Sub, low, n.f.Const(low, 0), start), alu.Add
	}
	for _, x := range rest {
		add := vir.Op(alu.Add)
		if x.minus {
			add = alu.Sub
		}
		first = op(add, low, first, x.x)
	}
	return term{op(less, t, op(alu.SExt, t, first), n.extend(b, start)), false}, true
}

// hasWideCounter reports whether terms contain a wide counter.
func (n *induction) hasWideCounter(terms []term) bool {
	return slices.ContainsFunc(terms, func(t term) bool { return n.wide[t.x] != nil })
}

// isWideOrInvariant reports whether x is wide, or invariant in the innermost loop around b.
func (n *induction) isWideOrInvariant(x *vir.Value, b *vir.Block) bool {
	c := n.cycles.InnermostCycle(b.ID)
	return n.wide[x] != nil || c == nil || n.isInvariant(x, c)
}

// depth returns the loop depth of x's definition. Constants are last: they become displacements.
func (n *induction) depth(x *vir.Value) int {
	if x.Op == vir.Const {
		return 1 << 30
	}
	d := 0
	for c := n.cycles.InnermostCycle(x.Block.ID); c != nil; c = c.Parent {
		d++
	}
	return d
}
