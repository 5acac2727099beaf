package check

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// evalCall evaluates the built-in functions that are constant if their arguments are:
// as_T (used by INFINITY, NAN and HUGE_VAL), convert_T without a rounding mode, and nan.
func evalCall(e *ast.Call) (v Value, ok bool) {
	if e.Func != nil || len(e.Args) != 1 || types.ElemScalar(e.Typ) == nil {
		return v, false
	}
	reinterpret := strings.HasPrefix(e.Name, "as_") || e.Name == "nan"
	if !reinterpret && e.Name != "convert_"+e.Typ.String() {
		return v, false
	}
	x, ok := Eval(e.Args[0])
	if !ok {
		return v, false
	}
	comps := x.Comps
	if comps == nil {
		comps = []Value{x}
	}
	from, to := types.ElemScalar(e.Args[0].Type()), types.ElemScalar(e.Typ)
	if from == nil {
		return v, false
	}
	var out []Value
	if reinterpret {
		var bits []byte
		var word [8]byte
		for _, c := range comps {
			b := constantBits(from, c)
			if e.Name == "nan" { // a quiet NaN with these bits as its payload
				b |= constantBits(to, Value{Float: math.NaN()}) &^ 1
			}
			binary.LittleEndian.PutUint64(word[:], b)
			bits = append(bits, word[:from.Size()]...)
		}
		bits = append(bits, make([]byte, 8)...) // padding for the fourth component of three, and for reads of whole words at the end
		size := int(to.Size())
		for i := range types.NumElems(e.Typ) {
			if i*size+8 > len(bits) {
				return v, false
			}
			out = append(out, constantOf(to, binary.LittleEndian.Uint64(bits[i*size:])))
		}
	} else {
		for _, c := range comps {
			out = append(out, convertConstant(from, to, c))
		}
	}
	if types.IsVector(e.Typ) {
		return Value{Comps: out}, true
	}
	return out[0], true
}

// constantBits returns the representation of the constant v of type t.
func constantBits(t *types.Scalar, v Value) uint64 {
	switch t {
	case types.Double:
		return math.Float64bits(v.Float)
	case types.Float:
		return uint64(math.Float32bits(float32(v.Float)))
	case types.Half:
		return alu.Eval(alu.FPTrunc, alu.F16, alu.F64, math.Float64bits(v.Float), 0, 0)
	}
	return v.Int
}

// constantOf returns the constant of type t with the given low bits.
func constantOf(t *types.Scalar, bits uint64) Value {
	switch t {
	case types.Double:
		return Value{Type: t, Float: math.Float64frombits(bits)}
	case types.Float:
		return Value{Type: t, Float: float64(math.Float32frombits(uint32(bits)))}
	case types.Half:
		return Value{Type: t, Float: math.Float64frombits(alu.Eval(alu.FPExt, alu.F64, alu.F16, bits&0xffff, 0, 0))}
	}
	return intValue(t, bits)
}

// convertConstant converts v from type from to type to, like a cast.
func convertConstant(from, to *types.Scalar, v Value) Value {
	switch castKind(from, to) {
	case ast.ToBool:
		return boolValue(v.Int != 0 || v.Float != 0)
	case ast.IntToFloat:
		return intToFloat(from, to, v.Int)
	case ast.FloatResize:
		return floatValue(to, v.Float)
	case ast.FloatToInt:
		return floatToInt(to, v.Float)
	}
	if to.IsFloat() {
		return Value{Type: to, Float: v.Float}
	}
	return intValue(to, v.Int)
}
