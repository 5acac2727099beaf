package lower

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// convert lowers convert_T<_sat><_round> (OpenCL C 1.2 §6.2.3).
func convert(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	from := types.ElemScalar(c.Params[0])
	out := make([]*kernel.Value, c.N)
	for i, x := range args[0].val {
		switch {
		case c.Elem.IsFloat():
			out[i] = l.roundTo(c.Elem, from, x, c.Round)
		case from.IsFloat():
			out[i] = l.floatToInt(c.Elem, x, c.Round, c.Sat)
		case c.Sat:
			out[i] = l.saturate(c.Elem, from, x)
		default:
			out[i] = l.number(c.Elem, from, x)
		}
	}
	return out
}

// limits returns the smallest and the largest value of an integer type.
func limits(s *types.Scalar) (lo, hi uint64) {
	b := s.Bits()
	if s.IsSigned() {
		return ^uint64(0) << (b - 1), 1<<(b-1) - 1
	}
	return 0, ^uint64(0) >> (64 - b)
}

// saturate converts an integer to the nearest value of type to.
func (l *lowerer) saturate(to, from *types.Scalar, x *kernel.Value) *kernel.Value {
	if from == types.Bool {
		return l.number(to, from, x)
	}
	fromLo, fromHi := limits(from)
	toLo, toHi := limits(to)
	if from.IsSigned() {
		if int64(toLo) > int64(fromLo) { // also for unsigned targets: 0
			x = l.op(alu.SMax, x, l.konst(x.Type, toLo))
		}
		if toHi < fromHi {
			x = l.op(alu.SMin, x, l.konst(x.Type, toHi))
		}
	} else if toHi < fromHi {
		x = l.op(alu.UMin, x, l.konst(x.Type, toHi))
	}
	return l.number(to, from, x)
}

var roundOps = map[builtins.Round]alu.Op{
	builtins.ToEven: alu.FRint, builtins.ToPositive: alu.FCeil, builtins.ToNegative: alu.FFloor,
}

// floatToInt converts a floating value to integer type to. With sat, NaN becomes 0;
// without it, values out of range give the result of the IR operation.
func (l *lowerer) floatToInt(to *types.Scalar, x *kernel.Value, round builtins.Round, sat bool) *kernel.Value {
	x = l.widen(x)
	if op, ok := roundOps[round]; ok {
		x = l.op(op, x)
	}
	t := scalarType(to)
	from := types.Float
	if x.Type == alu.F64 {
		from = types.Double
	}
	r := l.number(to, from, x)
	if !sat {
		return r
	}
	// The bounds are exact: both are 0 or powers of two.
	lo, hi := limits(to)
	above := math.Ldexp(1, to.Bits())
	least := 0.0
	if to.IsSigned() {
		above /= 2
		least = -above
	}
	tooHigh := l.op(alu.FLe, l.floatConst(from, above), x)
	tooLow := l.op(alu.FLt, x, l.floatConst(from, least))
	r = l.selectOp(tooHigh, l.konst(t, hi), r)
	r = l.selectOp(tooLow, l.konst(t, lo), r)
	return l.selectOp(l.op(alu.FNe, x, x), l.konst(t, 0), r)
}

// roundTo converts a number to floating type to with the given rounding mode: it rounds
// to nearest even, then moves to the neighbor if that went in the wrong direction.
func (l *lowerer) roundTo(to, from *types.Scalar, x *kernel.Value, round builtins.Round) *kernel.Value {
	if round == builtins.DefaultRound || round == builtins.ToEven || from == types.Bool ||
		from.IsFloat() && from.Size() <= to.Size() {
		return l.number(to, from, x)
	}
	if to == types.Half && from.IsInteger() && from.Bits() == 64 { // values outside 32 bits round like the 32-bit limits
		small := types.UInt
		if from.IsSigned() {
			small = types.Int
		}
		x, from = l.saturate(small, from, x), small
	}
	r := l.number(to, from, x)
	above, below := l.sides(r, x, from)
	t := r.Type
	bits := l.conv(alu.Bitcast, alu.IntOf(t.Bits()), r)
	one := l.konst(bits.Type, 1)
	negative := l.op(alu.Slt, bits, l.konst(bits.Type, 0))
	inward, outward := l.op(alu.Sub, bits, one), l.op(alu.Add, bits, one)
	var step, wrong *kernel.Value
	switch round {
	case builtins.ToNegative:
		step, wrong = l.selectOp(negative, outward, inward), above
	case builtins.ToPositive:
		step, wrong = l.selectOp(negative, inward, outward), below
	default:
		step, wrong = inward, l.selectOp(negative, below, above)
	}
	return l.conv(alu.Bitcast, t, l.selectOp(wrong, step, bits))
}

// sides reports whether r, which is x rounded, is above or below x.
func (l *lowerer) sides(r, x *kernel.Value, from *types.Scalar) (above, below *kernel.Value) {
	if from.IsFloat() || from.Bits() < 64 { // double represents both exactly
		dx := l.number(types.Double, from, x)
		dr := l.conv(alu.FPExt, alu.F64, r)
		return l.op(alu.FLt, dx, dr), l.op(alu.FLt, dr, dx)
	}
	fs := types.Float
	if r.Type == alu.F64 {
		fs = types.Double
	}
	less, back, limit := alu.Ult, alu.FPToUI, 0x1p64
	if from.IsSigned() {
		less, back, limit = alu.Slt, alu.FPToSI, 0x1p63
	}
	over := l.op(alu.FLe, l.floatConst(fs, limit), r) // includes infinity
	ri := l.conv(back, alu.I64, r)
	above = l.op(alu.Or, over, l.op(less, x, ri))
	below = l.op(alu.And, l.not(over), l.op(less, ri, x))
	return above, below
}
