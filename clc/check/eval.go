package check

import (
	"math"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// Value is a constant.
//
// For an integer (enum, bool), Int holds the bits, extended to 64 according to the
// signedness of the type. For a floating type, Float holds the value, rounded to the
// type. For a vector, Comps holds the components. A pointer is Base or Str (neither for
// an absolute address) plus Int bytes.
type Value struct {
	Type  types.Type
	Int   uint64
	Float float64
	Comps []Value
	Base  *ast.Var
	Str   *ast.StringLit
}

// Eval evaluates a checked constant expression; ok is false if e is not constant. It
// folds arithmetic and address constants in the sense of C, and vectors of arithmetic
// constants. It also reads const scalars with constant initializers, which the checker
// has replaced by literals. Integer division by zero is not constant.
func Eval(e ast.Expr) (v Value, ok bool) {
	v, ok = eval(e)
	v.Type = e.Type()
	return v, ok
}

func eval(e ast.Expr) (v Value, ok bool) {
	switch e := e.(type) {
	case *ast.IntLit:
		return Value{Type: e.Typ, Int: e.Value}, e.Typ != nil
	case *ast.FloatLit:
		return Value{Type: e.Typ, Float: e.Value}, e.Typ != nil
	case *ast.Cast:
		return evalCast(e)
	case *ast.Unary:
		return evalUnary(e)
	case *ast.Binary:
		return evalBinary(e)
	case *ast.Logical:
		x, ok := Eval(e.X)
		if !ok {
			return v, false
		}
		if (x.Int != 0) == (e.Op == ast.OpLOr) {
			return intValue(types.Int, x.Int), true
		}
		y, ok := Eval(e.Y)
		return intValue(types.Int, y.Int), ok
	case *ast.Cond:
		c, ok := Eval(e.C)
		if !ok {
			return v, false
		}
		if c.Int != 0 {
			return Eval(e.X)
		}
		return Eval(e.Y)
	case *ast.Select:
		return evalSelect(e)
	case *ast.VectorLit:
		vec, isVec := e.Typ.(*types.Vector)
		if !isVec {
			return v, false
		}
		v.Comps = make([]Value, 0, vec.N)
		for _, x := range e.Elems {
			xv, ok := Eval(x)
			if !ok {
				return v, false
			}
			if xv.Comps != nil {
				v.Comps = append(v.Comps, xv.Comps...)
			} else {
				v.Comps = append(v.Comps, xv)
			}
		}
		return v, len(v.Comps) == vec.N
	case *ast.Swizzle:
		x, ok := Eval(e.X)
		if !ok {
			return v, false
		}
		for _, i := range e.Idx {
			if int(i) >= len(x.Comps) {
				v.Comps = append(v.Comps, Value{Type: types.ElemScalar(e.X.Type())})
				continue
			}
			v.Comps = append(v.Comps, x.Comps[i])
		}
		if len(e.Idx) == 1 {
			return v.Comps[0], true
		}
		return v, true
	case *ast.PtrAdd:
		return evalPtrAdd(e)
	case *ast.PtrDiff:
		return evalPtrDiff(e)
	case *ast.Comma:
		if _, ok := Eval(e.X); !ok {
			return v, false
		}
		return Eval(e.Y)
	case *ast.Call:
		return evalCall(e)
	}
	return v, false
}

// evalAddr evaluates the address of the lvalue e.
func evalAddr(e ast.Expr) (v Value, ok bool) {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Var != nil && (e.Var.Global || e.Var.Space == types.Constant) {
			return Value{Base: e.Var}, true
		}
	case *ast.StringLit:
		return Value{Str: e}, true
	case *ast.Member:
		if v, ok = evalAddr(e.X); ok {
			v.Int += uint64(e.Offset)
		}
		return v, ok
	case *ast.Index:
		v, ok = Eval(e.X)
		i, iok := Eval(e.I)
		v.Int += i.Int * uint64(e.Typ.Size())
		return v, ok && iok
	case *ast.Unary:
		if e.Op == ast.OpDeref {
			return Eval(e.X)
		}
	}
	return v, false
}

func evalPtrAdd(e *ast.PtrAdd) (Value, bool) {
	x, ok := Eval(e.X)
	i, iok := Eval(e.I)
	ptr, isPtr := e.Typ.(*types.Pointer)
	if !ok || !iok || !isPtr {
		return Value{}, false
	}
	n := i.Int * uint64(ptr.Elem.Size())
	if e.Neg {
		n = -n
	}
	x.Int += n
	return x, true
}

// evalPtrDiff subtracts two addresses in one object.
func evalPtrDiff(e *ast.PtrDiff) (Value, bool) {
	x, ok1 := Eval(e.X)
	y, ok2 := Eval(e.Y)
	ptr, isPtr := e.X.Type().(*types.Pointer)
	if !ok1 || !ok2 || !isPtr || x.Base != y.Base || x.Str != y.Str || ptr.Elem.Size() == 0 {
		return Value{}, false
	}
	return Value{Int: uint64(int64(x.Int-y.Int) / ptr.Elem.Size())}, true
}

