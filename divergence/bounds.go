package divergence

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
)

// Bounds is what is known of the numbers that a uniform or strided value has in
// the lanes that are active and in lane 0. (What lane 0 would hold where it is not
// active counts, because package widen computes with it.) Of values that are no
// integers, and of varying ones, nothing is known.
type Bounds struct {
	interval.Bounds

	// ULinear and SLinear tell that no lane wraps: the number in lane l is that
	// in lane 0 plus l times the stride, read as unsigned or signed numbers and
	// not just modulo 2^bits.
	ULinear, SLinear bool
}

// anything returns the bounds of a type of which nothing is known.
func anything(t alu.Type) Bounds { return Bounds{Bounds: interval.Any(t)} }

// exactly returns the bounds of a constant.
func exactly(t alu.Type, v uint64) Bounds {
	return Bounds{Bounds: interval.Exactly(t, v), ULinear: true, SLinear: true}
}

// unsigned returns bounds known of unsigned numbers.
func unsigned(t alu.Type, lo, hi uint64) Bounds { return Bounds{Bounds: interval.Unsigned(t, lo, hi)} }

// cover returns the least bounds that hold both.
func cover(a, b Bounds) Bounds {
	return Bounds{interval.Cover(a.Bounds, b.Bounds), a.ULinear && b.ULinear, a.SLinear && b.SLinear}
}

// refine lets the unsigned and the signed bounds of a value of type t and shape
// s learn from each other, and finds out whether lanes wrap.
func (b Bounds) refine(t alu.Type, s Shape, width int) Bounds {
	if s.Kind == Strided && s.Stride == 0 {
		b.ULinear, b.SLinear = true, true
	}
	if !t.IsInt() {
		return b
	}
	b.Bounds = b.Both(t)
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
	if b.Nonnegative() {
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
