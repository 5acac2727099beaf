package divergence

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
)

// operand is the input of a transfer rule.
type operand struct {
	Shape
	Bounds
	typ alu.Type
}

func (x operand) uniform() bool { return x.Shape.IsUniform() }

// pure is the transfer rule of a pure operation: its shape and bounds, given those of
// its operands, none of which is Bottom. The rules hold for any number of lanes up to
// width and any set of active lanes, but treat lane 0 as active (see Shape and Bounds).
//
// Strides are modulo 2^bits of the type: addition, subtraction, multiplication and
// truncation keep them whether or not a lane wraps. Extensions, divisions, right shifts
// and comparisons need to know that no lane wraps.
func pure(op alu.Op, res alu.Type, width int, xs []operand) (Shape, Bounds) {
	if op == alu.Bitcast && (res == alu.PtrGeneric && xs[0].typ == alu.PtrPrivate || res == alu.PtrPrivate && xs[0].typ == alu.PtrGeneric) {
		return varying, anything(res) // a uniform offset is a different address in each lane
	}
	uniform, piecewise := true, false
	for _, x := range xs {
		if x.Kind == Varying {
			return varying, anything(res)
		}
		uniform, piecewise = uniform && x.uniform(), piecewise || x.Kind == Piecewise
	}
	var in [3]interval.Bounds
	for i, x := range xs {
		in[i] = x.Bounds.Bounds
	}
	of, exact := interval.Of(op, res, xs[0].typ, in[:len(xs)]...)
	b := Bounds{Bounds: of}
	for _, x := range xs {
		exact.Unsigned, exact.Signed = exact.Unsigned && x.ULinear, exact.Signed && x.SLinear
	}
	s := strided(0, alignment(op, res, xs))
	c, constant := b.refine(res, Uniform(1), width).Constant()
	switch {
	case constant && (res.IsInt() || res == alu.I1):
		s.Align = constAlign(c)
	case uniform:
	default:
		stride, ok := int64(0), false
		if !piecewise {
			stride, ok = strideOf(op, res, width, xs)
		}
		if ok {
			s.Stride = wrapStride(res, stride)
		} else if s, ok = piecesOf(op, res, width, xs, s.Align); !ok {
			return varying, anything(res)
		}
		if res == alu.I1 {
			s.Align = 1
		}
		if !s.IsUniform() && (s.Kind == Strided || keepsPieces(op)) {
			b.ULinear, b.SLinear = exact.Unsigned, exact.Signed
		}
	}
	if piecewise && s.Kind == Strided {
		return varying, anything(res) // the operands are kept as vectors, which give no scalar
	}
	return s, b.refine(res, s, width)
}

// wrapStride reduces a stride modulo 2^bits to the residue nearest to zero.
func wrapStride(t alu.Type, stride int64) int64 {
	if t.IsInt() {
		return t.Signed(uint64(stride))
	}
	return stride
}

// strideOf returns the stride of the result, if it is strided.
func strideOf(op alu.Op, res alu.Type, width int, xs []operand) (int64, bool) {
	x, t := xs[0], xs[0].typ
	word := func(t alu.Type) bool { return t.IsInt() || t.IsPtr() }
	switch {
	case op == alu.Select:
		if x.uniform() && xs[1].Stride == xs[2].Stride {
			return xs[1].Stride, true
		}
		return 0, false
	case !word(t):
		return 0, false
	case op == alu.Trunc && res == alu.I1:
		return 0, x.Stride&1 == 0
	case alu.InfoOf(op).Class == alu.Compare:
		return 0, decided(op, t, width, xs)
	case !word(res):
		return 0, false
	}
	if f, ok := strides[op]; ok {
		if s, ok := f(t, width, xs); ok {
			return s, ok
		}
	}
	return inLowBits(op, t, width, xs)
}

type strideRule func(t alu.Type, width int, xs []operand) (int64, bool)