// EvalInt is Eval for integer expressions: the value is sign- or zero-extended.
func EvalInt(e ast.Expr) (int64, bool) {
	if !types.IsInteger(e.Type()) {
		return 0, false
	}
	v, ok := Eval(e)
	return int64(v.Int), ok
}

func intValue(t *types.Scalar, v uint64) Value { return Value{Type: t, Int: wrap(t, v)} }

// wrap truncates v to the width of t and extends it according to t's signedness.
func wrap(t *types.Scalar, v uint64) uint64 {
	switch t.Kind {
	case types.KindBool:
		return v & 1
	case types.KindLong, types.KindULong:
		return v
	}
	shift := 64 - uint(t.Size())*8
	if t.IsSigned() {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}

func floatValue(t *types.Scalar, f float64) Value {
	switch t.Kind {
	case types.KindFloat:
		f = float64(float32(f))
	case types.KindHalf:
		f = roundHalf(f)
	}
	return Value{Type: t, Float: f}
}

func evalCast(e *ast.Cast) (Value, bool) {
	switch e.Kind {
	case ast.ArrayDecay:
		return evalAddr(e.X)
	case ast.LValueToRValue:
		return evalConstVar(e.X)
	}
	x, ok := Eval(e.X)
	if !ok {
		return x, false
	}
	switch e.Kind {
	case ast.PtrCast, ast.IntToPtr:
		return x, true
	case ast.NoOp, ast.MostlyZero, ast.MostlyNot:
		if s := types.ScalarType(e.Typ); s != nil && s.IsInteger() {
			return intValue(s, x.Int), true
		}
		return x, true
	case ast.PtrToInt:
		return x, x.Base == nil && x.Str == nil
	case ast.ToBool:
		s := types.ScalarType(x.Type)
		if x.Base != nil || x.Str != nil {
			return Value{Int: 1}, true
		}
		if s != nil && s.IsFloat() {
			return boolValue(x.Float != 0), true
		}
		return boolValue(x.Int != 0), true
	case ast.Splat:
		vec, ok := e.Typ.(*types.Vector)
		if !ok {
			return x, false
		}
		v := Value{Comps: make([]Value, vec.N)}
		for i := range v.Comps {
			v.Comps[i] = x
		}
		return v, true
	}
	from, to := types.ScalarType(x.Type), types.ScalarType(e.Typ)
	if from == nil || to == nil {
		return x, false
	}
	switch e.Kind {
	case ast.IntResize, ast.IntToFloat, ast.FloatResize, ast.FloatToInt:
		return convertConstant(from, to, x), true
	}
	return x, false
}

// evalConstVar reads x if x is a const or __constant scalar with a literal as
// initializer, or a __constant pointer with a constant initializer.
func evalConstVar(x ast.Expr) (Value, bool) {
	id, ok := x.(*ast.Ident)
	if ok && id.Var != nil && types.IsPointer(id.Var.Type) && id.Var.Space == types.Constant && id.Var.Quals&types.Volatile == 0 &&
		id.Var.Init != nil && id.Var.Init.Constant && len(id.Var.Init.Stores) == 1 {
		return Eval(id.Var.Init.Stores[0].X)
	}
	if !ok {
		return evalElement(x)
	}
	if !isConstScalar(id.Var) || id.Var.Init == nil || len(id.Var.Init.Stores) != 1 {
		return Value{}, false
	}
	switch lit := id.Var.Init.Stores[0].X.(type) {
	case *ast.IntLit, *ast.FloatLit:
		return Eval(lit)
	}
	return Value{}, false
}

// evalElement reads a scalar from a string literal or from a constant object.
func evalElement(x ast.Expr) (Value, bool) {
	t := types.ScalarType(x.Type())
	at, ok := evalAddr(x)
	if t == nil || !ok {
		return Value{}, false
	}
	off := int64(at.Int)
	if at.Str != nil && t.Size() == 1 && off >= 0 && off < int64(len(at.Str.Value)) {
		return intValue(t, uint64(at.Str.Value[off])), true
	}
	if v := at.Base; v != nil && v.Init != nil && v.Init.Constant && v.Quals&types.Volatile == 0 && (v.Space == types.Constant || v.Quals&types.Const != 0) {
		for i := len(v.Init.Stores) - 1; i >= 0; i-- { // the last store to an element determines its value
			s := &v.Init.Stores[i]
			size, count := s.X.Type().Size(), max(s.Count, 1)
			if off+t.Size() <= s.Offset || off >= s.Offset+(count-1)*s.Stride+size {
				continue
			}
			if k := off - s.Offset; types.ScalarType(s.X.Type()) == t && k >= 0 && (k == 0 || count > 1 && k%s.Stride == 0) {
				return Eval(s.X)
			}
			return Value{}, false
		}
	}
	return Value{}, false
}

func isConstScalar(v *ast.Var) bool {
	return v != nil && types.IsArithmetic(v.Type) && v.Quals&types.Volatile == 0 && !v.Param &&
		(v.Quals&types.Const != 0 || v.Space == types.Constant)
}

// foldConst replaces the constant initializer of a const scalar by a literal, so that the
// variable can be used in array lengths and case labels.
func foldConst(v *ast.Var) {
	if !isConstScalar(v) || v.Init == nil || len(v.Init.Stores) != 1 {
		return
	}
	s := &v.Init.Stores[0]
	val, ok := Eval(s.X)
	if !ok {
		return
	}
	info := ast.ExprInfo{At: s.X.Pos(), Typ: v.Type}
	if types.IsFloating(v.Type) {
		s.X = &ast.FloatLit{ExprInfo: info, Value: val.Float}
	} else {
		s.X = &ast.IntLit{ExprInfo: info, Value: val.Int}
	}
}

func boolValue(b bool) Value {
	if b {
		return Value{Type: types.Bool, Int: 1}
	}
	return Value{Type: types.Bool}
}

// intToFloat rounds once: a 64-bit integer is converted directly to float32.
func intToFloat(from, to *types.Scalar, v uint64) Value {
	switch {
	case to.Kind == types.KindFloat && from.IsSigned():
		return floatValue(to, float64(float32(int64(v))))
	case to.Kind == types.KindFloat:
		return floatValue(to, float64(float32(v)))
	case from.IsSigned():
		return floatValue(to, float64(int64(v)))
	}
	return floatValue(to, float64(v))
}

// floatToInt converts like the IR operation: out-of-range values give the smallest signed
// or the largest unsigned value; narrow types are converted through 32 bits.
func floatToInt(to *types.Scalar, f float64) Value {
	f = math.Trunc(f)
	switch to.Kind {
	case types.KindULong:
		if !(f >= 0 && f < 1<<64) {
			return Value{Type: to, Int: math.MaxUint64}
		}
		return Value{Type: to, Int: uint64(f)}
	case types.KindLong:
		if !(f >= -(1<<63) && f < 1<<63) {
			return Value{Type: to, Int: 1 << 63}
		}
		return Value{Type: to, Int: uint64(int64(f))}
	case types.KindUInt:
		if !(f >= 0 && f < 1<<32) {
			return Value{Type: to, Int: math.MaxUint32}
		}
		return Value{Type: to, Int: uint64(f)}
	}
	if !(f >= -(1<<31) && f < 1<<31) {
		return intValue(to, 1<<31)
	}
	return intValue(to, uint64(int64(f)))
}

// lanes applies f to each component of a vector, or to the scalar itself.
func lanes(t types.Type, xs []Value, f func(comps []Value) (Value, bool)) (Value, bool) {
	vec, isVec := t.(*types.Vector)
	if !isVec {
		return f(xs)
	}
	out := Value{Comps: make([]Value, vec.N)}
	args := make([]Value, len(xs))
	for i := range out.Comps {
		for j, x := range xs {
			if i >= len(x.Comps) {
				return out, false
			}
			args[j] = x.Comps[i]
		}
		v, ok := f(args)
		if !ok {
			return out, false
		}
		out.Comps[i] = v
	}
	return out, true
}

func evalUnary(e *ast.Unary) (Value, bool) {
	if e.Op == ast.OpAddr {
		return evalAddr(e.X)
	}
	if e.Op == ast.OpDeref {
		return Value{}, false
	}
	x, ok := Eval(e.X)
	if !ok {
		return x, false
	}
	return lanes(e.Typ, []Value{x}, func(a []Value) (Value, bool) {
		x, to := a[0], types.ElemScalar(e.Typ)
		from := types.ScalarType(x.Type)
		if to == nil || from == nil {
			return x, false
		}
		switch e.Op {
		case ast.OpNeg:
			if to.IsFloat() {
				return floatValue(to, -x.Float), true
			}
			return intValue(to, -x.Int), true
		case ast.OpNot:
			return intValue(to, ^x.Int), true
		case ast.OpLNot:
			return truth(e.Typ, x.Int == 0 && x.Float == 0), true
		}
		return x, e.Op == ast.OpPlus
	})
}

// truth returns the result of a comparison: 1 for scalars, -1 in vectors.
func truth(t types.Type, b bool) Value {
	s := types.ElemScalar(t)
	switch {
	case !b:
		return intValue(s, 0)
	case types.IsVector(t):
		return intValue(s, ^uint64(0))
	}
	return intValue(s, 1)
}

func evalSelect(e *ast.Select) (Value, bool) {
	c, ok1 := Eval(e.C)
	x, ok2 := Eval(e.X)
	y, ok3 := Eval(e.Y)
	if !ok1 || !ok2 || !ok3 {
		return x, false
	}
	s := types.ElemScalar(e.C.Type())
	return lanes(e.Typ, []Value{c, x, y}, func(a []Value) (Value, bool) {
		if int64(wrap(s.Signed(), a[0].Int)) < 0 {
			return a[1], true
		}
		return a[2], true
	})
}

func evalBinary(e *ast.Binary) (Value, bool) {
	x, ok := Eval(e.X)
	if !ok {
		return x, false
	}
	y, ok := Eval(e.Y)
	if !ok {
		return y, false
	}
	if types.IsPointer(e.X.Type()) {
		if x.Base != y.Base || x.Str != y.Str {
			return x, false
		}
		b, ok := compareInt(e.Op, types.ULong, x.Int, y.Int)
		return truth(e.Typ, b), ok
	}
	return lanes(e.Typ, []Value{x, y}, func(a []Value) (Value, bool) {
		return evalScalar(e.Op, e.Typ, types.ElemScalar(e.X.Type()), a[0], a[1])
	})
}

// evalScalar evaluates one component of a Binary with operands of type s.
func evalScalar(op ast.Op, result types.Type, s *types.Scalar, x, y Value) (Value, bool) {
	if s == nil {
		return x, false
	}
	switch op {
	case ast.OpLAnd:
		return truth(result, (x.Int != 0 || x.Float != 0) && (y.Int != 0 || y.Float != 0)), true
	case ast.OpLOr:
		return truth(result, x.Int != 0 || x.Float != 0 || y.Int != 0 || y.Float != 0), true
	}
	if s.IsFloat() {
		return evalFloat(op, result, s, x.Float, y.Float)
	}
	if op.IsComparison() {
		b, ok := compareInt(op, s, x.Int, y.Int)
		return truth(result, b), ok
	}
	bits := uint64(s.Bits())
	var v uint64
	switch op {
	case ast.OpAdd:
		v = x.Int + y.Int
	case ast.OpSub:
		v = x.Int - y.Int
	case ast.OpMul:
		v = x.Int * y.Int
	case ast.OpAnd:
		v = x.Int & y.Int
	case ast.OpOr:
		v = x.Int | y.Int
	case ast.OpXor:
		v = x.Int ^ y.Int
	case ast.OpShl:
		v = x.Int << (y.Int & (bits - 1))
	case ast.OpShr:
		if s.IsSigned() {
			v = uint64(int64(x.Int) >> (y.Int & (bits - 1)))
		} else {
			v = x.Int >> (y.Int & (bits - 1))
		}
	case ast.OpDiv, ast.OpRem:
		if y.Int == 0 {
			return x, false
		}
		v = divide(op, s.IsSigned(), x.Int, y.Int)
	default:
		return x, false
	}
	return intValue(s, v), true
}

func divide(op ast.Op, signed bool, x, y uint64) uint64 {
	switch {
	case signed && int64(y) == -1: // the only quotient that overflows wraps
		if op == ast.OpDiv {
			return -x
		}
		return 0
	case signed && op == ast.OpDiv:
		return uint64(int64(x) / int64(y))
	case signed:
		return uint64(int64(x) % int64(y))
	case op == ast.OpDiv:
		return x / y
	}
	return x % y
}

func compareInt(op ast.Op, s *types.Scalar, x, y uint64) (result, ok bool) {
	less, eq := x < y, x == y
	if s.IsSigned() {
		less = int64(x) < int64(y)
	}
	return compare(op, less, !less && !eq, eq)
}

func compare(op ast.Op, less, greater, eq bool) (result, ok bool) {
	switch op {
	case ast.OpLT:
		return less, true
	case ast.OpGT:
		return greater, true
	case ast.OpLE:
		return less || eq, true
	case ast.OpGE:
		return greater || eq, true
	case ast.OpEQ:
		return eq, true
	case ast.OpNE:
		return !eq, true
	}
	return false, false
}

// evalFloat computes in double and rounds to s. For + - * / of float and half the result
// equals that of a single rounding (Figueroa 1995).
func evalFloat(op ast.Op, result types.Type, s *types.Scalar, x, y float64) (Value, bool) {
	if op.IsComparison() {
		b, ok := compare(op, x < y, x > y, x == y)
		return truth(result, b), ok
	}
	var f float64
	switch op {
	case ast.OpAdd:
		f = x + y
	case ast.OpSub:
		f = x - y
	case ast.OpMul:
		f = x * y
	case ast.OpDiv:
		f = x / y
	default:
		return Value{}, false
	}
	return floatValue(s, f), true
}
