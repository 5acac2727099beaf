package legalize

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// promote computes op in the next wider integer type and truncates.
func promote(op, extend vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if t.Elem.Bits() >= 32 {
			return nil
		}
		w := double(t)
		xs := make([]*vir.Value, len(args))
		for i, a := range args {
			xs[i] = l.make(extend, w, a)
		}
		return l.make(alu.Trunc, t, l.make(op, w, xs...))
	}
}

// mulHiWide multiplies in twice the width.
func mulHiWide(extend vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if t.Elem.Bits() > 32 {
			return nil
		}
		w := double(t)
		p := l.make(alu.Mul, w, l.make(extend, w, args[0]), l.make(extend, w, args[1]))
		return l.make(alu.Trunc, t, l.make(alu.LShr, w, p, l.constant(w, uint64(t.Elem.Bits()))))
	}
}

// mulHi64 adds four partial products of 32 bits (Warren, "Hacker's Delight", 8-2). The
// signed product is the unsigned one minus a correction for negative operands.
func mulHi64(signed bool) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		a, b := args[0], args[1]
		low := l.constant(t, 1<<32-1)
		n := l.constant(t, 32)
		op := func(op vir.Op, x, y *vir.Value) *vir.Value { return l.make(op, t, x, y) }
		a0, b0 := op(alu.And, a, low), op(alu.And, b, low)
		a1, b1 := op(alu.LShr, a, n), op(alu.LShr, b, n)
		mid := op(alu.Add, op(alu.Mul, a1, b0), op(alu.LShr, op(alu.Mul, a0, b0), n))
		cross := op(alu.Add, op(alu.Mul, a0, b1), op(alu.And, mid, low))
		hi := op(alu.Add, op(alu.Mul, a1, b1), op(alu.Add, op(alu.LShr, mid, n), op(alu.LShr, cross, n)))
		if signed {
			sign := l.constant(t, 63)
			hi = op(alu.Sub, hi, op(alu.And, op(alu.AShr, a, sign), b))
			hi = op(alu.Sub, hi, op(alu.And, op(alu.AShr, b, sign), a))
		}
		return hi
	}
}

// sumOfByteProducts multiplies unsigned bytes by signed bytes and adds the sum by op.
func sumOfByteProducts(op vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		top := l.constant(t, 24)
		var sum *vir.Value
		for k := range 4 {
			up := l.constant(t, uint64(24-8*k))
			a := l.make(alu.LShr, t, l.make(alu.Shl, t, args[0], up), top)
			b := l.make(alu.AShr, t, l.make(alu.Shl, t, args[1], up), top)
			product := l.make(alu.Mul, t, a, b)
			if sum == nil {
				sum = product
			} else {
				sum = l.make(alu.Add, t, sum, product)
			}
		}
		return l.make(op, t, sum, args[2])
	}
}

// shiftWide shifts in the next wider type by the amount modulo the old width.
func shiftWide(op, extend vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if t.Elem.Bits() >= 32 {
			return nil
		}
		w := double(t)
		n := l.make(alu.And, w, l.make(alu.ZExt, w, args[1]), l.constant(w, uint64(t.Elem.Bits()-1)))
		return l.make(alu.Trunc, t, l.make(op, w, l.make(extend, w, args[0]), n))
	}
}

// shiftSign shifts the sign as well as the other bits to the right, and subtracts it.
func shiftSign(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	x, n, bits := args[0], args[1], uint64(t.Elem.Bits())
	if t.Lanes == 1 || !l.hasShift(alu.LShr, t, n) {
		return nil
	}
	if n.Op == vir.Const && n.Const&(bits-1) == bits-1 {
		return l.make(alu.SExt, t, l.make(alu.Slt, t.With(alu.I1), x, l.constant(t, 0)))
	}
	sign := l.make(alu.LShr, t, l.constant(t, 1<<(bits-1)), n)
	return l.make(alu.Sub, t, l.make(alu.Xor, t, l.make(alu.LShr, t, x, n), sign), sign)
}

// rotateShort shifts two adjacent copies of a byte or, if the target lacks shifts of its size,
// of a short.
func rotateShort(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	bits := uint64(t.Elem.Bits())
	if bits > 16 || l.hasShift(alu.Shl, t, args[1]) && (bits == 16 || l.t.HasImmediate != nil) {
		return nil
	}
	w := double(t)
	x := l.make(alu.ZExt, w, args[0])
	x = l.make(alu.Or, w, x, l.make(alu.Shl, w, x, l.constant(w, bits)))
	n := l.make(alu.And, w, l.make(alu.ZExt, w, args[1]), l.constant(w, bits-1))
	return l.make(alu.Trunc, t, l.make(alu.LShr, w, l.make(alu.Shl, w, x, n), l.constant(w, bits)))
}

