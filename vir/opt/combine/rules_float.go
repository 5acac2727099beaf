package combine

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// floatRules contains only rules whose result is the same for every operand; all NaNs count
// as equal.
func floatRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{
		alu.FAdd: {fadd},
		alu.FSub: {fsub},
		alu.FMul: {fmul},
		alu.FDiv: {fdiv},
		alu.FMA:  {fma},
		alu.FNeg: {fneg},
		alu.FAbs: {fabs},
		alu.FMin: {fminMax},
		alu.FMax: {fminMax},

		alu.FFloor: {roundRule},
		alu.FCeil:  {roundRule},
		alu.FTrunc: {roundRule},
		alu.FRint:  {roundRule},
	}
}

// floatValue returns the value of a floating-point constant.
func floatValue(v *vir.Value) (f float64, ok bool) {
	if v.Op != vir.Const {
		return 0, false
	}
	if v.Type.Elem == alu.F32 {
		return float64(math.Float32frombits(uint32(v.Const))), true
	}
	return math.Float64frombits(v.Const), true
}

func isFloat(v *vir.Value, f float64) bool {
	x, ok := floatValue(v)
	return ok && x == f && math.Signbit(x) == math.Signbit(f)
}

var minusZero = math.Copysign(0, -1)

func fadd(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if isFloat(y, minusZero) {
		return x
	}
	for range 2 {
		if y.Op == alu.FNeg {
			return s.make(alu.FSub, v.Type, x, y.Args[0])
		}
		x, y = y, x
	}
	return nil
}

func fsub(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case isFloat(y, 0):
		return x
	case y.Op == alu.FNeg:
		return s.make(alu.FAdd, v.Type, x, y.Args[0])
	}
	return nil
}

func fmul(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case isFloat(y, 1):
		return x
	case isFloat(y, -1):
		return s.make(alu.FNeg, v.Type, x)
	case isFloat(y, 2):
		return s.make(alu.FAdd, v.Type, x, x)
	case x.Op == alu.FNeg && y.Op == alu.FNeg:
		return s.make(alu.FMul, v.Type, x.Args[0], y.Args[0])
	}
	return nil
}

// fdiv multiplies by the reciprocal if that is exact: the divisor is a power of two and
// neither is subnormal.
func fdiv(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	f, ok := floatValue(y)
	if !ok {
		return nil
	}
	if f == 1 {
		return x
	}
	frac, exp := math.Frexp(f)
	limit := 1020
	if v.Type.Elem == alu.F32 {
		limit = 124
	}
	if math.Abs(frac) != 0.5 || exp > limit || exp < -limit {
		return nil
	}
	inverse := math.Float64bits(1 / f)
	if v.Type.Elem == alu.F32 {
		inverse = uint64(math.Float32bits(float32(1 / f)))
	}
	return s.make(alu.FMul, v.Type, x, s.constant(v.Type, inverse))
}

func fma(s *rewriter, v *vir.Value) *vir.Value {
	x, y, z := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case isFloat(y, 1):
		return s.make(alu.FAdd, v.Type, x, z)
	case isFloat(y, -1):
		return s.make(alu.FSub, v.Type, z, x)
	case isFloat(z, minusZero):
		return s.make(alu.FMul, v.Type, x, y)
	}
	return nil
}

func fneg(s *rewriter, v *vir.Value) *vir.Value {
	if x := v.Args[0]; x.Op == alu.FNeg {
		return x.Args[0]
	}
	return nil
}

func fabs(s *rewriter, v *vir.Value) *vir.Value {
	switch x := v.Args[0]; x.Op {
	case alu.FAbs:
		return x
	case alu.FNeg:
		return s.make(alu.FAbs, v.Type, x.Args[0])
	}
	return nil
}

func fminMax(s *rewriter, v *vir.Value) *vir.Value {
	if v.Args[0] == v.Args[1] {
		return v.Args[0]
	}
	return nil
}

// roundRule removes the rounding of a value that is already integral.
func roundRule(s *rewriter, v *vir.Value) *vir.Value {
	switch v.Args[0].Op {
	case alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint:
		return v.Args[0]
	case alu.SIToFP, alu.UIToFP:
		return v.Args[0]
	}
	return nil
}
