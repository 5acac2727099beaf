package opt

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// DemandedBits removes masks of bits that no user reads. The low bits of sums,
// differences, products and left shifts depend only on the low bits of the operands: the
// second mask of (x >> 4 & 15) + y & 15 makes the first superfluous.
//
// The bits demanded of a value are those that any user demands (Warren, "Hacker's Delight",
// 2nd ed., section 2-1, has the dependences). Comparisons, stores, addresses and operations
// on floats demand all bits.
//
// requires: dense IDs; maintains: everything
func DemandedBits(f *kernel.Func, st Stats) {
	if !slices.ContainsFunc(f.Blocks, hasMask) {
		return
	}
	d := &demandAnalysis{demanded: make([]uint64, f.NumValues())}
	d.run(f)
	r := NewReplacer(f)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if x, c, ok := masked(v); ok && d.demanded[v.ID]&^c == 0 {
				r.Set(v, x)
			}
		}
	}
	if r.n > 0 {
		st.Add("undemanded masks removed", r.n)
		r.Apply(f)
		RemoveDead(f, nil)
	}
}

// masked matches x & c with a constant c.
func masked(v *kernel.Value) (x *kernel.Value, c uint64, ok bool) {
	if v.Op != alu.And || !v.Type.IsInt() || v.Args[1].Op != kernel.Const {
		return nil, 0, false
	}
	return v.Args[0], v.Args[1].Const, true
}

func hasMask(b *kernel.Block) bool {
	return slices.ContainsFunc(b.Values, func(v *kernel.Value) bool {
		_, _, ok := masked(v)
		return ok
	})
}

// demandAnalysis computes the demanded bits of each value.
type demandAnalysis struct {
	demanded []uint64 // by value ID
	work     []*kernel.Value
}

// demand adds to the demanded bits of v.
func (d *demandAnalysis) demand(v *kernel.Value, bits uint64) {
	if v.Op == kernel.Const || bits&^d.demanded[v.ID] == 0 {
		return
	}
	d.demanded[v.ID] |= bits
	d.work = append(d.work, v)
}

// run computes the demanded bits of all values from the effects and branches of f.
func (d *demandAnalysis) run(f *kernel.Func) {
	in := InEdges(f)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !v.Op.Pure() {
				for _, a := range v.Args {
					d.demand(a, ^uint64(0))
				}
			}
		}
		if b.Cond != nil {
			d.demand(b.Cond, ^uint64(0))
		}
	}
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		if v.Op == kernel.Param {
			for _, e := range in[v.Block.ID] {
				d.demand(e.Edge().Args[v.Index], d.demanded[v.ID])
			}
		} else if v.Op.Pure() {
			d.operands(v, d.demanded[v.ID])
		}
	}
}

// operands demands the bits of the operands that the demanded bits of v, which is pure,
// depend on.
func (d *demandAnalysis) operands(v *kernel.Value, demanded uint64) {
	if !v.Type.IsInt() {
		demanded = ^uint64(0)
	}
	demanded &= v.Type.Mask()
	below := uint64(1)<<bits.Len64(demanded) - 1 // the demanded bits and all lower ones
	width := uint64(v.Type.Bits())
	var by *kernel.Value // a constant operand
	if len(v.Args) == 2 && v.Args[1].Op == kernel.Const {
		by = v.Args[1]
	}
	switch v.Op {
	case alu.And:
		if by != nil {
			demanded &= by.Const
		}
	case alu.Or:
		if by != nil {
			demanded &^= by.Const
		}
	case alu.Xor, alu.Trunc:
	case alu.Add, alu.Sub, alu.Mul:
		demanded = below
	case alu.Shl:
		if by == nil || by.Const >= width {
			d.demand(v.Args[0], below)
			d.demand(v.Args[1], ^uint64(0))
			return
		}
		demanded >>= by.Const
	case alu.LShr:
		if by == nil || by.Const >= width {
			demanded = ^uint64(0)
			break
		}
		demanded <<= by.Const
	case alu.ZExt:
		demanded &= v.Args[0].Type.Mask()
	case alu.SExt:
		from := v.Args[0].Type.Mask()
		if demanded&^from != 0 {
			demanded |= from &^ (from >> 1)
		}
		demanded &= from
	case alu.Select:
		d.demand(v.Args[0], ^uint64(0))
		d.demand(v.Args[1], demanded)
		d.demand(v.Args[2], demanded)
		return
	default:
		demanded = ^uint64(0)
	}
	for _, a := range v.Args {
		d.demand(a, demanded)
	}
}
