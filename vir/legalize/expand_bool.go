package legalize

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// not inverts a mask or an i1.
func (l *legalizer) not(x *vir.Value) *vir.Value {
	return l.make(alu.Xor, x.Type, x, l.constant(x.Type, 1))
}

func eqMask(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if args[0].Type.Elem != alu.I1 {
		return nil
	}
	return l.not(l.make(alu.Xor, t, args[0], args[1]))
}

func neMask(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if args[0].Type.Elem != alu.I1 {
		return nil
	}
	return l.make(alu.Xor, t, args[0], args[1])
}

// negated uses the opposite comparison, with exchanged operands if swap, and negates the
// result. It applies if the target has that comparison.
func negated(op vir.Op, swap bool) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		a, b := args[0], args[1]
		if !l.hasOn(op, a.Type, alu.I1) {
			return nil
		}
		if swap {
			a, b = b, a
		}
		return l.not(l.make(op, t, a, b))
	}
}

// flipSigns compares unsigned numbers as signed ones after inverting their sign bits.
func flipSigns(op vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		u := args[0].Type
		if u.Lanes == 1 || !l.hasOn(alu.Slt, u, alu.I1) && !l.hasOn(alu.Sle, u, alu.I1) {
			return nil
		}
		sign := l.constant(u, 1<<(u.Elem.Bits()-1))
		return l.make(op, t, l.make(alu.Xor, u, args[0], sign), l.make(alu.Xor, u, args[1], sign))
	}
}

// selectMask selects between masks with logic operations.
func selectMask(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if t.Elem != alu.I1 {
		return nil
	}
	c, a, b := args[0], args[1], args[2]
	return l.make(alu.Or, t, l.make(alu.And, t, c, a), l.make(alu.And, t, b, l.not(c)))
}

// selectBits selects with the mask extended to all bits of each lane.
func selectBits(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	u := t.With(alu.IntOf(t.Elem.Bits()))
	if t.Lanes == 1 || !l.hasOn(alu.SExt, args[0].Type, u.Elem) {
		return nil
	}
	a, b := args[1], args[2]
	if u != t {
		if !l.hasOn(alu.Bitcast, t, u.Elem) || !l.hasOn(alu.Bitcast, u, t.Elem) {
			return nil
		}
		a, b = l.make(alu.Bitcast, u, a), l.make(alu.Bitcast, u, b)
	}
	m := l.make(alu.SExt, u, args[0])
	x := l.make(alu.Xor, u, b, l.make(alu.And, u, m, l.make(alu.Xor, u, a, b)))
	if u != t {
		x = l.make(alu.Bitcast, t, x)
	}
	return x
}

func truncMask(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if t.Elem != alu.I1 {
		return nil
	}
	u := args[0].Type
	return l.make(alu.Ne, t, l.make(alu.And, u, args[0], l.constant(u, 1)), l.constant(u, 0))
}

// extendMask selects between yes and 0.
func extendMask(yes int64) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if args[0].Type.Elem != alu.I1 {
			return nil
		}
		if l.hasOn(alu.Select, t, t.Elem) {
			return l.make(alu.Select, t, args[0], l.constant(t, uint64(yes)), l.constant(t, 0))
		}
		if yes == 1 && l.hasOn(alu.SExt, args[0].Type, t.Elem) {
			return l.make(alu.And, t, l.make(alu.SExt, t, args[0]), l.constant(t, 1))
		}
		return nil
	}
}

// stepwise converts integers in steps, through the size next to the smaller one.
func stepwise(op vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		small, large := args[0].Type, t
		if op == alu.Trunc {
			small, large = t, args[0].Type
		}
		if small.Elem == alu.I1 || large.Elem.Bits() <= 2*small.Elem.Bits() {
			return nil
		}
		mid := double(small)
		if !l.hasOn(op, args[0].Type, mid.Elem) || !l.hasOn(op, mid, t.Elem) {
			return nil
		}
		return l.make(op, t, l.make(op, mid, args[0]))
	}
}

// splatMask compares the condition, replicated as a number, with 0.
func (l *legalizer) splatMask(t vir.Type, x *vir.Value) *vir.Value {
	u := t.With(alu.I32)
	wide := l.make(vir.Splat, u, l.make(alu.ZExt, vir.Scalar(alu.I32), x))
	return l.resized(l.make(alu.Ne, t, wide, l.constant(u, 0)), t.LaneBits())
}

// prefix compares lane numbers with n-index, clamped to the range from 0 to the number of
// lanes.
func (l *legalizer) prefix(t vir.Type, n *vir.Value, index int) *vir.Value {
	s := vir.Scalar(alu.I64)
	left := n
	if index != 0 {
		left = l.make(alu.Sub, s, n, l.constant(s, uint64(index)))
	}
	// n-index overflows only if n is close to the smallest number.
	left = l.make(alu.Select, s, l.make(alu.Slt, vir.Scalar(alu.I1), l.constant(s, uint64(index)), n), left, l.constant(s, 0))
	left = l.make(alu.SMin, s, left, l.constant(s, uint64(t.Lanes)))
	elem := alu.I32
	if t.MaskBits > 0 && t.Lanes < 128 { // the numbers fit bytes
		elem = alu.IntOf(t.LaneBits())
	}
	u := t.With(elem)
	if elem != alu.I64 {
		left = l.make(alu.Trunc, vir.Scalar(elem), left)
	}
	wide := l.make(vir.Splat, u, left)
	return l.resized(l.make(alu.Slt, t, l.make(vir.Iota, u), wide), t.LaneBits())
}
