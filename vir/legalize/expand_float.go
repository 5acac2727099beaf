package legalize

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// signBit inverts or clears the sign in the integer with the same bits.
func signBit(op vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		u := t.With(alu.IntOf(t.Elem.Bits()))
		if !l.hasOn(alu.Bitcast, t, u.Elem) || !l.hasOn(alu.Bitcast, u, t.Elem) {
			return nil
		}
		bits := uint64(1) << (u.Elem.Bits() - 1)
		if op == alu.And {
			bits--
		}
		x := l.make(op, u, l.make(alu.Bitcast, u, args[0]), l.constant(u, bits))
		return l.make(alu.Bitcast, t, x)
	}
}

// floatMinMax implements the definition: a if it is less (greater) than b or b is NaN,
// else b.
func floatMinMax(max bool) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if !l.hasOn(alu.FLt, t, alu.I1) {
			return nil
		}
		a, b, m := args[0], args[1], t.With(alu.I1)
		x, y := a, b
		if max {
			x, y = b, a
		}
		c := l.make(alu.Or, m, l.make(alu.FLt, m, x, y), l.make(alu.FNe, m, b, b))
		return l.make(alu.Select, t, c, a, b)
	}
}

func pseudoMinMax(max bool) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if !l.hasOn(alu.FLt, t, alu.I1) {
			return nil
		}
		x, y := args[0], args[1]
		if max {
			x, y = y, x
		}
		return l.make(alu.Select, t, l.make(alu.FLt, t.With(alu.I1), x, y), args[0], args[1])
	}
}

// fmaSingle rounds the sum of the exact double-precision product to odd before rounding
// to single precision (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums", 2008), as in package alu.
func fmaSingle(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	d := t.With(alu.F64)
	if t.Elem != alu.F32 || !l.hasOn(alu.FAdd, d, alu.F64) || !l.hasOn(alu.FPExt, t, alu.F64) || !l.hasOn(alu.FPTrunc, d, alu.F32) {
		return nil
	}
	f := func(op vir.Op, x, y *vir.Value) *vir.Value { return l.make(op, d, x, y) }
	a, b, z := l.make(alu.FPExt, d, args[0]), l.make(alu.FPExt, d, args[1]), l.make(alu.FPExt, d, args[2])
	p := f(alu.FMul, a, b)
	s := f(alu.FAdd, p, z)
	u := f(alu.FSub, s, p) // Knuth's two-sum
	err := f(alu.FAdd, f(alu.FSub, p, f(alu.FSub, s, u)), f(alu.FSub, z, u))

	// If the sum is inexact and even, take the neighbor in the direction of the error.
	// The error of an infinite or NaN sum is NaN, that of an exact one 0.
	i, m := t.With(alu.I64), t.With(alu.I1)
	zero := l.constant(d, 0)
	below, above := l.make(alu.FLt, m, err, zero), l.make(alu.FLt, m, zero, err)
	bits := l.make(alu.Bitcast, i, s)
	even := l.make(alu.Eq, m, l.make(alu.And, i, bits, l.constant(i, 1)), l.constant(i, 0))
	negative := l.make(alu.Slt, m, bits, l.constant(i, 0))
	away := l.make(alu.Ne, m, negative, above) // the error has the same sign as the sum
	odd := l.make(alu.Select, i, away, l.make(alu.Add, i, bits, l.constant(i, 1)), l.make(alu.Sub, i, bits, l.constant(i, 1)))
	inexact := l.make(alu.And, m, even, l.make(alu.Or, m, below, above))
	s = l.make(alu.Bitcast, d, l.make(alu.Select, i, inexact, odd, bits))
	return l.make(alu.FPTrunc, t, s)
}

// halfToDouble converts through single precision, which is exact.
func halfToDouble(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if args[0].Type.Elem != alu.F16 || t.Elem != alu.F64 {
		return nil
	}
	return l.make(alu.FPExt, t, l.make(alu.FPExt, t.With(alu.F32), args[0]))
}

// doubleToHalf rounds to odd in single precision, so that the second rounding to half
// gives the correctly rounded result.
func doubleToHalf(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if args[0].Type.Elem != alu.F64 || t.Elem != alu.F16 {
		return nil
	}
	d, s, i, m := t.With(alu.F64), t.With(alu.F32), t.With(alu.I32), t.With(alu.I1)
	r := l.make(alu.FPTrunc, s, args[0])
	size, back := l.make(alu.FAbs, d, args[0]), l.make(alu.FAbs, d, l.make(alu.FPExt, d, r))
	below, above := l.make(alu.FLt, m, back, size), l.make(alu.FLt, m, size, back)
	bits := l.make(alu.Bitcast, i, r)
	odd := l.make(alu.Ne, m, l.make(alu.And, i, bits, l.constant(i, 1)), l.constant(i, 0))
	// Beyond the largest single the value is infinity; its neighbor converts to infinity
	// too.
	up := l.make(alu.Select, i, below, l.make(alu.Add, i, bits, l.constant(i, 1)), bits)
	moved := l.make(alu.Select, i, above, l.make(alu.Sub, i, bits, l.constant(i, 1)), up)
	bits = l.make(alu.Select, i, odd, bits, moved)
	return l.make(alu.FPTrunc, t, l.make(alu.Bitcast, s, bits))
}

