package check

import (
	"fmt"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// bad makes the expression that replaces e after an error was reported.
func (c *checker) bad(e ast.Expr) ast.Expr {
	return &ast.BadExpr{ExprInfo: ast.ExprInfo{At: e.Pos()}}
}

// isBad reports whether an error about e has been reported already.
func isBad(e ast.Expr) bool { return e.Type() == nil }

// cast wraps x in an implicit conversion.
func cast(x ast.Expr, kind ast.CastKind, to types.Type) ast.Expr {
	n := &ast.Cast{Kind: kind, Implicit: true, X: x}
	n.At = x.Pos()
	n.Typ = to
	return n
}

// rvalue loads an lvalue and converts an array to a pointer, which marks the array's
// variable as addressed.
func (c *checker) rvalue(x ast.Expr) ast.Expr {
	if t, ok := x.Type().(*types.Array); ok {
		markAddressed(x)
		return decay(x, t)
	}
	return c.load(x)
}

// element is rvalue for the operand of a subscript: it does not mark an array's variable
// as addressed.
func (c *checker) element(x ast.Expr) ast.Expr {
	if t, ok := x.Type().(*types.Array); ok {
		return decay(x, t)
	}
	return c.load(x)
}

func decay(x ast.Expr, t *types.Array) ast.Expr {
	i := x.Info()
	return cast(x, ast.ArrayDecay, &types.Pointer{Elem: t.Elem, Space: i.Space, Quals: i.Quals &^ types.Restrict})
}

func (c *checker) load(x ast.Expr) ast.Expr {
	if isBad(x) {
		return x
	}
	if id, ok := x.(*ast.Ident); ok && id.Func != nil {
		c.errorf(id.At, "function '%s' can only be called (pointers to functions are not supported)", id.Name)
		return c.bad(x)
	}
	if x.Info().LValue && !types.IsVoid(x.Type()) {
		return cast(x, ast.LValueToRValue, x.Type())
	}
	if types.IsVoid(x.Type()) && x.Info().LValue {
		return cast(x, ast.ToVoid, types.Void)
	}
	return x
}

// markAddressed records that the variable that contains x needs memory.
func markAddressed(x ast.Expr) {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			if e.Var != nil {
				e.Var.Addressed = true
			}
			return
		case *ast.Member:
			x = e.X
		case *ast.Swizzle:
			x = e.X
		case *ast.VecIndex:
			x = e.X
		case *ast.Index:
			d, ok := e.X.(*ast.Cast)
			if !ok || d.Kind != ast.ArrayDecay {
				return
			}
			x = d.X
		case *ast.CompoundLit:
			if e.Var != nil {
				e.Var.Addressed = true
			}
			return
		default:
			return
		}
	}
}

// castKind returns the kind of the conversion between two arithmetic types.
func castKind(from, to *types.Scalar) ast.CastKind {
	switch {
	case from == to:
		return ast.NoOp
	case to.Kind == types.KindBool:
		return ast.ToBool
	case from.IsFloat() && to.IsFloat():
		return ast.FloatResize
	case from.IsFloat():
		return ast.FloatToInt
	case to.IsFloat():
		return ast.IntToFloat
	case from.Bits() == to.Bits():
		return ast.NoOp
	}
	return ast.IntResize
}

// arith converts the arithmetic scalar x to the arithmetic type to.
func arith(x ast.Expr, to types.Type) ast.Expr {
	if types.Identical(x.Type(), to) {
		return x
	}
	return cast(x, castKind(types.ScalarType(x.Type()), types.ScalarType(to)), to)
}

// splat converts the scalar x to vector type v as by a cast or assignment. A bool becomes
// all ones in a vector of integers (OpenCL C 1.2 §6.2.2). Operands are converted by widen
// instead.
func splat(x ast.Expr, v *types.Vector) ast.Expr {
	if x.Type() == types.Bool && v.Elem.IsInteger() {
		n := &ast.Unary{Op: ast.OpNeg, X: arith(x, v.Elem)}
		n.At, n.Typ = x.Pos(), v.Elem
		x = n
	}
	return widen(x, v)
}

// widen converts the scalar x, whose other operand is a vector, to vector type v: x is
// converted to the component type, where true becomes 1, and then repeated (OpenCL C 1.2
// §6.2.6).
func widen(x ast.Expr, v *types.Vector) ast.Expr {
	return cast(arith(x, v.Elem), ast.Splat, v)
}

// promote applies the integer promotions; other types are unchanged.
func (c *checker) promote(x ast.Expr) ast.Expr {
	if isBad(x) {
		return x
	}
	return arithIfScalar(x, promoted(x.Type()))
}

func arithIfScalar(x ast.Expr, t types.Type) ast.Expr {
	if types.IsArithmetic(x.Type()) {
		return arith(x, t)
	}
	return x
}

