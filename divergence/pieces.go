package divergence

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
)

// piecesOf is the transfer rule for results that are piecewise: x%16, x/4, and sums and multiples of such values.
func piecesOf(op alu.Op, res alu.Type, width int, xs []operand, align int64) (Shape, bool) {
	t := xs[0].typ
	word := func(t alu.Type) bool { return t.IsInt() || t.IsPtr() }
	if op == alu.Select {
		x, y := xs[1].Shape, xs[2].Shape
		x.Align, y.Align = align, align
		return x, xs[0].uniform() && x == y && word(res)
	}
	if !word(t) || !word(res) {
		return varying, false
	}
	x := xs[0]
	scaled := func(x Shape, by int64) (Shape, bool) {
		x.Stride, x.Step = x.Stride*by, x.Step*by
		return x.normal(res, align), true
	}
	switch op {
	case alu.Add:
		return sum(res, x.Shape, xs[1].Shape, 1, align)
	case alu.Sub:
		return sum(res, x.Shape, xs[1].Shape, -1, align)
	case alu.Mul:
		for i, y := range xs {
			if c, ok := y.Constant(); ok {
				return scaled(xs[1-i].Shape, int64(c))
			}
		}
	case alu.Shl:
		if c, ok := interval.Shift(t, xs[1].Bounds.Bounds); ok {
			return scaled(x.Shape, 1<<c)
		}
	case alu.Trunc, alu.Bitcast:
		return x.normal(res, align), true
	case alu.ZExt:
		return x.normal(res, align), x.ULinear
	case alu.SExt:
		return x.normal(res, align), x.SLinear
	}
	if out, ok := lowResults(op, t, width, xs); ok {
		return fitPieces(res, out, align)
	}
	return varying, false
}

// keepsPieces reports whether the results of op wrap only where its exact result does not fit: the
// operations for which piecesOf adds and multiplies the steps of lanes.
func keepsPieces(op alu.Op) bool {
	switch op {
	case alu.Add, alu.Sub, alu.Mul, alu.Shl, alu.ZExt, alu.SExt:
		return true
	}
	return false
}

// normal reduces the steps modulo 2^bits, and turns pieces that continue each other into a
// strided shape.
func (s Shape) normal(t alu.Type, align int64) Shape {
	s.Stride, s.Align = wrapStride(t, s.Stride), max(align, 1)
	if s.Kind == Piecewise {
		if s.Step = wrapStride(t, s.Step); s.Step == wrapStride(t, s.Stride*s.Piece) {
			return strided(s.Stride, s.Align)
		}
	}
	return s
}

// sum returns the shape of x + sign*y for values of equal pieces, or of which one is strided.
func sum(t alu.Type, x, y Shape, sign, align int64) (Shape, bool) {
	piece := max(x.Piece, y.Piece)
	if x.Kind == Varying || y.Kind == Varying || x.Kind == Piecewise && y.Kind == Piecewise && x.Piece != y.Piece {
		return varying, false
	}
	step := func(s Shape) int64 {
		if s.Kind == Piecewise {
			return s.Step
		}
		return s.Stride * piece
	}
	out := Shape{Kind: Piecewise, Stride: x.Stride + sign*y.Stride, Piece: piece, Step: step(x) + sign*step(y)}
	if piece == 0 {
		out = strided(out.Stride, 1)
	}
	return out.normal(t, align), true
}

// fitPieces returns the shape of the given distances of lanes.
func fitPieces(t alu.Type, out []uint64, align int64) (Shape, bool) {
	for piece := 1; piece < len(out); piece *= 2 {
		s := Shape{Kind: Piecewise, Piece: int64(piece), Step: int64(out[piece] - out[0])}
		if piece > 1 {
			s.Stride = int64(out[1] - out[0])
		}
		fits := true
		for l, v := range out {
			fits = fits && (v-out[0]-uint64(s.Offset(int64(l))))&t.Mask() == 0
		}
		switch {
		case fits && piece == 1:
			return strided(wrapStride(t, s.Step), align), true
		case fits:
			return s.normal(t, align), true
		}
	}
	return varying, false
}
