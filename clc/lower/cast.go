package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// cast converts the components val of type from to type to.
func (l *lowerer) cast(kind ast.CastKind, to, from types.Type, val []*kernel.Value) []*kernel.Value {
	t, n := regType(to)
	if len(val) == 0 || t == alu.Void {
		return nil
	}
	switch kind {
	case ast.Splat:
		out := make([]*kernel.Value, n)
		for i := range out {
			out[i] = val[0]
		}
		return out
	case ast.Reinterpret:
		return l.reinterpret(t, n, val)
	}
	src, dst := types.ElemScalar(from), types.ElemScalar(to)
	out := make([]*kernel.Value, len(val))
	for i, x := range val {
		switch {
		case kind == ast.ToBool:
			out[i] = l.truth(x)
		case kind == ast.PtrCast || kind == ast.PtrToInt || kind == ast.IntToPtr:
			out[i] = l.pointerCast(t, x)
		case dst == nil && src != nil && t.Bits() != x.Type.Bits(): // 0 as an event
			out[i] = l.konst(t, 0)
		case src == nil || dst == nil:
			out[i] = l.conv(alu.Bitcast, t, x)
		default:
			out[i] = l.number(dst, src, x)
		}
	}
	return out
}

// pointerCast converts between pointers, and between pointers and integers.
func (l *lowerer) pointerCast(t alu.Type, x *kernel.Value) *kernel.Value {
	if x.Type.IsInt() && x.Type.Bits() < 64 {
		x = l.conv(alu.ZExt, alu.I64, x)
	}
	if t.Bits() < 64 {
		return l.conv(alu.Trunc, t, l.conv(alu.Bitcast, alu.I64, x))
	}
	return l.conv(alu.Bitcast, t, x)
}

// truth compares a number or pointer with zero.
func (l *lowerer) truth(x *kernel.Value) *kernel.Value {
	switch {
	case x.Type == alu.I1:
		return x
	case x.Type.IsFloat():
		x = l.widen(x)
		return l.op(alu.FNe, x, l.konst(x.Type, 0))
	}
	return l.op(alu.Ne, x, l.konst(x.Type, 0))
}

// widen converts a half to float, the type in which halves are computed.
func (l *lowerer) widen(x *kernel.Value) *kernel.Value {
	if x.Type == alu.F16 {
		return l.conv(alu.FPExt, alu.F32, x)
	}
	return x
}

// number converts between arithmetic types as in C: integers are rounded toward zero,
// floating types to nearest even.
func (l *lowerer) number(to, from *types.Scalar, x *kernel.Value) *kernel.Value {
	t := scalarType(to)
	switch {
	case to == from:
		return x
	case to == types.Bool:
		return l.truth(x)
	case to.IsFloat() && from.IsFloat():
		if t.Bits() < x.Type.Bits() {
			return l.conv(alu.FPTrunc, t, x)
		}
		return l.conv(alu.FPExt, t, x)
	case to.IsFloat():
		if x.Type.Bits() < 32 {
			x = l.conv(extension(from), alu.I32, x)
			from = types.Int
		}
		op := alu.UIToFP
		if from.IsSigned() {
			op = alu.SIToFP
		}
		if t == alu.F16 { // float represents every integer that does not overflow half
			return l.conv(alu.FPTrunc, t, l.conv(op, alu.F32, x))
		}
		return l.conv(op, t, x)
	case from.IsFloat():
		x = l.widen(x)
		if t.Bits() < 32 {
			return l.conv(alu.Trunc, t, l.conv(alu.FPToSI, alu.I32, x))
		}
		if to.IsSigned() {
			return l.conv(alu.FPToSI, t, x)
		}
		return l.conv(alu.FPToUI, t, x)
	case t.Bits() < x.Type.Bits():
		return l.conv(alu.Trunc, t, x)
	}
	return l.conv(extension(from), t, x)
}

func extension(from *types.Scalar) alu.Op {
	if from.IsSigned() {
		return alu.SExt
	}
	return alu.ZExt
}

// reinterpret makes n components of type t from the bits of val. Both sides have the same
// size, except that 3 components take the space of 4.
func (l *lowerer) reinterpret(t alu.Type, n int, val []*kernel.Value) []*kernel.Value {
	from := val[0].Type
	out := make([]*kernel.Value, n)
	fb, tb := from.Bits(), t.Bits()
	bits := func(i int) *kernel.Value { // component i of val as an integer
		if i >= len(val) {
			return l.konst(alu.IntOf(fb), 0)
		}
		return l.conv(alu.Bitcast, alu.IntOf(fb), val[i])
	}
	for i := range out {
		switch {
		case tb == fb:
			if i >= len(val) {
				out[i] = l.konst(t, 0)
			} else {
				out[i] = l.conv(alu.Bitcast, t, val[i])
			}
		case tb < fb:
			k := fb / tb
			x := l.op(alu.LShr, bits(i/k), l.konst(alu.IntOf(fb), uint64(i%k*tb)))
			out[i] = l.conv(alu.Bitcast, t, l.conv(alu.Trunc, alu.IntOf(tb), x))
		default:
			k := tb / fb
			wide := alu.IntOf(tb)
			x := l.conv(alu.ZExt, wide, bits(i*k))
			for j := 1; j < k; j++ {
				y := l.op(alu.Shl, l.conv(alu.ZExt, wide, bits(i*k+j)), l.konst(wide, uint64(j*fb)))
				x = l.op(alu.Or, x, y)
			}
			out[i] = l.conv(alu.Bitcast, t, x)
		}
	}
	return out
}
