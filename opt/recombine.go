package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/polynomial"
)

// maxTerms limits the terms of a recombined sum: products that are distributed over sums
// increase their number.
const maxTerms = 4

// Recombine undoes divisions: with y = i / w and x = i % w, (y+1)*w + x is i + w. Accesses to
// neighbours are thus recognized in images whose pixels are numbered along their rows: i has
// a stride between lanes, its quotients and remainders do not.
//
// requires: divisions as in the source, dense IDs; maintains: SSA
func Recombine(f *kernel.Func, st Stats) {
	if !slices.ContainsFunc(f.Blocks, func(b *kernel.Block) bool {
		return slices.ContainsFunc(b.Values, func(v *kernel.Value) bool { _, ok := divisionOf(v); return ok })
	}) {
		return
	}
	r := NewReplacer(f)
	for _, b := range f.Blocks {
		j := recombining{f: f, b: b}
		for _, v := range b.Values {
			if v.Op == alu.Add || v.Op == alu.Sub {
				if sum := j.sum(v); sum != nil {
					r.Set(v, sum)
				}
			}
			j.out = append(j.out, v)
		}
		b.Values = j.out
	}
	if st.Add("divisions recombined", r.n); r.n > 0 {
		r.Apply(f)
		RemoveDead(f, nil)
		f.Renumber()
	}
}

// divided is a quotient or remainder of x and d, or the low bits of one.
type divided struct {
	x, d   *kernel.Value
	signed bool
	rest   bool // the remainder
}

// divisionOf matches v.
func divisionOf(v *kernel.Value) (divided, bool) {
	if v.Op == alu.Trunc {
		v = v.Args[0]
	}
	if v.Op < alu.UDiv || v.Op > alu.SRem {
		return divided{}, false
	}
	return divided{
		x: v.Args[0], d: v.Args[1],
		signed: v.Op == alu.SDiv || v.Op == alu.SRem,
		rest:   v.Op == alu.URem || v.Op == alu.SRem,
	}, true
}

// recombining rewrites the values of a block.
type recombining struct {
	f   *kernel.Func
	b   *kernel.Block
	out []*kernel.Value
}

// sum computes v without a division that it undoes, or returns nil.
func (j *recombining) sum(v *kernel.Value) *kernel.Value {
	sum, t := polynomial.Of(v), v.Type
	whole := map[*kernel.Value]bool{} // the dividends, truncated to t if they are wider
	for i := 0; i < len(sum); i++ {
		rest := sum[i]
		if len(rest.Of) != 1 {
			continue
		}
		p, ok := divisionOf(rest.Of[0])
		if !ok || !p.rest {
			continue
		}
		at := slices.IndexFunc(sum, func(x polynomial.Term) bool { return p.multiple(x, rest.Factor, t) })
		if at < 0 {
			continue
		}
		without := slices.Clone(sum)
		without[i].Of, without[at].Factor = []*kernel.Value{p.x}, 0
		whole[p.x] = true
		sum, i = without.Plus(nil, t), -1
	}
	if len(whole) == 0 || len(sum) > maxTerms {
		return nil
	}
	op := func(op kernel.Op, args ...*kernel.Value) *kernel.Value {
		made := j.b.NewValue(op, t, args...)
		made.Pos = v.Pos
		j.out = append(j.out, made)
		return made
	}
	return sum.Make(t, j.f, func(o kernel.Op, x, y *kernel.Value) *kernel.Value { return op(o, x, y) }, func(x *kernel.Value) *kernel.Value {
		if x.Type != t {
			return op(alu.Trunc, x)
		}
		return x
	})
}

// multiple reports whether x, of type t, is factor times the divisor times the quotient
// that belongs to the remainder p.
func (p divided) multiple(x polynomial.Term, factor uint64, t alu.Type) bool {
	p.rest = false
	quotient := func(v *kernel.Value) bool { q, ok := divisionOf(v); return ok && q == p }
	switch len(x.Of) {
	case 1:
		return p.d.Op == kernel.Const && quotient(x.Of[0]) && x.Factor == factor*p.d.Const&t.Mask()
	case 2:
		a, b := x.Of[0], x.Of[1]
		return x.Factor == factor && (quotient(a) && p.divisor(b) || quotient(b) && p.divisor(a))
	}
	return false
}

// divisor reports whether v is the divisor, or its low bits.
func (p divided) divisor(v *kernel.Value) bool {
	return v == p.d || (p.d.Op == alu.SExt || p.d.Op == alu.ZExt) && p.d.Args[0] == v || v.Op == alu.Trunc && v.Args[0] == p.d
}
