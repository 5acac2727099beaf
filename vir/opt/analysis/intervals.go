package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Interval is a cyclic interval of integers of some width: First and the count values after
// it, modulo the width.
type Interval struct {
	First, count uint64
	Mask         uint64 // the greatest unsigned value
	Empty        bool
}

func (r Interval) full() bool { return !r.Empty && r.count == r.Mask }

// Last returns the last element of a nonempty interval.
func (r Interval) Last() uint64 { return (r.First + r.count) & r.Mask }

// Not returns the complement.
func (r Interval) Not() Interval {
	switch {
	case r.Empty:
		return Interval{count: r.Mask, Mask: r.Mask}
	case r.full():
		return Interval{Mask: r.Mask, Empty: true}
	}
	return Interval{First: (r.Last() + 1) & r.Mask, count: r.Mask - r.count - 1, Mask: r.Mask}
}

// And returns the intersection; ok is false if that is two intervals.
func (r Interval) And(s Interval) (both Interval, ok bool) {
	switch {
	case r.Empty || s.full():
		return r, true
	case s.Empty || r.full():
		return s, true
	}
	at := (s.First - r.First) & r.Mask // relative to r, which is 0 to r.count
	end := (at + s.count) & r.Mask
	begins, wraps := at <= r.count, end < at
	switch {
	case begins && wraps:
		return r, false
	case begins:
		return Interval{First: s.First, count: min(end, r.count) - at, Mask: r.Mask}, true
	case wraps:
		return Interval{First: r.First, count: min(end, r.count), Mask: r.Mask}, true
	}
	return Interval{Mask: r.Mask, Empty: true}, true
}

// Or returns the union; ok is false if that is two intervals.
func (r Interval) Or(s Interval) (merged Interval, ok bool) {
	neither, ok := r.Not().And(s.Not())
	return neither.Not(), ok
}

// MergeByBit merges intervals that differ in one bit only: x is in r or s exactly if x &^ bit
// is in merged. ok is false if they differ otherwise.
func (r Interval) MergeByBit(s Interval) (merged Interval, bit uint64, ok bool) {
	bit = r.First ^ s.First
	if r.Empty || s.Empty || r.count != s.count || bit == 0 || bit&(bit-1) != 0 {
		return r, 0, false
	}
	r.First &^= bit
	return r, bit, r.First&(bit-1) < bit-min(r.count, bit) // no element carries into the bit
}

// BitsOp returns the operation op for which "x in r and y in r" (both) or "x in r or y in r"
// (not both) equals "op(x, y) in r": or for intervals that test whether high bits are clear,
// and for the interval of negative integers.
func (r Interval) BitsOp(both bool) (op vir.Op, ok bool) {
	if !both {
		r = r.Not()
	}
	sign := r.Mask>>1 + 1
	switch {
	case r.Empty || r.full():
		return op, false
	case r.First == 0 && r.count&(r.count+1) == 0:
		return alu.Or, true
	case r.First == sign && r.Last() == r.Mask:
		return alu.And, true
	}
	return op, false
}

// IntervalOf returns the interval of x for which test holds. x is nil if test does not
// compare a scalar integer with a constant.
func IntervalOf(test *vir.Value) (x *vir.Value, r Interval) {
	if test.Op == alu.Xor && IsOnes(test.Args[1]) {
		x, r = IntervalOf(test.Args[0])
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

// comparedWith returns the interval for which a comparison with one constant operand holds.
func comparedWith(op vir.Op, x, y *vir.Value) Interval {
	mask := x.Type.Elem.Mask()
	lowest := uint64(0)
	if op == alu.Slt || op == alu.Sle {
		lowest = mask>>1 + 1
	}
	upTo := func(c uint64) Interval { return Interval{First: lowest, count: (c - lowest) & mask, Mask: mask} }
	switch op {
	case alu.Eq, alu.Ne:
		c := y
		if x.Op == vir.Const {
			c = x
		}
		r := Interval{First: c.Const, Mask: mask}
		if op == alu.Ne {
			r = r.Not()
		}
		return r
	case alu.Slt, alu.Ult:
		if x.Op == vir.Const { // c < y: not y <= c
			return upTo(x.Const).Not()
		}
		if y.Const == lowest {
			return Interval{Mask: mask, Empty: true}
		}
		return upTo(y.Const - 1)
	default:
		if x.Op != vir.Const {
			return upTo(y.Const)
		}
		if x.Const == lowest { // c <= y: not y < c
			return Interval{count: mask, Mask: mask}
		}
		return upTo(x.Const - 1).Not()
	}
}

// NeedsAdd reports whether Compare has to add a constant before it compares.
func (r Interval) NeedsAdd() bool {
	lowest := r.Mask>>1 + 1
	return !r.Empty && !r.full() && r.count != 0 && r.count != r.Mask-1 && r.First != 0 && r.Last() != r.Mask &&
		r.First != lowest && r.Last() != lowest-1
}

// Compare builds the test that x is in r, with op creating the operations.
func (r Interval) Compare(f *vir.Func, x *vir.Value, op func(vir.Op, vir.Type, ...*vir.Value) *vir.Value) *vir.Value {
	bit := vir.Scalar(alu.I1)
	c := func(bits uint64) *vir.Value { return f.Const(x.Type, bits&r.Mask) }
	lowest := r.Mask>>1 + 1
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
	case r.First == lowest && r.Last() == r.Mask: // targets test the sign without a constant
		return op(alu.Slt, bit, x, c(0))
	case r.First == 0 && r.Last() == lowest-1:
		return op(alu.Sle, bit, c(0), x)
	case r.First == 0:
		return op(alu.Ule, bit, x, c(r.count))
	case r.Last() == r.Mask:
		return op(alu.Ule, bit, c(r.First), x)
	case r.First == lowest:
		return op(alu.Sle, bit, x, c(r.Last()))
	case r.Last() == lowest-1:
		return op(alu.Sle, bit, c(r.First), x)
	}
	return op(alu.Ule, bit, op(alu.Add, x.Type, x, c(-r.First)), c(r.count))
}