// promoted returns the type after the integer promotions (C99 §6.3.1.1).
func promoted(t types.Type) types.Type {
	s := types.ScalarType(t)
	if s == nil {
		return t
	}
	if s.IsInteger() && s.Rank() < types.Int.Rank() {
		return types.Int
	}
	return s
}

// common returns the type of the usual arithmetic conversions (C99 §6.3.1.8).
func common(a, b types.Type) *types.Scalar {
	x, y := types.ScalarType(promoted(a)), types.ScalarType(promoted(b))
	if x.Rank() >= y.Rank() {
		return x
	}
	return y
}

// toBool converts the rvalue x to a condition.
func (c *checker) toBool(x ast.Expr) ast.Expr {
	if isBad(x) || x.Type() == types.Bool {
		return x
	}
	if types.IsArithmetic(x.Type()) || types.IsPointer(x.Type()) {
		return cast(x, ast.ToBool, types.Bool)
	}
	hint := ""
	if types.IsVector(x.Type()) {
		hint = " (use any() or all() of a vector)"
	}
	c.errorf(x.Pos(), "a condition must be a number or pointer, found '%s'%s", x.Type(), hint)
	return c.bad(x)
}

// isNull reports whether x is a null pointer constant: an integer constant 0, possibly
// cast to void*.
func isNull(x ast.Expr) bool {
	for {
		k, ok := x.(*ast.Cast)
		if !ok {
			break
		}
		p, isPtr := k.Typ.(*types.Pointer)
		if !isPtr || !types.IsVoid(p.Elem) || k.Kind != ast.IntToPtr && k.Kind != ast.PtrCast {
			break
		}
		x = k.X
	}
	if lit, ok := x.(*ast.IntLit); ok {
		return lit.Value == 0
	}
	if !types.IsInteger(x.Type()) {
		return false
	}
	v, ok := EvalInt(x)
	return ok && v == 0
}

// null makes the null pointer of type p that replaces x.
func null(x ast.Expr, p types.Type) ast.Expr {
	return cast(newInt(x, types.Long, 0, "0"), ast.IntToPtr, p)
}

// assignConv converts the rvalue x as by assignment to an object of type to. context
// ("argument 2 of 'f'") describes the place in messages.
func (c *checker) assignConv(x ast.Expr, to types.Type, context string) ast.Expr {
	if isBad(x) || to == nil {
		return x
	}
	y, why := c.tryAssign(x, to)
	if y != nil {
		return y
	}
	if why != "" {
		why = " (" + why + ")"
	}
	c.errorf(x.Pos(), "cannot convert '%s' to '%s' in %s%s", x.Type(), to, context, why)
	return c.bad(x)
}

// tryAssign is assignConv without the message: if there is no such conversion, it returns
// nil and possibly a reason.
func (c *checker) tryAssign(x ast.Expr, to types.Type) (y ast.Expr, why string) {
	from := x.Type()
	if types.Identical(from, to) {
		return x, ""
	}
	switch to := to.(type) {
	case *types.Scalar, *types.Enum:
		if types.IsVoid(from) || types.IsVoid(to) {
			return nil, ""
		}
		if types.IsArithmetic(from) {
			return arith(x, to), ""
		}
		if types.IsPointer(from) && to == types.Bool {
			return cast(x, ast.ToBool, to), ""
		}
		if types.IsPointer(from) {
			return nil, "a pointer converts to an integer only with a cast"
		}
		if types.IsVector(from) {
			return nil, "take one component, as .x or .s0"
		}
	case *types.Vector:
		if types.IsArithmetic(from) {
			return splat(x, to), ""
		}
		if v, ok := from.(*types.Vector); ok {
			return nil, vectorHint(v, to)
		}
	case *types.Pointer:
		if types.IsInteger(from) {
			if isNull(x) {
				return null(x, to), ""
			}
			return nil, "an integer converts to a pointer only with a cast"
		}
		if p, ok := from.(*types.Pointer); ok {
			if isNull(x) {
				return null(x, to), ""
			}
			if why := pointersAgree(p, to); why != "" {
				return nil, why
			}
			return cast(x, ast.PtrCast, to), ""
		}
	case *types.Opaque:
		if to.Name == "sampler_t" && types.IsInteger(from) {
			return cast(arith(x, types.Int), ast.NoOp, to), ""
		}
		if o, ok := from.(*types.Opaque); ok && to.IsImage() && o.Name == to.Name {
			if o.Access != types.ReadWrite {
				return nil, "the image has another access qualifier"
			}
			return cast(x, ast.NoOp, to), ""
		}
		if to.Name == "event_t" && isNull(x) {
			return cast(x, ast.NoOp, to), ""
		}
	}
	return nil, ""
}

func vectorHint(from, to *types.Vector) string {
	bits := from.Size() == to.Size() && (from.N == to.N || from.N != 3 && to.N != 3) // 3 components take the space of 4
	switch {
	case from.N == to.N && bits:
		return fmt.Sprintf("use convert_%s, or as_%s for the bits", to, to)
	case from.N == to.N:
		return fmt.Sprintf("use convert_%s", to)
	case bits:
		return fmt.Sprintf("as_%s keeps the bits", to)
	}
	return "vectors of different length do not convert"
}

