package divergence

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// inRow bounds x - q*d, where q*d is a multiple of d that does not exceed x in the first
// lane. If x does not wrap and grows from lane to lane, the difference does not wrap and
// does not exceed x in any lane. Only the operands of v are examined.
func (a *analysis) inRow(v *kernel.Value, s Shape, b Bounds) (Shape, Bounds) {
	if v.Op != alu.Sub || s.Kind != Strided {
		return s, b
	}
	x := v.Args[0]
	from := a.Bounds[x.ID]
	if a.Shapes[x.ID].Kind != Strided || a.Shapes[x.ID].Stride < 0 || !from.ULinear || !from.Nonnegative() || !multipleBelow(v.Args[1], x, from.UHi) {
		return s, b
	}
	row := unsigned(v.Type, 0, from.UHi)
	row.ULinear, row.SLinear = true, true
	return s, row.refine(v.Type, s, a.opt.Width)
}

// multipleBelow reports whether m is a product q*d that does not exceed x in the first lane
// because q is the quotient of x by d there. x is in [0, limit].
func multipleBelow(m, x *kernel.Value, limit uint64) bool {
	first := func(v *kernel.Value) bool { return v.Op == kernel.FirstLane && v.Args[0] == x }
	by := m.Args
	switch {
	case m.Op == alu.Mul && (by[0].Op == alu.UDiv || by[0].Op == alu.SDiv):
		return by[0].Args[1] == by[1] && first(by[0].Args[0])
	case (m.Op != alu.Mul && m.Op != alu.Shl) || by[1].Op != kernel.Const || m.Type != alu.I32 && m.Type != alu.I64:
		return false
	}
	q, d := by[0], by[1].Const
	if m.Op == alu.Shl {
		if d >= uint64(m.Type.Bits())-1 {
			return false
		}
		d = 1 << d
	}
	shift := uint64(0)
	if (q.Op == alu.LShr || q.Op == alu.AShr) && q.Args[1].Op == kernel.Const {
		if shift = q.Args[1].Const; shift >= uint64(m.Type.Bits())-1 {
			return false
		}
		if q = q.Args[0]; first(q) {
			return d <= 1<<shift
		}
	}
	if q.Op != alu.UMulHi && q.Op != alu.SMulHi || q.Args[1].Op != kernel.Const || !first(q.Args[0]) || m.Type != alu.I32 {
		return false
	}
	// The multiplier is the reciprocal of d, rounded up by too little to change a quotient
	// (Granlund & Montgomery, PLDI 1994, theorem 4.2).
	c := q.Args[1].Const
	if q.Op == alu.SMulHi && c>>31 != 0 {
		return false
	}
	hi, lo := bits.Mul64(c*d-1<<(32+shift), limit)
	return hi == 0 && lo < 1<<(32+shift)
}
