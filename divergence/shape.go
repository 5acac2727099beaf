// Package divergence computes which values of a kernel are uniform, strided or
// varying across lanes, and which branches are divergent.
//
// Lanes are consecutive work-items along dimension 0. The analysis relies on
// guarantees of package launch:
//
//   - Lane 0 of W lanes is in the range, but may be inactive while others are
//     active. Lanes outside the range are never active.
//   - Sizes and offsets are at most 2^31, so that global ids fit in 32 bits, and in
//     31 with a small margin, unless Options.Far is set.
//   - In kernels that use local ids, the local id of lane 0 along dimension 0 is a
//     multiple of W. Global ids have no such alignment: an offset may be any number.
//
// The analysis reads the kernel IR and does not change it. Its results are tables
// indexed by value and block IDs. It must be free of linearizers and targets.
package divergence

import "fmt"

// Shape describes a value across the lanes that are active together. The
// lattice is Bottom < strided, piecewise < Varying; a strided value is
//
//	value(lane) = value(lane 0) + lane*Stride   (mod 2^bits)
//
// and a piecewise one
//
//	value(lane) = value(lane 0) + lane%Piece*Stride + lane/Piece*Step   (mod 2^bits)
//
// as x%Piece (Step 0) or x/Piece (Stride 0) of a contiguous aligned x. Align, a power of two, divides value(lane 0) as an unsigned number. A
// uniform value has Stride 0. Floats and i1 are uniform or varying. If lane 0 is
// inactive, value(lane 0) is the result that its operands would give.
type Shape struct {
	Kind   Kind
	Stride int64 // in units of the value, bytes for pointers
	Align  int64 // at least 1 where Kind is Strided or Piecewise

	// Where Kind is Piecewise; else 0.
	Piece int64 // lanes of a piece, a power of two
	Step  int64 // from piece to piece; not Piece*Stride
}

// Kind is the level in the lattice.
type Kind uint8

const (
	Bottom Kind = iota // not reached yet; in a result: unreachable code
	Strided
	Piecewise
	Varying
)

// Uniform returns the shape of a uniform value that is a multiple of align.
func Uniform(align int64) Shape { return Shape{Kind: Strided, Align: align} }

// IsUniform reports whether all active lanes hold the same value. Values of
// unreachable code are uniform.
func (s Shape) IsUniform() bool { return s.Kind == Bottom || s.Kind == Strided && s.Stride == 0 }

// IsStrided reports whether the value is base + lane*Stride, uniform included.
func (s Shape) IsStrided() bool { return s.Kind <= Strided }

// Offset returns the distance of a lane from lane 0, if the value does not vary.
func (s Shape) Offset(lane int64) int64 {
	if s.Kind == Piecewise {
		return lane%s.Piece*s.Stride + lane/s.Piece*s.Step
	}
	return lane * s.Stride
}

// String formats a shape: uniform, uniform(align 16), contiguous, strided(4),
// strided(4, align 64), pieces(16, stride 1, step 0), varying.
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
	case s.Kind == Piecewise && align == "":
		return fmt.Sprintf("pieces(%d, stride %d, step %d)", s.Piece, s.Stride, s.Step)
	case s.Kind == Piecewise:
		return fmt.Sprintf("pieces(%d, stride %d, step %d, %s)", s.Piece, s.Stride, s.Step, align)
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

// strided returns a strided shape of an integer or pointer. Floats and i1 have no
// stride: use Uniform.
func strided(stride, align int64) Shape {
	return Shape{Kind: Strided, Stride: stride, Align: max(align, 1)}
}

// join returns the least shape that covers both.
func join(a, b Shape) Shape {
	switch {
	case a.Kind == Bottom:
		return b
	case b.Kind == Bottom:
		return a
	case a.Kind != Varying && a.Kind == b.Kind && a.Stride == b.Stride && a.Piece == b.Piece && a.Step == b.Step:
		a.Align = min(a.Align, b.Align)
		return a
	}
	return varying
}