// pointersAgree returns the reason why a pointer p must not be converted implicitly to
// pointer type to, or "". Qualifiers may be dropped and the element types may differ, as
// other compilers only warn and programs rely on it.
func pointersAgree(p, to *types.Pointer) string {
	if p.Space != to.Space && !(to.Space == types.Generic && p.Space != types.Constant) {
		return fmt.Sprintf("%s and %s are different address spaces", p.Space, to.Space)
	}
	if !nestedSpaces(p.Elem, to.Elem) {
		return "the pointers they point to have different address spaces"
	}
	return ""
}

// nestedSpaces reports whether the element types of a and b agree in address space if
// both are pointers.
func nestedSpaces(a, b types.Type) bool {
	for {
		p, ok1 := a.(*types.Pointer)
		q, ok2 := b.(*types.Pointer)
		if !ok1 || !ok2 {
			return true
		}
		if p.Space != q.Space {
			return false
		}
		a, b = p.Elem, q.Elem
	}
}

// similar reports whether a and b are equal except for signedness and nested qualifiers.
func similar(a, b types.Type) bool {
	if types.Identical(a, b) {
		return true
	}
	switch a := a.(type) {
	case *types.Pointer:
		b, ok := b.(*types.Pointer)
		return ok && a.Space == b.Space && similar(a.Elem, b.Elem)
	case *types.Array:
		b, ok := b.(*types.Array)
		return ok && (a.Len == b.Len || a.Len < 0 || b.Len < 0) && similar(a.Elem, b.Elem)
	case *types.Vector:
		b, ok := b.(*types.Vector)
		return ok && a.N == b.N && similar(a.Elem, b.Elem)
	}
	x, y := types.ScalarType(a), types.ScalarType(b)
	return x != nil && y != nil && x.IsInteger() && y.IsInteger() &&
		x.Kind != types.KindBool && y.Kind != types.KindBool && x.Size() == y.Size()
}

// explicitCast types (T)x.
func (c *checker) explicitCast(e *ast.Cast) ast.Expr {
	to := c.typeName(e.To)
	if e.Paren != nil {
		if types.IsVector(to) {
			return c.expr(e.X)
		}
		e.Paren.To, e.Paren = nil, nil
	}
	x := c.rvalue(c.expr(e.X))
	if to == nil || isBad(x) {
		return c.bad(e)
	}
	e.Typ, e.X = to, x
	from := x.Type()
	fail := func(why string) ast.Expr {
		if why != "" {
			why = " (" + why + ")"
		}
		c.errorf(e.At, "cannot cast '%s' to '%s'%s", from, to, why)
		return c.bad(e)
	}
	if types.IsVoid(to) {
		e.Kind = ast.ToVoid
		return e
	}
	if types.IsVoid(from) {
		return fail("")
	}
	switch to := to.(type) {
	case *types.Scalar, *types.Enum:
		s := types.ScalarType(to)
		switch {
		case types.IsArithmetic(from):
			e.Kind = castKind(types.ScalarType(from), s)
			return e
		case types.IsPointer(from) && s.Kind == types.KindBool:
			e.Kind = ast.ToBool
			return e
		case types.IsPointer(from) && s.IsInteger():
			e.X = cast(x, ast.PtrToInt, types.ULong)
			e.Kind = castKind(types.ULong, s)
			return e
		case types.IsVector(from):
			return fail("take one component, as .x or .s0")
		}
	case *types.Vector:
		if types.IsArithmetic(from) {
			s, _ := splat(x, to).(*ast.Cast)
			e.Kind, e.X = ast.Splat, s.X
			return e
		}
		if v, ok := from.(*types.Vector); ok {
			if v == to {
				e.Kind = ast.NoOp
				return e
			}
			return fail(vectorHint(v, to))
		}
	case *types.Pointer:
		if types.IsInteger(from) {
			e.X = arith(x, types.ULong)
			if types.ScalarType(from).IsSigned() {
				e.X = arith(x, types.Long)
			}
			e.Kind = ast.IntToPtr
			return e
		}
		if p, ok := from.(*types.Pointer); ok {
			generic := p.Space == types.Generic || to.Space == types.Generic
			constant := p.Space == types.Constant || to.Space == types.Constant
			if p.Space != to.Space && !(generic && !constant) && !isNull(x) {
				return fail(fmt.Sprintf("%s and %s are different address spaces", p.Space, to.Space))
			}
			e.Kind = ast.PtrCast
			return e
		}
	case *types.Record:
		if types.Identical(from, to) {
			e.Kind = ast.NoOp
			return e
		}
	case *types.Opaque:
		if y, _ := c.tryAssign(x, to); y != nil {
			e.Kind, e.X = ast.NoOp, x
			return e
		}
	}
	return fail("")
}
