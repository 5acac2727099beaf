package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Displace takes constants out of 32-bit subscripts: the address of a[i+1] is
// that of a[i] and a displacement. So accesses to neighbours share an address,
// and what they load may be loaded at once.
//
// The sum may wrap and its extension not; then one of both addresses is outside
// any object (kernel.MaxObject), and so is that of the access: only addresses
// that nothing but accesses use are changed.
//
// requires: nothing; maintains: everything
func Displace(f *kernel.Func, st Stats) {
	other := make([]bool, f.NumValues()) // has uses but as the address of an access
	use := func(v *kernel.Value) {
		if v.ID < len(other) {
			other[v.ID] = true
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if i > 0 || v.Op != kernel.Load && v.Op != kernel.Store {
					use(a)
				}
			}
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				use(a)
			}
		}
	}
	n := 0
	for _, b := range f.Blocks {
		var out []*kernel.Value
		for i, v := range b.Values {
			if v.Op == kernel.PtrAdd && !other[v.ID] && v.Type != alu.PtrPrivate {
				if made := displaced(f, b, v); made != nil {
					if out == nil {
						out = append(make([]*kernel.Value, 0, len(b.Values)+8), b.Values[:i]...)
					}
					out = append(out, made...)
					n++
				}
			}
			if out != nil {
				out = append(out, v)
			}
		}
		if out != nil {
			b.Values = out
		}
	}
	if n > 0 {
		st.Add("subscripts displaced", n)
		f.Renumber()
		RemoveDead(f, nil)
	}
}

// displaced makes the address v, p + sext(x+c)*s, what stands before it, the
// address p + sext(x)*s which it returns the operations of, and a displacement.
func displaced(f *kernel.Func, b *kernel.Block, v *kernel.Value) []*kernel.Value {
	scaled, scale := v.Args[1], int64(1)
	ext := scaled
	if (scaled.Op == alu.Shl || scaled.Op == alu.Mul) && scaled.Args[1].Op == kernel.Const {
		if scale = signed(scaled.Args[1]); scaled.Op == alu.Shl {
			if scale < 0 || scale > 20 {
				return nil
			}
			scale = 1 << scale
		}
		ext = scaled.Args[0]
	}
	if ext.Op != alu.SExt || ext.Args[0].Type != alu.I32 || scale <= 0 || scale > 1<<20 {
		return nil
	}
	sum := ext.Args[0]
	if sum.Op != alu.Add && sum.Op != alu.Sub || sum.Args[1].Op != kernel.Const || sum.Args[0].Op == kernel.Const {
		return nil
	}
	c := signed(sum.Args[1])
	if sum.Op == alu.Sub {
		c = -c
	}
	if !small(c) || !small(c*scale) {
		return nil
	}
	var made []*kernel.Value
	op := func(op kernel.Op, t kernel.Type, args ...*kernel.Value) *kernel.Value {
		x := b.NewValue(op, t, args...)
		x.Pos = v.Pos
		made = append(made, x)
		return x
	}
	x := op(alu.SExt, alu.I64, sum.Args[0])
	if scaled != ext {
		x = op(scaled.Op, alu.I64, x, scaled.Args[1])
	}
	p := op(kernel.PtrAdd, v.Type, v.Args[0], x)
	v.Args = []*kernel.Value{p, f.Const(alu.I64, uint64(c*scale))}
	return made
}
