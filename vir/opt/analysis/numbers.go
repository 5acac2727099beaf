package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Numbers are the count+1 numbers of some bits from first on, counted round;
// none if empty.
type Numbers struct {
	First, count uint64
	Mask         uint64 // the greatest number
	Empty        bool
}

func (r Numbers) full() bool   { return !r.Empty && r.count == r.Mask }
func (r Numbers) Last() uint64 { return (r.First + r.count) & r.Mask }

// Not is all other numbers.
func (r Numbers) Not() Numbers {
	switch {
	case r.Empty:
		return Numbers{count: r.Mask, Mask: r.Mask}
	case r.full():
		return Numbers{Mask: r.Mask, Empty: true}
	}
	return Numbers{First: (r.Last() + 1) & r.Mask, count: r.Mask - r.count - 1, Mask: r.Mask}
}

// And is the numbers of both; ok is false if they are two ranges.
func (r Numbers) And(s Numbers) (both Numbers, ok bool) {
	switch {
	case r.Empty || s.full():
		return r, true
	case s.Empty || r.full():
		return s, true
	}
	at := (s.First - r.First) & r.Mask // r is 0 to r.count from here on
	end := (at + s.count) & r.Mask
	begins, wraps := at <= r.count, end < at
	switch {
	case begins && wraps:
		return r, false
	case begins:
		return Numbers{First: s.First, count: min(end, r.count) - at, Mask: r.Mask}, true
	case wraps:
		return Numbers{First: r.First, count: min(end, r.count), Mask: r.Mask}, true
	}
	return Numbers{Mask: r.Mask, Empty: true}, true
}

// Or is the numbers of either; ok is false if they are two ranges.
func (r Numbers) Or(s Numbers) (either Numbers, ok bool) {
	neither, ok := r.Not().And(s.Not())
	return neither.Not(), ok
}

// ButForBit is the numbers of either, the bit being cleared in all, if that is all by which
// they differ; ok is false if it is not.
func (r Numbers) ButForBit(s Numbers) (either Numbers, bit uint64, ok bool) {
	bit = r.First ^ s.First
	if r.Empty || s.Empty || r.count != s.count || bit == 0 || bit&(bit-1) != 0 {
		return r, 0, false
	}
	r.First &^= bit
	return r, bit, r.First&(bit-1) < bit-min(r.count, bit) // no number carries into the bit
}

// Bits returns how what holds for both of two numbers holds for one, the bits of which
// are made of theirs: or, if it says that high bits are clear, and if it says that the
// sign is set. What holds for either is the opposite.
func (r Numbers) Bits(both bool) (op vir.Op, ok bool) {
	if !both {
		r = r.Not()
	}
	sign := r.Mask>>1 + 1
	switch {
	case r.Empty || r.full():
		return op, false
	case r.First == 0 && r.count&(r.count+1) == 0: // under and: all are clear; under or: one is set
		return alu.Or, true
	case r.First == sign && r.Last() == r.Mask:
		return alu.And, true
	}
	return op, false
}

// RangeOf returns for which numbers x the test holds, x being nil if it is no
// comparison of a scalar integer with a constant.
func RangeOf(test *vir.Value) (x *vir.Value, r Numbers) {
	if test.Op == alu.Xor && IsOnes(test.Args[1]) {
		x, r = RangeOf(test.Args[0])
		return x, r.Not()
	}
	if _, ok := alu.OrderOf(test.Op); !ok {
		return nil, r
	}
	x, y := test.Args[0], test.Args[1]
	if !x.Type.IsScalar() || !x.Type.Elem.IsInt() || x.Type.Elem == alu.I1 || (x.Op == vir.Const) == (y.Op == vir.Const) {
		return nil, r
	}
	r = comparedWith(test.Op, x, y)
	if x.Op == vir.Const {
		x = y
	}
	if x.Op == alu.Add && x.Args[1].Op == vir.Const {
		r.First = (r.First - x.Args[1].Const) & r.Mask
		x = x.Args[0]
	}
	return x, r
}

// comparedWith returns the numbers for which a comparison holds of which one
// operand is a constant.
func comparedWith(op vir.Op, x, y *vir.Value) Numbers {
	mask := x.Type.Elem.Mask()
	least := uint64(0)
	if op == alu.Slt || op == alu.Sle {
		least = mask>>1 + 1
	}
	upTo := func(c uint64) Numbers { return Numbers{First: least, count: (c - least) & mask, Mask: mask} }
	switch op {
	case alu.Eq, alu.Ne:
		c := y
		if x.Op == vir.Const {
			c = x
		}
		r := Numbers{First: c.Const, Mask: mask}
		if op == alu.Ne {
			r = r.Not()
		}
		return r
	case alu.Slt, alu.Ult:
		if x.Op == vir.Const { // c < y: not y <= c
			return upTo(x.Const).Not()
		}
		if y.Const == least {
			return Numbers{Mask: mask, Empty: true}
		}
		return upTo(y.Const - 1)
	default:
		if x.Op != vir.Const {
			return upTo(y.Const)
		}
		if x.Const == least { // c <= y: not y < c
			return Numbers{count: mask, Mask: mask}
		}
		return upTo(x.Const - 1).Not()
	}
}

// Shifts reports whether the comparison for r adds something to the number.
func (r Numbers) Shifts() bool {
	least := r.Mask>>1 + 1
	return !r.Empty && !r.full() && r.count != 0 && r.count != r.Mask-1 && r.First != 0 && r.Last() != r.Mask &&
		r.First != least && r.Last() != least-1
}

// Test makes the comparison that holds if x is one of the numbers.
func (r Numbers) Test(f *vir.Func, x *vir.Value, op func(vir.Op, vir.Type, ...*vir.Value) *vir.Value) *vir.Value {
	bit := vir.Scalar(alu.I1)
	c := func(bits uint64) *vir.Value { return f.Const(x.Type, bits&r.Mask) }
	least := r.Mask>>1 + 1
	switch {
	case r.Empty || r.full():
		if r.Empty {
			return f.Const(bit, 0)
		}
		return f.Const(bit, 1)
	case r.count == 0:
		return op(alu.Eq, bit, x, c(r.First))
	case r.count == r.Mask-1:
		return op(alu.Ne, bit, x, c(r.First-1))
	case r.First == least && r.Last() == r.Mask: // a test of the sign compares with nothing
		return op(alu.Slt, bit, x, c(0))
	case r.First == 0 && r.Last() == least-1:
		return op(alu.Sle, bit, c(0), x)
	case r.First == 0:
		return op(alu.Ule, bit, x, c(r.count))
	case r.Last() == r.Mask:
		return op(alu.Ule, bit, c(r.First), x)
	case r.First == least:
		return op(alu.Sle, bit, x, c(r.Last()))
	case r.Last() == least-1:
		return op(alu.Sle, bit, c(r.First), x)
	}
	return op(alu.Ule, bit, op(alu.Add, x.Type, x, c(-r.First)), c(r.count))
}