// rotate combines two shifts. Amounts are modulo the width, so 0 is not a special case.
func rotate(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if !l.hasShift(alu.Shl, t, args[1]) || !l.hasShift(alu.LShr, t, args[1]) {
		return nil
	}
	back := l.make(alu.Sub, t, l.constant(t, 0), args[1])
	return l.make(alu.Or, t, l.make(alu.Shl, t, args[0], args[1]), l.make(alu.LShr, t, args[0], back))
}

// clzWide counts in 32 bits.
func clzWide(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	w := t.With(alu.I32)
	if t.Elem.Bits() >= 32 || !l.hasOn(alu.Clz, w, alu.I32) {
		return nil
	}
	n := l.make(alu.Clz, w, l.make(alu.ZExt, w, args[0]))
	return l.make(alu.Trunc, t, l.make(alu.Sub, w, n, l.constant(w, uint64(32-t.Elem.Bits()))))
}

// clzSmear sets all bits below the highest one and counts the zeros above it.
func clzSmear(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	if !l.hasShifts(alu.LShr, t) {
		return nil
	}
	x := args[0]
	for s := 1; s < t.Elem.Bits(); s *= 2 {
		x = l.make(alu.Or, t, x, l.make(alu.LShr, t, x, l.constant(t, uint64(s))))
	}
	return l.make(alu.Popcount, t, l.make(alu.Xor, t, x, l.constant(t, ^uint64(0))))
}

// popcount adds bits in pairs, fours and bytes, then adds the bytes by a multiplication
// (Warren, "Hacker's Delight", 5-1).
func popcount(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	n := t.Elem.Bits()
	if !l.hasShifts(alu.LShr, t) {
		if n < 32 && l.hasShifts(alu.LShr, double(t)) {
			w := double(t)
			return l.make(alu.Trunc, t, l.make(alu.Popcount, w, l.make(alu.ZExt, w, args[0])))
		}
		return nil
	}
	op := func(op vir.Op, x, y *vir.Value) *vir.Value { return l.make(op, t, x, y) }
	c := func(bits uint64) *vir.Value { return l.constant(t, bits) }
	const every = ^uint64(0)
	x := args[0]
	x = op(alu.Sub, x, op(alu.And, op(alu.LShr, x, c(1)), c(every/3)))
	x = op(alu.Add, op(alu.And, x, c(every/5)), op(alu.And, op(alu.LShr, x, c(2)), c(every/5)))
	x = op(alu.And, op(alu.Add, x, op(alu.LShr, x, c(4))), c(every/17))
	switch n {
	case 8:
		return x
	case 16: // cheaper than a multiplication
		return op(alu.And, op(alu.Add, x, op(alu.LShr, x, c(8))), c(31))
	}
	return op(alu.LShr, op(alu.Mul, x, c(every/255)), c(uint64(n-8)))
}

func abs(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	zero := l.constant(t, 0)
	neg := l.make(alu.Slt, t.With(alu.I1), args[0], zero)
	return l.make(alu.Select, t, neg, l.make(alu.Sub, t, zero, args[0]), args[0])
}

// unsignedSum gives all ones if x + y is less than x, that is, if it wrapped.
func unsignedSum(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	sum := l.make(alu.Add, t, args...)
	return l.make(alu.Select, t, l.make(alu.Ult, t.With(alu.I1), sum, args[0]), l.constant(t, t.Elem.Mask()), sum)
}

// unsignedDifference gives 0 if y is greater than x.
func unsignedDifference(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
	return l.make(alu.Select, t, l.make(alu.Ult, t.With(alu.I1), args[0], args[1]), l.constant(t, 0), l.make(alu.Sub, t, args...))
}

// signedSaturation detects overflow from the signs of operands and result. The result is
// then the limit with the sign of the first operand.
func signedSaturation(op vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		x, y := args[0], args[1]
		r := l.make(op, t, x, y)
		other := r // on overflow, r differs from x in sign, and y differs from other
		if op == alu.Sub {
			other = x
		}
		wrapped := l.make(alu.And, t, l.make(alu.Xor, t, x, r), l.make(alu.Xor, t, y, other))
		zero, most, least := l.constant(t, 0), l.constant(t, t.Elem.Mask()>>1), l.constant(t, t.Elem.Mask()>>1+1)
		bound := l.make(alu.Select, t, l.make(alu.Slt, t.With(alu.I1), x, zero), least, most)
		return l.make(alu.Select, t, l.make(alu.Slt, t.With(alu.I1), wrapped, zero), bound, r)
	}
}

// minMax compares and selects.
func minMax(less vir.Op, max bool) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		a, b := args[0], args[1]
		c := l.make(less, t.With(alu.I1), a, b)
		if max {
			a, b = b, a
		}
		return l.make(alu.Select, t, c, a, b)
	}
}
