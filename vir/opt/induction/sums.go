package induction

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// maxTerms bounds the terms of a sum that is split.
const maxTerms = 4

// term is a 32-bit number that is added or subtracted.
type term struct {
	x     *vir.Value
	minus bool
}

// sums splits the indices of addresses that are sums with a wide counter in
// them: what changes least often is added to the base first, so that all but the
// counter leaves the loop. A counter and the rest of an index do not wrap together, or the
// access would be outside of its object; what else is in the sum may do so among itself,
// as the difference of two unsigned positions does, and stays one number. So may the
// difference of a counter that starts far from zero and the rest: see fromStart.
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

// split makes v, if it is base + index and the index is such a sum, the last of
// several additions. It appends the others to out.
func (n *induction) split(b *vir.Block, v *vir.Value, out []*vir.Value) []*vir.Value {
	t := vir.Scalar(alu.I64)
	if v.Op != alu.Add || v.Type != t {
		return out
	}
	for k, s := range v.Args {
		base := v.Args[1-k]
		var scale *vir.Value // what multiplies or shifts the index
		if (s.Op == alu.Shl || s.Op == alu.Mul) && s.Args[1].Op == vir.Const {
			s, scale = s.Args[0], s
		}
		if s.Op != alu.SExt || s.ID >= len(n.uses) || !n.isIndex(s) {
			continue
		}
		terms := n.terms(s.Args[0], false, nil, b)
		if len(terms) < 2 || !n.splits(terms) {
			continue
		}
		place := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
			x := b.NewValue(op, t, args...)
			x.Pos = v.Pos
			out = append(out, x)
			return x
		}
		made := func(op vir.Op, args ...*vir.Value) *vir.Value { return place(op, t, args...) }
		if terms = n.together(terms, place); terms == nil {
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

// terms lists what v is the sum of, nil if something in it is neither 64 bits
// wide already nor becomes so outside of the innermost loop around b.
func (n *induction) terms(v *vir.Value, minus bool, list []term, b *vir.Block) []term {
	if (v.Op == alu.Add || v.Op == alu.Sub) && n.wide[v] == nil && !n.ready(v, b) {
		if list = n.terms(v.Args[0], minus, list, b); list == nil {
			return nil
		}
		return n.terms(v.Args[1], minus != (v.Op == alu.Sub), list, b)
	}
	if !n.ready(v, b) || len(list) == maxTerms {
		return nil
	}
	return append(list, term{v, minus})
}

// together makes one term of what may wrap among itself, and brings all into the order in
// which they are added; nil if they are to stay as they are.
func (n *induction) together(terms []term, place func(vir.Op, vir.Type, ...*vir.Value) *vir.Value) []term {
	slices.SortStableFunc(terms, func(x, y term) int { return n.depth(x.x) - n.depth(y.x) })
	var out, rest []term
	at := 0   // where the rest belongs
	far := -1 // in out: what starts anywhere
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
	// Two numbers far from zero may have a small difference, both being beyond what is signed.
	if far >= 0 && (out[far].minus || slices.ContainsFunc(rest, func(x term) bool { return x.minus })) {
		sum, ok := n.fromStart(out[far], rest)
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

// fromStart makes one term, of 64 bits, of all that is added to the number k, so that the
// sum is right where k starts, wherever that is: the extension of the sum there, less what
// k starts from. It fails if k starts in several places, or the rest is not known there.
func (n *induction) fromStart(k term, rest []term) (sum term, ok bool) {
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

// splits reports whether terms have a wide counter.
func (n *induction) splits(terms []term) bool {
	return slices.ContainsFunc(terms, func(t term) bool { return n.wide[t.x] != nil })
}

// ready reports whether x is 64 bits wide already or becomes so outside of the
// innermost loop around b.
func (n *induction) ready(x *vir.Value, b *vir.Block) bool {
	c := n.cycles.InnermostCycle(b.ID)
	return n.wide[x] != nil || c == nil || n.outside(x, c)
}

// depth is how many loops are around what computes x; constants come last, as
// displacements.
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
