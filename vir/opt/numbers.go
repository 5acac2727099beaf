package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// numbers are the count+1 numbers of some bits from first on, counted round;
// none if empty.
type numbers struct {
	first, count uint64
	mask         uint64 // the greatest number
	empty        bool
}

func (r numbers) full() bool   { return !r.empty && r.count == r.mask }
func (r numbers) last() uint64 { return (r.first + r.count) & r.mask }

// not is all other numbers.
func (r numbers) not() numbers {
	switch {
	case r.empty:
		return numbers{count: r.mask, mask: r.mask}
	case r.full():
		return numbers{mask: r.mask, empty: true}
	}
	return numbers{first: (r.last() + 1) & r.mask, count: r.mask - r.count - 1, mask: r.mask}
}

// and is the numbers of both; ok is false if they are two ranges.
func (r numbers) and(s numbers) (both numbers, ok bool) {
	switch {
	case r.empty || s.full():
		return r, true
	case s.empty || r.full():
		return s, true
	}
	at := (s.first - r.first) & r.mask // r is 0 to r.count from here on
	end := (at + s.count) & r.mask
	begins, wraps := at <= r.count, end < at
	switch {
	case begins && wraps:
		return r, false
	case begins:
		return numbers{first: s.first, count: min(end, r.count) - at, mask: r.mask}, true
	case wraps:
		return numbers{first: r.first, count: min(end, r.count), mask: r.mask}, true
	}
	return numbers{mask: r.mask, empty: true}, true
}

// or is the numbers of either; ok is false if they are two ranges.
func (r numbers) or(s numbers) (either numbers, ok bool) {
	neither, ok := r.not().and(s.not())
	return neither.not(), ok
}

// butForBit is the numbers of either, the bit being cleared in all, if that is all by which
// they differ; ok is false if it is not.
func (r numbers) butForBit(s numbers) (either numbers, bit uint64, ok bool) {
	bit = r.first ^ s.first
	if r.empty || s.empty || r.count != s.count || bit == 0 || bit&(bit-1) != 0 {
		return r, 0, false
	}
	r.first &^= bit
	return r, bit, r.first&(bit-1) < bit-min(r.count, bit) // no number carries into the bit
}

// bits returns how what holds for both of two numbers holds for one, the bits of which
// are made of theirs: or, if it says that high bits are clear, and if it says that the
// sign is set. What holds for either is the opposite.
func (r numbers) bits(both bool) (op vir.Op, ok bool) {
	if !both {
		r = r.not()
	}
	sign := r.mask>>1 + 1
	switch {
	case r.empty || r.full():
		return op, false
	case r.first == 0 && r.count&(r.count+1) == 0: // under and: all are clear; under or: one is set
		return alu.Or, true
	case r.first == sign && r.last() == r.mask:
		return alu.And, true
	}
	return op, false
}

// rangeOf returns for which numbers x the test holds, x being nil if it is no
// comparison of a scalar integer with a constant.
func rangeOf(test *vir.Value) (x *vir.Value, r numbers) {
	if test.Op == alu.Xor && isOnes(test.Args[1]) {
		x, r = rangeOf(test.Args[0])
		return x, r.not()
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
		r.first = (r.first - x.Args[1].Const) & r.mask
		x = x.Args[0]
	}
	return x, r
}

// comparedWith returns the numbers for which a comparison holds of which one
// operand is a constant.
func comparedWith(op vir.Op, x, y *vir.Value) numbers {
	mask := x.Type.Elem.Mask()
	least := uint64(0)
	if op == alu.Slt || op == alu.Sle {
		least = mask>>1 + 1
	}
	upTo := func(c uint64) numbers { return numbers{first: least, count: (c - least) & mask, mask: mask} }
	switch op {
	case alu.Eq, alu.Ne:
		c := y
		if x.Op == vir.Const {
			c = x
		}
		r := numbers{first: c.Const, mask: mask}
		if op == alu.Ne {
			r = r.not()
		}
		return r
	case alu.Slt, alu.Ult:
		if x.Op == vir.Const { // c < y: not y <= c
			return upTo(x.Const).not()
		}
		if y.Const == least {
			return numbers{mask: mask, empty: true}
		}
		return upTo(y.Const - 1)
	default:
		if x.Op != vir.Const {
			return upTo(y.Const)
		}
		if x.Const == least { // c <= y: not y < c
			return numbers{count: mask, mask: mask}
		}
		return upTo(x.Const - 1).not()
	}
}

// shifts reports whether the comparison for r adds something to the number.
func (r numbers) shifts() bool {
	least := r.mask>>1 + 1
	return !r.empty && !r.full() && r.count != 0 && r.count != r.mask-1 && r.first != 0 && r.last() != r.mask &&
		r.first != least && r.last() != least-1
}

// test makes the comparison that holds if x is one of the numbers.
func (r numbers) test(f *vir.Func, x *vir.Value, op func(vir.Op, vir.Type, ...*vir.Value) *vir.Value) *vir.Value {
	bit := vir.Scalar(alu.I1)
	c := func(bits uint64) *vir.Value { return f.Const(x.Type, bits&r.mask) }
	least := r.mask>>1 + 1
	switch {
	case r.empty || r.full():
		if r.empty {
			return f.Const(bit, 0)
		}
		return f.Const(bit, 1)
	case r.count == 0:
		return op(alu.Eq, bit, x, c(r.first))
	case r.count == r.mask-1:
		return op(alu.Ne, bit, x, c(r.first-1))
	case r.first == least && r.last() == r.mask: // a test of the sign compares with nothing
		return op(alu.Slt, bit, x, c(0))
	case r.first == 0 && r.last() == least-1:
		return op(alu.Sle, bit, c(0), x)
	case r.first == 0:
		return op(alu.Ule, bit, x, c(r.count))
	case r.last() == r.mask:
		return op(alu.Ule, bit, c(r.first), x)
	case r.first == least:
		return op(alu.Sle, bit, x, c(r.last()))
	case r.last() == least-1:
		return op(alu.Sle, bit, c(r.first), x)
	}
	return op(alu.Ule, bit, op(alu.Add, x.Type, x, c(-r.first)), c(r.count))
}