// strides holds the rules that do not use alignments.
var strides = map[alu.Op]strideRule{
	alu.Add: func(_ alu.Type, _ int, xs []operand) (int64, bool) { return xs[0].Stride + xs[1].Stride, true },
	alu.Sub: func(_ alu.Type, _ int, xs []operand) (int64, bool) { return xs[0].Stride - xs[1].Stride, true },
	alu.Mul: func(_ alu.Type, _ int, xs []operand) (int64, bool) {
		for i, x := range xs {
			if c, ok := x.Constant(); ok {
				return xs[1-i].Stride * int64(c), true
			}
		}
		return 0, false
	},
	alu.Shl: func(t alu.Type, _ int, xs []operand) (int64, bool) {
		c, ok := interval.Shift(t, xs[1].Bounds.Bounds)
		return xs[0].Stride << c, ok
	},
	alu.Trunc:   func(_ alu.Type, _ int, xs []operand) (int64, bool) { return xs[0].Stride, true },
	alu.Bitcast: func(_ alu.Type, _ int, xs []operand) (int64, bool) { return xs[0].Stride, true },
	alu.ZExt:    func(_ alu.Type, _ int, xs []operand) (int64, bool) { return xs[0].Stride, xs[0].ULinear },
	alu.SExt:    func(_ alu.Type, _ int, xs []operand) (int64, bool) { return xs[0].Stride, xs[0].SLinear },

	// A stride that the divisor divides changes the quotient by a constant and leaves the
	// remainder uniform.
	alu.LShr: func(t alu.Type, _ int, xs []operand) (int64, bool) {
		c, ok := interval.Shift(t, xs[1].Bounds.Bounds)
		return xs[0].Stride >> c, ok && xs[0].ULinear && xs[0].Stride>>c<<c == xs[0].Stride
	},
	alu.AShr: func(t alu.Type, _ int, xs []operand) (int64, bool) {
		c, ok := interval.Shift(t, xs[1].Bounds.Bounds)
		return xs[0].Stride >> c, ok && xs[0].SLinear && xs[0].Stride>>c<<c == xs[0].Stride
	},
	alu.UDiv: func(t alu.Type, _ int, xs []operand) (int64, bool) {
		d, ok := divisor(t, xs[1])
		return xs[0].Stride / d, ok && xs[0].ULinear && xs[0].Stride%d == 0
	},
	alu.SDiv: func(t alu.Type, _ int, xs []operand) (int64, bool) {
		d, ok := divisor(t, xs[1]) // rounds toward zero, so the dividend must not change sign
		return xs[0].Stride / d, ok && xs[0].SLinear && xs[0].Stride%d == 0 && (xs[0].SLo >= 0 || xs[0].SHi <= 0)
	},
	alu.URem: func(t alu.Type, _ int, xs []operand) (int64, bool) {
		x := xs[0]
		if xs[1].uniform() && x.UHi < xs[1].ULo {
			return x.Stride, true
		}
		d, ok := divisor(t, xs[1])
		return 0, ok && x.Stride%d == 0 && (x.ULinear || d&(d-1) == 0)
	},
	alu.SRem: func(t alu.Type, _ int, xs []operand) (int64, bool) {
		x := xs[0]
		if xs[1].uniform() && x.Nonnegative() && x.SHi < xs[1].SLo {
			return x.Stride, true
		}
		d, ok := divisor(t, xs[1])
		return 0, ok && x.Stride%d == 0 && x.Nonnegative() && (x.SLinear || d&(d-1) == 0)
	},
	alu.And: maskRule(alu.And),
	alu.Or:  maskRule(alu.Or),
	alu.Xor: maskRule(alu.Xor),
	alu.Abs: func(_ alu.Type, _ int, xs []operand) (int64, bool) {
		if xs[0].SLo >= 0 {
			return xs[0].Stride, true
		}
		return -xs[0].Stride, xs[0].SHi <= 0
	},
	alu.UMin: chooseRule(func(x, y operand) bool { return x.UHi <= y.ULo }, false),
	alu.UMax: chooseRule(func(x, y operand) bool { return x.ULo >= y.UHi }, false),
	alu.SMin: chooseRule(func(x, y operand) bool { return x.SHi <= y.SLo }, true),
	alu.SMax: chooseRule(func(x, y operand) bool { return x.SLo >= y.SHi }, true),
}

// divisor returns a constant divisor that is positive as a signed number.
func divisor(t alu.Type, y operand) (int64, bool) {
	c, ok := y.Constant()
	d := t.Signed(c)
	if !ok || d <= 0 {
		return 1, false
	}
	return d, true
}

// chooseRule returns the rule of a minimum or maximum: one operand is always the
// result, or both have the same stride.
func chooseRule(first func(x, y operand) bool, signed bool) strideRule {
	return func(_ alu.Type, _ int, xs []operand) (int64, bool) {
		x, y := xs[0], xs[1]
		switch {
		case first(x, y):
			return x.Stride, true
		case first(y, x):
			return y.Stride, true
		}
		return x.Stride, x.Stride == y.Stride && (signed && x.SLinear && y.SLinear || !signed && x.ULinear && y.ULinear)
	}
}

// maskRule returns the rule of x op c for a uniform c. The stride of x is a multiple of
// 2^k, and the bits of c from k up are all zeros or all ones. The operation then acts on
// the uniform bits below k, and keeps, clears, sets or inverts the bits above.
func maskRule(op alu.Op) strideRule {
	return func(t alu.Type, _ int, xs []operand) (int64, bool) {
		x, c := xs[0], xs[1]
		if x.uniform() {
			x, c = c, x
		}
		if !c.uniform() || !t.IsInt() {
			return 0, false
		}
		m, constant := c.Constant()
		if op == alu.And && constant && (uint64(1)<<bits.Len64(x.UHi)-1)&^m == 0 {
			return x.Stride, true // the mask clears no bit of x
		}
		k := bits.TrailingZeros64(uint64(x.Stride))
		zeros := c.UHi < 1<<k
		set := c.SHi < 0 && c.SLo >= -1<<k
		switch {
		case zeros && op == alu.And, set && op == alu.Or:
			return 0, true
		case zeros, set && op == alu.And:
			return x.Stride, true
		case set: // xor: ^y = -1 - y
			return -x.Stride, true
		}
		return 0, false
	}
}
