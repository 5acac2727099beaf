package legalize

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Integer division has no vector instruction and is done in floating point. If the
// operands have at most half the precision of the mantissa, the rounded quotient never
// reaches the next integer: for |a|, b < 2^k, the relative distance of a/b from any
// integer n is at least 2^-k, and that of rounding is 2^-24 or 2^-53.

// safeDivisor replaces the divisor 0 by 1.
func (l *legalizer) safeDivisor(b *vir.Value) *vir.Value {
	if b.Op == vir.Const {
		return l.constant(b.Type, max(b.Const, 1))
	}
	zero := l.make(alu.Eq, b.Type.With(alu.I1), b, l.constant(b.Type, 0))
	return l.make(alu.Select, b.Type, zero, l.constant(b.Type, 1), b)
}

// quotient divides in floating point and truncates to integers of type w. A constant
// divisor becomes a multiplication by its reciprocal, rounded away from zero so that
// exact quotients are reached.
func (l *legalizer) quotient(a, b *vir.Value, f alu.Type, w vir.Type, signed bool) *vir.Value {
	from, to := alu.UIToFP, alu.FPToUI
	if signed {
		from, to = alu.SIToFP, alu.FPToSI
	}
	ft := w.With(f)
	x, y := l.make(from, ft, a), l.make(from, ft, b)
	if y.Op == vir.Const {
		if f == alu.F32 {
			r := 1 / math.Float32frombits(uint32(y.Const))
			y = l.constant(ft, uint64(math.Float32bits(r)+1)) // one unit in the last place up covers the rounding
		} else {
			r := 1 / math.Float64frombits(y.Const)
			y = l.constant(ft, math.Float64bits(r)+1)
		}
		return l.make(to, w, l.make(alu.FMul, ft, x, y))
	}
	return l.make(to, w, l.make(alu.FDiv, ft, x, y))
}

// divSmall divides 8 and 16 bits in single precision.
func divSmall(signed bool) expansion {
	extend := alu.ZExt
	if signed {
		extend = alu.SExt
	}
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		w := t.With(alu.I32)
		if t.Elem.Bits() > 16 || !l.hasOn(alu.FDiv, t.With(alu.F32), alu.F32) || !l.hasOn(alu.SIToFP, w, alu.F32) {
			return nil
		}
		a, b := args[0], l.safeDivisor(args[1])
		// After extension, operands of either signedness fit in signed 32 bits.
		q := l.quotient(l.make(extend, w, a), l.make(extend, w, b), alu.F32, w, true)
		return l.make(alu.Trunc, t, q)
	}
}

// div32 divides 32 bits in double precision. The only quotient out of range, MIN/-1,
// converts to MIN as required.
func div32(signed bool) expansion {
	from := alu.UIToFP
	if signed {
		from = alu.SIToFP
	}
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if t.Elem != alu.I32 || !l.hasOn(alu.FDiv, t.With(alu.F64), alu.F64) || !l.hasOn(from, t, alu.F64) && !l.hasOn(alu.SIToFP, t, alu.F64) {
			return nil
		}
		return l.quotient(args[0], l.safeDivisor(args[1]), alu.F64, t, signed)
	}
}

// remainder computes a - a/b*b.
func remainder(div vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if t.Lanes == 1 {
			return nil
		}
		wide := t.Elem == alu.I64 && !l.hasOn(alu.SIToFP, t, alu.F64)
		if wide || t.Elem != alu.I64 && !l.hasOn(alu.FDiv, t.With(alu.F32), alu.F32) {
			return nil // a scalar remainder per lane is better
		}
		b := l.safeDivisor(args[1])
		return l.make(alu.Sub, t, args[0], l.make(alu.Mul, t, l.make(div, t, args[0], b), b))
	}
}

// positive64 divides 0 <= a < 2^63 by 0 < b < 2^63. The first quotient, in double
// precision, has a relative error below 2^-50; the remainder is then between -2^13 and b
// + 2^13, so the second quotient, of the remainder, is off by at most 1.
func (l *legalizer) positive64(a, b *vir.Value) *vir.Value {
	t := a.Type
	f, m := t.With(alu.F64), t.With(alu.I1)
	one := l.constant(f, math.Float64bits(1))
	inverse := l.make(alu.FDiv, f, one, l.make(alu.SIToFP, f, b))
	step := func(r *vir.Value) (q, rest *vir.Value) {
		q = l.make(alu.FPToSI, t, l.make(alu.FMul, f, l.make(alu.SIToFP, f, r), inverse))
		return q, l.make(alu.Sub, t, r, l.make(alu.Mul, t, q, b))
	}
	q, r := step(a)
	more, r := step(r)
	q = l.make(alu.Add, t, q, more)
	unit := l.constant(t, 1)
	tooLarge := l.make(alu.Slt, m, r, l.constant(t, 0))
	q = l.make(alu.Select, t, tooLarge, l.make(alu.Sub, t, q, unit), q)
	tooSmall := l.make(alu.Sle, m, b, r)
	return l.make(alu.Select, t, tooSmall, l.make(alu.Add, t, q, unit), q)
}

func (l *legalizer) divides64(t vir.Type) bool {
	return t.Elem == alu.I64 && t.Lanes > 1 && l.hasOn(alu.SIToFP, t, alu.F64) && l.hasOn(alu.FPToSI, t.With(alu.F64), alu.I64) &&
		l.hasOn(alu.FDiv, t.With(alu.F64), alu.F64) && l.hasOn(alu.Mul, t, t.Elem)
}

// unsigned64 divides a/2, doubles the quotient and corrects it for the lost bit (Warren,
// "Hacker's Delight", 9-3). For a divisor of 2^63 or more the quotient is 0 or 1.
func unsigned64(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if !l.divides64(t) {
		return nil
	}
	a, b := args[0], l.safeDivisor(args[1])
	m, one := t.With(alu.I1), l.constant(t, 1)
	small := l.make(alu.And, t, b, l.constant(t, 1<<63-1))
	if b.Op != vir.Const {
		small = l.safeDivisor(small) // unused if b is 2^63 or more
	}
	q := l.make(alu.Shl, t, l.positive64(l.make(alu.LShr, t, a, one), small), one)
	large := l.make(alu.Slt, m, b, l.constant(t, 0))
	q = l.make(alu.Select, t, large, l.constant(t, 0), q)
	r := l.make(alu.Sub, t, a, l.make(alu.Mul, t, q, b))
	again := l.make(alu.Ule, m, b, r)
	return l.make(alu.Select, t, again, l.make(alu.Add, t, q, one), q)
}

// signed64 divides magnitudes. MIN is its own magnitude: as a dividend it is 2^63 and
// needs the unsigned division.
func signed64(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if !l.divides64(t) {
		return nil
	}
	a, b := args[0], l.safeDivisor(args[1])
	q := l.make(alu.UDiv, t, l.make(alu.Abs, t, a), l.make(alu.Abs, t, b))
	sign := l.make(alu.AShr, t, l.make(alu.Xor, t, a, b), l.constant(t, 63))
	return l.make(alu.Sub, t, l.make(alu.Xor, t, q, sign), sign)
}
