package divergence

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
)

// Bounds is what is known of the numbers that a uniform or strided value has in
// the lanes that are active and in lane 0, as unsigned and as signed numbers
// of its type. (What lane 0 would hold where it is not active counts, because
// package widen computes with it.) Of values that are no integers, and of
// varying ones, nothing is known.
type Bounds struct {
	ULo, UHi uint64
	SLo, SHi int64

	// ULinear and SLinear tell that no lane wraps: the number in lane l is that
	// in lane 0 plus l times the stride, read as unsigned or signed numbers and
	// not just modulo 2^bits.
	ULinear, SLinear bool
}

// anything returns the bounds of a type of which nothing is known.
func anything(t alu.Type) Bounds {
	n := max(t.Bits(), 1)
	return Bounds{0, t.Mask(), -1 << (n - 1), 1<<(n-1) - 1, false, false}
}

// exactly returns the bounds of a constant.
func exactly(t alu.Type, v uint64) Bounds {
	s := t.Signed(v)
	return Bounds{v, v, s, s, true, true}
}

// unsigned and signed return bounds known in one way of reading.
func unsigned(t alu.Type, lo, hi uint64) Bounds {
	b := anything(t)
	b.ULo, b.UHi = lo, hi
	return b
}

func signed(t alu.Type, lo, hi int64) Bounds {
	b := anything(t)
	b.SLo, b.SHi = lo, hi
	return b
}

// constant returns the one number of b, if there is but one.
func (b Bounds) constant() (uint64, bool) { return b.ULo, b.ULo == b.UHi }

// nonnegative reports whether the signed and the unsigned number are the same.
func (b Bounds) nonnegative() bool { return b.SLo >= 0 }

// refine lets the unsigned and the signed bounds of a value of type t and shape
// s learn from each other, and finds out whether lanes wrap.
func (b Bounds) refine(t alu.Type, s Shape, width int) Bounds {
	if s.Kind == Strided && s.Stride == 0 {
		b.ULinear, b.SLinear = true, true
	}
	if !t.IsInt() {
		return b
	}
	for range 2 {
		if top := t.Mask() >> 1; b.UHi <= top || b.ULo > top {
			b.SLo, b.SHi = max(b.SLo, t.Signed(b.ULo)), min(b.SHi, t.Signed(b.UHi))
		}
		if b.SLo >= 0 || b.SHi < 0 {
			b.ULo, b.UHi = max(b.ULo, uint64(b.SLo)&t.Mask()), min(b.UHi, uint64(b.SHi)&t.Mask())
		}
	}
	switch s.Kind {
	case Varying:
		return anything(t)
	case Bottom:
		return b
	}
	if s.Stride == 0 {
		return b
	}
	// Lanes that wrap are 2^bits less their distance apart, at least.
	reach, ok := span(t, s, width)
	if ok && b.UHi-b.ULo <= t.Mask()-reach {
		b.ULinear = true
	}
	if ok && uint64(b.SHi)-uint64(b.SLo) <= t.Mask()-reach {
		b.SLinear = true
	}
	// Lanes that stay below the alignment carry nothing into the bits above.
	if ok && s.Stride > 0 {
		b.ULinear = b.ULinear || reach < alignOf(t, s)
		b.SLinear = b.SLinear || reach < min(alignOf(t, s), 1<<(t.Bits()-1))
	}
	// Where no number is negative, both readings are one.
	if b.nonnegative() {
		b.ULinear, b.SLinear = b.ULinear || b.SLinear, b.ULinear || b.SLinear
	}
	return b
}

// ifShaped forgets what is known of values that vary, and what lanes may do of
// those that do not.
func (b Bounds) ifShaped(t alu.Type, s Shape) Bounds {
	switch {
	case s.Kind == Varying:
		return anything(t)
	case s.Stride == 0:
		b.ULinear, b.SLinear = true, true
	}
	return b
}

// span returns how far the last lane is from lane 0, if it is less than 2^bits.
func span(t alu.Type, s Shape, width int) (uint64, bool) {
	step := uint64(s.Stride)
	if s.Stride < 0 {
		step = -step
	}
	hi, lo := bits.Mul64(step, uint64(width-1))
	return lo, hi == 0 && lo <= t.Mask()
}

// alignOf returns the alignment of s as far as it says something about t: at
// most 2^bits, which is 0 for 64 bits and never reached there.
func alignOf(t alu.Type, s Shape) uint64 {
	a := uint64(max(s.Align, 1))
	if t.Bits() < 32 {
		a = min(a, 1<<t.Bits())
	}
	return a
}

// cover returns the least bounds that hold both.
func cover(a, b Bounds) Bounds {
	return Bounds{
		min(a.ULo, b.ULo), max(a.UHi, b.UHi), min(a.SLo, b.SLo), max(a.SHi, b.SHi),
		a.ULinear && b.ULinear, a.SLinear && b.SLinear,
	}
}

// ones returns a number of as many ones as v has bits.
func ones(v uint64) uint64 { return 1<<bits.Len64(v) - 1 }

// boundsOf computes the bounds of a pure operation from those of its operands.
// ULinear and SLinear tell that the operation is exact: the result is that of
// the operation on unbounded unsigned or signed numbers.
func boundsOf(op alu.Op, res alu.Type, xs []operand) Bounds {
	all := anything(res)
	var x, y Bounds
	x = xs[0].Bounds
	if len(xs) > 1 {
		y = xs[1].Bounds
	}
	t := xs[0].typ
	if alu.InfoOf(op).Class == alu.Compare {
		return compareBounds(op, t, x, y)
	}
	if op == alu.Select {
		return selectBounds(x, xs[1].Bounds, xs[2].Bounds)
	}
	if f, ok := arithmetic[op]; ok && (t.IsInt() || t == alu.I1) && (res.IsInt() || res == alu.I1) {
		return f(res, t, x, y)
	}
	return all
}

func compareBounds(op alu.Op, t alu.Type, x, y Bounds) Bounds {
	var yes, no bool
	if !t.IsInt() {
		return anything(alu.I1)
	}
	switch op {
	case alu.Eq, alu.Ne:
		a, okA := x.constant()
		b, okB := y.constant()
		yes = okA && okB && a == b
		no = x.UHi < y.ULo || y.UHi < x.ULo || x.SHi < y.SLo || y.SHi < x.SLo
		if op == alu.Ne {
			yes, no = no, yes
		}
	case alu.Ult:
		yes, no = x.UHi < y.ULo, x.ULo >= y.UHi
	case alu.Ule:
		yes, no = x.UHi <= y.ULo, x.ULo > y.UHi
	case alu.Slt:
		yes, no = x.SHi < y.SLo, x.SLo >= y.SHi
	case alu.Sle:
		yes, no = x.SHi <= y.SLo, x.SLo > y.SHi
	}
	switch {
	case yes:
		return exactly(alu.I1, 1)
	case no:
		return exactly(alu.I1, 0)
	}
	return anything(alu.I1)
}

func selectBounds(cond, a, b Bounds) Bounds {
	if c, ok := cond.constant(); ok {
		if c != 0 {
			return a
		}
		return b
	}
	return cover(a, b)
}
