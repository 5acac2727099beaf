package divergence

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
)

// Bounds limits the numbers that a uniform or strided value has in the active lanes
// and in lane 0. (Lane 0 counts even if it is inactive, because package widen computes
// with it.) Nothing is known about varying values and values that are not integers.
type Bounds struct {
	interval.Bounds

	// ULinear and SLinear mean that no lane wraps: lane l holds the number of lane 0
	// plus l times the stride as unsigned or signed numbers, not only modulo 2^bits.
	ULinear, SLinear bool
}

// anything returns the bounds that hold for every value of a type.
func anything(t alu.Type) Bounds { return Bounds{Bounds: interval.Any(t)} }

// exactly returns the bounds of a constant.
func exactly(t alu.Type, v uint64) Bounds {
	return Bounds{Bounds: interval.Exactly(t, v), ULinear: true, SLinear: true}
}

// unsigned returns the bounds lo and hi of an unsigned number.
func unsigned(t alu.Type, lo, hi uint64) Bounds { return Bounds{Bounds: interval.Unsigned(t, lo, hi)} }

// cover returns the least bounds that contain both.
func cover(a, b Bounds) Bounds {
	return Bounds{interval.Cover(a.Bounds, b.Bounds), a.ULinear && b.ULinear, a.SLinear && b.SLinear}
}

// refine tightens the unsigned and the signed bounds of a value of type t and shape s
// by each other, and derives whether lanes wrap.
func (b Bounds) refine(t alu.Type, s Shape, width int) Bounds {
	if s.Kind == Strided && s.IsUniform() {
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
	if s.IsUniform() {
		return b
	}
	// If a lane wraps, the bounds differ by at least 2^bits minus the lanes' distance.
	reach, ok := span(t, s, width)
	if ok && b.UHi-b.ULo <= t.Mask()-reach {
		b.ULinear = true
	}
	if ok && uint64(b.SHi)-uint64(b.SLo) <= t.Mask()-reach {
		b.SLinear = true
	}
	// Lanes that stay below the alignment do not carry into the bits above.
	if ok && s.Stride >= 0 && s.Step >= 0 {
		b.ULinear = b.ULinear || reach < alignOf(t, s)
		b.SLinear = b.SLinear || reach < min(alignOf(t, s), 1<<(t.Bits()-1))
	}
	// Signed and unsigned readings agree on nonnegative numbers.
	if b.Nonnegative() {
		b.ULinear, b.SLinear = b.ULinear || b.SLinear, b.ULinear || b.SLinear
	}
	return b
}

// ifShaped discards the bounds of a varying value, and marks those of a uniform one
// as linear.
func (b Bounds) ifShaped(t alu.Type, s Shape) Bounds {
	switch {
	case s.Kind == Varying:
		return anything(t)
	case s.IsUniform():
		b.ULinear, b.SLinear = true, true
	}
	return b
}

// span returns a bound of the distance of lanes from lane 0, if it is less than 2^bits.
func span(t alu.Type, s Shape, width int) (uint64, bool) {
	reach, ok := uint64(0), true
	add := func(step int64, times int) {
		by := uint64(step)
		if step < 0 {
			by = -by
		}
		hi, lo := bits.Mul64(by, uint64(times))
		sum, carry := bits.Add64(reach, lo, 0)
		reach, ok = sum, ok && hi == 0 && carry == 0
	}
	if s.Kind == Piecewise {
		add(s.Stride, min(width, int(s.Piece))-1)
		add(s.Step, (width-1)/int(s.Piece))
	} else {
		add(s.Stride, width-1)
	}
	return reach, ok && reach <= t.Mask()
}

// alignOf returns the alignment of s limited to 2^bits of t. (2^64 would overflow, but
// alignments do not reach it.)
func alignOf(t alu.Type, s Shape) uint64 {
	a := uint64(max(s.Align, 1))
	if t.Bits() < 32 {
		a = min(a, 1<<t.Bits())
	}
	return a
}
