// Package divergence finds out which values of a kernel are the same in all
// lanes, which step evenly from lane to lane, and which branches diverge.
//
// Lanes are work-items that follow each other along dimension 0. The analysis
// counts on what package launch keeps to:
//
//   - The first of W lanes, lane 0, is in the range, though it may not be
//     active when others are; lanes beyond the range never are.
//   - Sizes and offsets are at most 2^31, so that global ids have 32 bits, and 31,
//     with room for a little more, unless Options.Far says otherwise.
//   - Where a kernel asks for local ids, lane 0's along dimension 0 is a
//     multiple of W. (Nothing like that holds of global ids: an offset may be
//     any number.)
//
// It works on the kernel IR alone and changes nothing; results are tables
// indexed by value and block IDs. It must not know which linearizer or target
// will use them.
package divergence

import "fmt"

// Shape describes a value across the lanes that are active together. The
// lattice is Bottom < strided < Varying; a strided value is
//
//	value(lane) = value(lane 0) + lane*Stride   (mod 2^bits)
//
// with Align, a power of two, dividing value(lane 0) as an unsigned number. A
// uniform value has Stride 0. Floats and i1 are uniform or varying. Where lane
// 0 is not active, value(lane 0) means what it would hold: what the operations
// give that computed the value from lane 0's operands.
type Shape struct {
	Kind   Kind
	Stride int64 // in units of the value, bytes for pointers
	Align  int64 // at least 1 where Kind is Strided
}

// Kind is the level in the lattice.
type Kind uint8

const (
	Bottom Kind = iota // not reached yet; in a result: the code never runs
	Strided
	Varying
)

// Uniform returns the shape of a value that is the same in all lanes and
// that align divides.
func Uniform(align int64) Shape { return Shape{Strided, 0, align} }

// IsUniform reports whether all active lanes hold the same value; code that
// never runs counts.
func (s Shape) IsUniform() bool { return s.Kind == Bottom || s.Kind == Strided && s.Stride == 0 }

// IsStrided reports whether the value is base + lane*Stride, uniform included.
func (s Shape) IsStrided() bool { return s.Kind != Varying }

// String formats a shape: uniform, uniform(align 16), contiguous, strided(4),
// strided(4, align 64), varying.
func (s Shape) String() string {
	switch {
	case s.Kind == Bottom:
		return "unreached"
	case s.Kind == Varying:
		return "varying"
	}
	align := ""
	if s.Align > 1 {
		align = fmt.Sprintf("align %d", s.Align)
	}
	switch {
	case s.Stride == 0 && align == "":
		return "uniform"
	case s.Stride == 0:
		return "uniform(" + align + ")"
	case s.Stride == 1 && align == "":
		return "contiguous"
	case s.Stride == 1:
		return "contiguous(" + align + ")"
	case align == "":
		return fmt.Sprintf("strided(%d)", s.Stride)
	}
	return fmt.Sprintf("strided(%d, %s)", s.Stride, align)
}

// varying is the top of the lattice.
var varying = Shape{Kind: Varying, Align: 1}

// strided makes a shape; for floats and i1, which have no steps, use Uniform.
func strided(stride, align int64) Shape { return Shape{Strided, stride, max(align, 1)} }

// join returns the least shape that covers both.
func join(a, b Shape) Shape {
	switch {
	case a.Kind == Bottom:
		return b
	case b.Kind == Bottom:
		return a
	case a.Kind == Strided && b.Kind == Strided && a.Stride == b.Stride:
		return strided(a.Stride, min(a.Align, b.Align))
	}
	return varying
}