// unsignedToFloat halves a number whose highest bit is set, keeping the lost bit for
// correct rounding, converts it, and doubles the result, which is exact.
func unsignedToFloat(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	x := args[0]
	from, m := x.Type, t.With(alu.I1)
	if from.Elem != alu.I64 || t.Lanes > 1 {
		return nil
	}
	one := l.constant(from, 1)
	large := l.make(alu.Slt, m, x, l.constant(from, 0))
	half := l.make(alu.Or, from, l.make(alu.LShr, from, x, one), l.make(alu.And, from, x, one))
	f := l.make(alu.SIToFP, t, l.make(alu.Select, from, large, half, x))
	return l.make(alu.Select, t, large, l.make(alu.FAdd, t, f, f), f)
}

// hasDoubleBits reports whether the target computes with vectors of doubles and their bits.
func (l *legalizer) hasDoubleBits(t vir.Type) bool {
	d, u := t.With(alu.F64), t.With(alu.I64)
	return t.Lanes > 1 && l.hasOn(alu.FSub, d, alu.F64) && l.hasOn(alu.Bitcast, u, alu.F64) && l.hasOn(alu.Or, u, alu.I64)
}

// Bits of doubles: a number of 32 bits in the low half of the bits of 2^52 makes 2^52 plus the
// number, and in that of 2^84, 2^84 plus 2^32 times the number.
const twoTo52, twoTo84 = 0x433 << 52, 0x453 << 52

// wordToDouble makes 2^52 + x, of which 2^52 is then subtracted.
func wordToDouble(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if args[0].Type.Elem != alu.I32 || t.Elem != alu.F64 || !l.hasDoubleBits(t) {
		return nil
	}
	u := t.With(alu.I64)
	bits := l.make(alu.Or, u, l.make(alu.ZExt, u, args[0]), l.constant(u, twoTo52))
	return l.make(alu.FSub, t, l.make(alu.Bitcast, t, bits), l.constant(t, twoTo52))
}

// wordToSingle converts both halves, multiplies the upper one by 2^16, which is exact, and adds them,
// which rounds once.
func wordToSingle(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	x := args[0]
	u := x.Type
	if u.Elem != alu.I32 || t.Elem != alu.F32 || t.Lanes == 1 || !l.hasOn(alu.SIToFP, u, alu.F32) || !l.hasOn(alu.FAdd, t, t.Elem) {
		return nil
	}
	high := l.make(alu.SIToFP, t, l.make(alu.LShr, u, x, l.constant(u, 16)))
	low := l.make(alu.SIToFP, t, l.make(alu.And, u, x, l.constant(u, 0xFFFF)))
	return l.make(alu.FAdd, t, l.make(alu.FMul, t, high, l.constant(t, uint64(math.Float32bits(1<<16)))), low)
}

// longToDouble makes 2^84 + 2^32 times the upper half of a number, subtracts 2^84 + 2^52, which is
// exact, and adds 2^52 plus the lower half, which rounds once. The upper half of a signed number
// has its sign bit inverted, which adds 2^63, to be subtracted as well.
func longToDouble(signed bool) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		x := args[0]
		u := x.Type
		if u.Elem != alu.I64 || t.Elem != alu.F64 || !l.hasDoubleBits(t) {
			return nil
		}
		bias, less := uint64(twoTo84), math.Ldexp(1, 84)+math.Ldexp(1, 52)
		if signed {
			bias, less = bias|1<<31, less+math.Ldexp(1, 63)
		}
		high := l.make(alu.Xor, u, l.make(alu.LShr, u, x, l.constant(u, 32)), l.constant(u, bias))
		low := l.make(alu.Or, u, l.make(alu.And, u, x, l.constant(u, 1<<32-1)), l.constant(u, twoTo52))
		above := l.make(alu.FSub, t, l.make(alu.Bitcast, t, high), l.constant(t, math.Float64bits(less)))
		return l.make(alu.FAdd, t, above, l.make(alu.Bitcast, t, low))
	}
}

// floatToUnsigned converts to signed 64-bit integers, or vectors to integers of the same size, after
// subtracting the highest bit from values that need it. Values out of range become all ones.
func floatToUnsigned(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	x := args[0]
	from, wide, m := x.Type, t.With(alu.I64), t.With(alu.I1)
	top := 63
	if t.Lanes > 1 { // without conversions to wider integers
		if t.Elem != alu.I32 || !l.hasOn(alu.FPToSI, from, alu.I32) {
			return nil
		}
		wide, top = t, 31
	}
	power := func(n int) uint64 { return alu.Eval(alu.UIToFP, from.Elem, alu.I64, 1<<n, 0, 0) }
	high := l.constant(from, power(top))
	limit := alu.Eval(alu.FAdd, from.Elem, from.Elem, power(t.Elem.Bits()-1), power(t.Elem.Bits()-1), 0)
	minus := l.constant(from, alu.Eval(alu.SIToFP, from.Elem, alu.I64, ^uint64(0), 0, 0))
	inRange := l.make(alu.And, m, l.make(alu.FLt, m, minus, x), l.make(alu.FLt, m, x, l.constant(from, limit)))
	n := x
	if t.Elem == wide.Elem {
		n = l.make(alu.Select, from, l.make(alu.FLe, m, high, x), l.make(alu.FSub, from, x, high), x)
	}
	n = l.make(alu.FPToSI, wide, n)
	if t.Elem == wide.Elem {
		flip := l.make(alu.Select, wide, l.make(alu.FLe, m, high, x), l.constant(wide, 1<<top), l.constant(wide, 0))
		n = l.make(alu.Xor, wide, n, flip)
	} else {
		n = l.make(alu.Trunc, t, n)
	}
	return l.make(alu.Select, t, inRange, n, l.constant(t, t.Elem.Mask()))
}
