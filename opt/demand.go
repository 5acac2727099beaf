package opt

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Demand removes masks of bits that nobody asks for. The low bits of sums,
// differences, products and left shifts depend on those of the operands alone, so
// that of (x >> 4 & 15) + y & 15 the second mask does.
//
// What is asked of a value is what its users ask of it (Warren, "Hacker's Delight",
// 2nd ed., section 2-1, has what depends on what); of what is compared, stored,
// an address or a float's, it is all.
//
// requires: dense IDs; maintains: everything
func Demand(f *kernel.Func, st Stats) {
	if !slices.ContainsFunc(f.Blocks, hasMask) {
		return
	}
	d := &demanding{asked: make([]uint64, f.NumValues())}
	d.all(f)
	r := NewReplacer(f)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if x, c, ok := masked(v); ok && d.asked[v.ID]&^c == 0 {
				r.Set(v, x)
			}
		}
	}
	if r.n > 0 {
		st.Add("masks nobody asks for", r.n)
		r.Apply(f)
		RemoveDead(f, nil)
	}
}

// masked takes x & c apart.
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

// demanding knows the bits of each value that are asked for.
type demanding struct {
	asked []uint64 // by value ID
	work  []*kernel.Value
}

// ask asks for bits of v.
func (d *demanding) ask(v *kernel.Value, bits uint64) {
	if v.Op == kernel.Const || bits&^d.asked[v.ID] == 0 {
		return
	}
	d.asked[v.ID] |= bits
	d.work = append(d.work, v)
}

// all asks for what f needs in any case, and for what that needs.
func (d *demanding) all(f *kernel.Func) {
	in := InEdges(f)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if !v.Op.Pure() {
				for _, a := range v.Args {
					d.ask(a, ^uint64(0))
				}
			}
		}
		if b.Cond != nil {
			d.ask(b.Cond, ^uint64(0))
		}
	}
	for len(d.work) > 0 {
		v := d.work[len(d.work)-1]
		d.work = d.work[:len(d.work)-1]
		if v.Op == kernel.Param {
			for _, e := range in[v.Block.ID] {
				d.ask(e.Edge().Args[v.Index], d.asked[v.ID])
			}
		} else if v.Op.Pure() {
			d.operands(v, d.asked[v.ID])
		}
	}
}

// operands asks for what bits of the pure v depend on.
func (d *demanding) operands(v *kernel.Value, asked uint64) {
	if !v.Type.IsInt() {
		asked = ^uint64(0)
	}
	asked &= v.Type.Mask()
	below := uint64(1)<<bits.Len64(asked) - 1 // a bit and those below it
	width := uint64(v.Type.Bits())
	var by *kernel.Value // a constant operand
	if len(v.Args) == 2 && v.Args[1].Op == kernel.Const {
		by = v.Args[1]
	}
	switch v.Op {
	case alu.And:
		if by != nil {
			asked &= by.Const
		}
	case alu.Or:
		if by != nil {
			asked &^= by.Const
		}
	case alu.Xor, alu.Trunc:
	case alu.Add, alu.Sub, alu.Mul:
		asked = below
	case alu.Shl:
		if by == nil || by.Const >= width {
			d.ask(v.Args[0], below)
			d.ask(v.Args[1], ^uint64(0))
			return
		}
		asked >>= by.Const
	case alu.LShr:
		if by == nil || by.Const >= width {
			asked = ^uint64(0)
			break
		}
		asked <<= by.Const
	case alu.ZExt:
		asked &= v.Args[0].Type.Mask()
	case alu.SExt:
		from := v.Args[0].Type.Mask()
		if asked&^from != 0 {
			asked |= from &^ (from >> 1)
		}
		asked &= from
	case alu.Select:
		d.ask(v.Args[0], ^uint64(0))
		d.ask(v.Args[1], asked)
		d.ask(v.Args[2], asked)
		return
	default:
		asked = ^uint64(0)
	}
	for _, a := range v.Args {
		d.ask(a, asked)
	}
}
