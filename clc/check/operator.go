package check

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

func (c *checker) unary(e *ast.Unary) ast.Expr {
	switch e.Op {
	case ast.OpAddr:
		return c.addressOf(e)
	case ast.OpDeref:
		return c.deref(e)
	}
	x := c.rvalue(c.expr(e.X))
	if isBad(x) {
		return c.bad(e)
	}
	s := types.ElemScalar(x.Type())
	if s == nil || s.Kind == types.KindVoid {
		if e.Op == ast.OpLNot && types.IsPointer(x.Type()) {
			e.X, e.Typ = c.toBool(x), types.Int
			return e
		}
		c.errorf(e.At, "'%s' needs a number or vector, found '%s'", e.Op, x.Type())
		return c.bad(e)
	}
	switch e.Op {
	case ast.OpLNot:
		if types.IsVector(x.Type()) {
			e.X, e.Typ = x, types.BoolResult(x.Type())
			return e
		}
		e.X, e.Typ = c.toBool(x), types.Int
		return e
	case ast.OpNot:
		if !s.IsInteger() {
			c.errorf(e.At, "'~' needs integers, found '%s'", x.Type())
			return c.bad(e)
		}
	}
	x = c.promote(x)
	if e.Op == ast.OpPlus {
		return x
	}
	e.X, e.Typ = x, x.Type()
	return e
}

func (c *checker) addressOf(e *ast.Unary) ast.Expr {
	var x ast.Expr
	var void *types.Pointer
	if index, ok := e.X.(*ast.Index); ok {
		x = c.indexed(index, &void)
	} else {
		x = c.expr(e.X)
	}
	if isBad(x) {
		return c.bad(e)
	}
	switch k := x.(type) {
	case *ast.Swizzle, *ast.VecIndex:
		c.errorf(e.At, "cannot take the address of a vector's components")
		return c.bad(e)
	case *ast.Ident:
		if k.Func != nil {
			c.errorf(e.At, "pointers to functions are not supported")
			return c.bad(e)
		}
	}
	i := x.Info()
	if !i.LValue {
		c.errorf(e.At, "cannot take the address of a value of type '%s' that is not an object", x.Type())
		return c.bad(e)
	}
	if o, ok := x.Type().(*types.Opaque); ok && o.Name != "event_t" && o.Name != "clk_event_t" && o.Name != "ndrange_t" {
		c.errorf(e.At, "cannot take the address of a '%s'", o.Name)
		return c.bad(e)
	}
	markAddressed(x)
	e.X = x
	e.Typ = &types.Pointer{Elem: x.Type(), Space: i.Space, Quals: i.Quals &^ types.Restrict}
	if void != nil {
		return cast(e, ast.PtrCast, void)
	}
	return e
}

func (c *checker) deref(e *ast.Unary) ast.Expr {
	x := c.rvalue(c.expr(e.X))
	if isBad(x) {
		return c.bad(e)
	}
	ptr, ok := x.Type().(*types.Pointer)
	if !ok {
		c.errorf(e.At, "'*' needs a pointer, found '%s'", x.Type())
		return c.bad(e)
	}
	if _, isRec := ptr.Elem.(*types.Record); !isRec && !types.IsComplete(ptr.Elem) {
		c.errorf(e.At, "cannot read through a pointer to '%s'", ptr.Elem)
		return c.bad(e)
	}
	e.X = x
	e.Typ, e.LValue, e.Space, e.Quals = ptr.Elem, true, ptr.Space, ptr.Quals
	return e
}

// modifiable reports whether x may be assigned to, and adds an error if not.
func (c *checker) modifiable(x ast.Expr, what string) bool {
	i := x.Info()
	switch {
	case isBad(x):
		return false
	case !i.LValue:
		if s, ok := x.(*ast.Swizzle); ok && s.X.Info().LValue {
			c.errorf(x.Pos(), "cannot %s: a component is repeated", what)
			return false
		}
		c.errorf(x.Pos(), "cannot %s: a value of type '%s' is not an object", what, x.Type())
		return false
	case i.Space == types.Constant:
		c.errorf(x.Pos(), "cannot %s: it is in __constant", what)
		return false
	case i.Quals&types.Const != 0:
		c.errorf(x.Pos(), "cannot %s: it is const", what)
		return false
	}
	switch t := x.Type().(type) {
	case *types.Array:
		c.errorf(x.Pos(), "cannot %s: it is an array ('%s')", what, t)
		return false
	case *types.Record:
		if !t.Complete {
			c.errorf(x.Pos(), "cannot %s: '%s' is incomplete", what, t)
			return false
		}
	}
	return true
}

func (c *checker) incDec(e *ast.IncDec) ast.Expr {
	x := c.expr(e.X)
	what := "increment"
	if e.Op == ast.OpSub {
		what = "decrement"
	}
	if !c.modifiable(x, what+" this") {
		return c.bad(e)
	}
	if ptr, ok := x.Type().(*types.Pointer); ok && !types.IsComplete(ptr.Elem) {
		c.errorf(e.At, "cannot %s a pointer to '%s', which has no size", what, ptr.Elem)
		return c.bad(e)
	} else if !ok && types.ElemScalar(x.Type()) == nil {
		c.errorf(e.At, "cannot %s a '%s'", what, x.Type())
		return c.bad(e)
	}
	e.X, e.Typ = x, x.Type()
	return e
}

// binary types all binary operators except && and ||.
func (c *checker) binary(e *ast.Binary) ast.Expr {
	x, y := c.rvalue(c.expr(e.X)), c.rvalue(c.expr(e.Y))
	if isBad(x) || isBad(y) {
		return c.bad(e)
	}
	if types.IsPointer(x.Type()) || types.IsPointer(y.Type()) {
		return c.pointerOp(e, x, y)
	}
	if e.Op.IsShift() {
		var ok bool
		if x, y, ok = c.shiftOperands(e, e.Op, x, y); !ok {
			return c.bad(e)
		}
		e.X, e.Y, e.Typ = x, y, x.Type()
		return e
	}
	x, y, ok := c.usual(e, e.Op, x, y)
	if !ok {
		return c.bad(e)
	}
	e.X, e.Y, e.Typ = x, y, x.Type()
	if e.Op.IsComparison() {
		e.Typ = types.BoolResult(x.Type())
	}
	return e
}

// usual converts the operands of op to their common type by the usual arithmetic
// conversions, or widens a scalar to the vector type of the other operand (OpenCL C 1.2
// §6.2.6, §6.3).
func (c *checker) usual(e ast.Expr, op ast.Op, x, y ast.Expr) (ast.Expr, ast.Expr, bool) {
	fail := func(why string) (ast.Expr, ast.Expr, bool) {
		c.errorf(e.Pos(), "invalid operands of '%s': '%s' and '%s'%s", op, x.Type(), y.Type(), why)
		return x, y, false
	}
	sx, sy := types.ElemScalar(x.Type()), types.ElemScalar(y.Type())
	if sx == nil || sy == nil || sx.Kind == types.KindVoid || sy.Kind == types.KindVoid {
		return fail("")
	}
	switch op {
	case ast.OpRem, ast.OpAnd, ast.OpOr, ast.OpXor:
		if !sx.IsInteger() || !sy.IsInteger() {
			if op == ast.OpRem {
				return fail(" (it needs integers; fmod takes floats)")
			}
			return fail(" (it needs integers)")
		}
	}
	vx, isVx := x.Type().(*types.Vector)
	vy, isVy := y.Type().(*types.Vector)
	switch {
	case isVx && isVy:
		if vx != vy {
			return fail(" (" + vectorHint(vy, vx) + ")")
		}
		return x, y, true
	case isVx:
		if why := widens(y, vx); why != "" {
			return fail(why)
		}
		return x, widen(y, vx), true
	case isVy:
		if why := widens(x, vy); why != "" {
			return fail(why)
		}
		return widen(x, vy), y, true
	}
	t := common(x.Type(), y.Type())
	return arith(x, t), arith(y, t), true
}

// widens returns the reason why scalar x may not be widened to v, or "". Its rank must
// not be higher than that of v's components (OpenCL C 1.2 §6.2.6), even for integer
// constants. A floating constant may be double, as without double support the same text
// is a float constant.
func widens(x ast.Expr, v *types.Vector) string {
	s := types.ScalarType(x.Type())
	if s.Rank() <= v.Elem.Rank() {
		return ""
	}
	if s.IsFloat() && v.Elem.IsFloat() {
		if _, ok := Eval(x); ok {
			return ""
		}
	}
	return " (the scalar does not fit in a component; cast it to '" + v.Elem.String() + "')"
}

// shiftOperands converts the operands of << and >> (OpenCL C 1.2 §6.3.j).
func (c *checker) shiftOperands(e ast.Expr, op ast.Op, x, y ast.Expr) (ast.Expr, ast.Expr, bool) {
	sx, sy := types.ElemScalar(x.Type()), types.ElemScalar(y.Type())
	if sx == nil || sy == nil || !sx.IsInteger() || !sy.IsInteger() {
		c.errorf(e.Pos(), "invalid operands of '%s': '%s' and '%s' (it needs integers)", op, x.Type(), y.Type())
		return x, y, false
	}
	vx, isVx := x.Type().(*types.Vector)
	vy, isVy := y.Type().(*types.Vector)
	switch {
	case isVx && isVy:
		if vx.N != vy.N {
			c.errorf(e.Pos(), "invalid operands of '%s': '%s' and '%s' have different lengths", op, vx, vy)
			return x, y, false
		}
	case isVx:
		y = widen(y, vx)
	case isVy:
		c.errorf(e.Pos(), "invalid operands of '%s': the scalar '%s' cannot be shifted by '%s'", op, x.Type(), vy)
		return x, y, false
	default:
		x, y = c.promote(x), c.promote(y)
	}
	return x, y, true
}

// pointerOp types binary operators with pointer operands.
func (c *checker) pointerOp(e *ast.Binary, x, y ast.Expr) ast.Expr {
	px, _ := x.Type().(*types.Pointer)
	py, _ := y.Type().(*types.Pointer)
	fail := func(why string) ast.Expr {
		c.errorf(e.At, "invalid operands of '%s': '%s' and '%s'%s", e.Op, x.Type(), y.Type(), why)
		return c.bad(e)
	}
	switch {
	case e.Op == ast.OpAdd && px == nil && types.IsInteger(x.Type()):
		x, y, px, py = y, x, py, nil
		fallthrough
	case (e.Op == ast.OpAdd || e.Op == ast.OpSub) && py == nil && types.IsInteger(y.Type()):
		if !types.IsComplete(px.Elem) && !types.IsVoid(px.Elem) {
			return fail(" ('" + px.Elem.String() + "' is incomplete)")
		}
		if types.IsVoid(px.Elem) { // GNU C counts in bytes
			bytes := &types.Pointer{Elem: types.Char, Space: px.Space, Quals: px.Quals}
			n := &ast.PtrAdd{X: cast(x, ast.PtrCast, bytes), I: arith(y, types.Long), Neg: e.Op == ast.OpSub}
			n.At, n.Typ = e.At, bytes
			return cast(n, ast.PtrCast, px)
		}
		n := &ast.PtrAdd{X: x, I: arith(y, types.Long), Neg: e.Op == ast.OpSub}
		n.At, n.Typ = e.At, px
		return n
	case e.Op == ast.OpSub && px != nil && py != nil:
		if !similar(px.Elem, py.Elem) || !types.IsComplete(px.Elem) || !sameSpace(px, py) {
			return fail(" (they must point to the same type)")
		}
		n := &ast.PtrDiff{X: x, Y: y}
		n.At, n.Typ = e.At, types.PtrDiffT
		return n
	case e.Op.IsComparison():
		switch {
		case px == nil && isNull(x):
			x = null(x, py)
		case py == nil && isNull(y):
			y = null(y, px)
		case px == nil || py == nil:
			return fail(" (cast one of them)")
		case isNull(y):
			y = null(y, px)
		case isNull(x):
			x = null(x, py)
		case !sameSpace(px, py):
			return fail(" (different address spaces)")
		case !types.Identical(px, py):
			if px.Space == types.Generic || py.Space != types.Generic {
				y = cast(y, ast.PtrCast, px)
			} else {
				x = cast(x, ast.PtrCast, py)
			}
		}
		e.X, e.Y, e.Typ = x, y, types.Int
		return e
	}
	return fail("")
}

func sameSpace(a, b *types.Pointer) bool {
	return a.Space == b.Space ||
		(a.Space == types.Generic || b.Space == types.Generic) && a.Space != types.Constant && b.Space != types.Constant
}

// logical types && and ||: short-circuiting for scalars, component-wise for vectors.
func (c *checker) logical(e *ast.Logical) ast.Expr {
	x, y := c.rvalue(c.expr(e.X)), c.rvalue(c.expr(e.Y))
	if isBad(x) || isBad(y) {
		return c.bad(e)
	}
	if types.IsVector(x.Type()) || types.IsVector(y.Type()) {
		x, y, ok := c.usual(e, e.Op, x, y)
		if !ok {
			return c.bad(e)
		}
		b := &ast.Binary{Op: e.Op, X: x, Y: y}
		b.At, b.Typ = e.At, types.BoolResult(x.Type())
		return b
	}
	e.X, e.Y = c.toBool(x), c.toBool(y)
	if isBad(e.X) || isBad(e.Y) {
		return c.bad(e)
	}
	e.Typ = types.Int
	return e
}

func (c *checker) assign(e *ast.Assign) ast.Expr {
	x, y := c.expr(e.X), c.rvalue(c.expr(e.Y))
	if isBad(x) || isBad(y) || !c.modifiable(x, "assign to this") {
		return c.bad(e)
	}
	e.X, e.Y = x, c.assignConv(y, x.Type(), "assignment")
	if isBad(e.Y) {
		return c.bad(e)
	}
	e.Typ = x.Type()
	return e
}

func (c *checker) compoundAssign(e *ast.CompoundAssign) ast.Expr {
	x, y := c.expr(e.X), c.rvalue(c.expr(e.Y))
	if isBad(x) || isBad(y) || !c.modifiable(x, "assign to this") {
		return c.bad(e)
	}
	e.X, e.Typ, e.Compute = x, x.Type(), x.Type()
	if ptr, ok := x.Type().(*types.Pointer); ok {
		if e.Op != ast.OpAdd && e.Op != ast.OpSub || !types.IsInteger(y.Type()) || !types.IsComplete(ptr.Elem) {
			c.errorf(e.At, "invalid operands of '%s=': '%s' and '%s'", e.Op, x.Type(), y.Type())
			return c.bad(e)
		}
		e.Y = arith(y, types.Long)
		return e
	}
	// Type X op Y with a placeholder for the value of X, to find the conversions.
	read := cast(x, ast.LValueToRValue, x.Type())
	var ok bool
	var value ast.Expr
	if e.Op.IsShift() {
		value, y, ok = c.shiftOperands(e, e.Op, read, y)
	} else {
		value, y, ok = c.usual(e, e.Op, read, y)
	}
	if !ok {
		return c.bad(e)
	}
	e.Y, e.Compute = y, value.Type()
	if types.IsVector(value.Type()) {
		if !types.IsVector(x.Type()) {
			c.errorf(e.At, "cannot convert '%s' to '%s' in assignment (take one component, as .x or .s0)", value.Type(), x.Type())
			return c.bad(e)
		}
		return e
	}
	from, to := types.ScalarType(x.Type()), types.ScalarType(e.Compute)
	e.ToCompute, e.FromCompute = castKind(from, to), castKind(to, from)
	return e
}

// conditional types c ? x : y (OpenCL C 1.2 §6.3.i).
func (c *checker) conditional(e *ast.Cond) ast.Expr {
	if e.X == nil {
		return c.elvis(e)
	}
	cnd := c.rvalue(c.expr(e.C))
	x, y := c.rvalue(c.expr(e.X)), c.rvalue(c.expr(e.Y))
	if isBad(cnd) || isBad(x) || isBad(y) {
		return c.bad(e)
	}
	if vec, ok := cnd.Type().(*types.Vector); ok {
		return c.selection(e, cnd, vec, x, y)
	}
	if e.C = c.toBool(cnd); isBad(e.C) {
		return e.C
	}
	x, y, ok := c.arms(e, x, y)
	if !ok {
		return c.bad(e)
	}
	e.X, e.Y, e.Typ = x, y, x.Type()
	return e
}

// arms converts the two results of a scalar conditional to one type.
func (c *checker) arms(e *ast.Cond, x, y ast.Expr) (ast.Expr, ast.Expr, bool) {
	tx, ty := x.Type(), y.Type()
	switch {
	case types.IsVoid(tx) || types.IsVoid(ty):
		return cast(x, ast.ToVoid, types.Void), cast(y, ast.ToVoid, types.Void), true
	case types.IsArithmetic(tx) && types.IsArithmetic(ty):
		t := common(tx, ty)
		return arith(x, t), arith(y, t), true
	case types.Identical(tx, ty):
		return x, y, true
	case types.IsVector(tx) || types.IsVector(ty):
		if types.IsVector(tx) && types.IsArithmetic(ty) || types.IsVector(ty) && types.IsArithmetic(tx) {
			return c.usual(e, ast.OpNone, x, y)
		}
	case types.IsPointer(tx) && isNull(y):
		return x, null(y, tx), true
	case types.IsPointer(ty) && isNull(x):
		return null(x, ty), y, true
	case types.IsPointer(tx) && types.IsPointer(ty):
		px, py := tx.(*types.Pointer), ty.(*types.Pointer)
		space := px.Space
		if py.Space == types.Generic {
			space = types.Generic
		}
		if px.Space != space && px.Space == types.Constant || py.Space != space && (py.Space == types.Constant || space != types.Generic) {
			break
		}
		t := &types.Pointer{Elem: px.Elem, Space: space, Quals: px.Quals | py.Quals}
		if types.IsVoid(py.Elem) || !types.IsVoid(px.Elem) && !similar(px.Elem, py.Elem) {
			t.Elem = types.Void
		}
		return toPointer(x, t), toPointer(y, t), true
	}
	c.errorf(e.At, "the results of '?:' have no common type: '%s' and '%s'", tx, ty)
	return x, y, false
}

func toPointer(x ast.Expr, t types.Type) ast.Expr {
	if types.Identical(x.Type(), t) {
		return x
	}
	return cast(x, ast.PtrCast, t)
}

// selection types a conditional with a vector condition.
func (c *checker) selection(e *ast.Cond, cnd ast.Expr, vec *types.Vector, x, y ast.Expr) ast.Expr {
	if !vec.Elem.IsInteger() {
		c.errorf(e.C.Pos(), "a vector condition must have integer components, found '%s'", vec)
		return c.bad(e)
	}
	if types.IsArithmetic(x.Type()) && types.IsArithmetic(y.Type()) {
		// Scalars are not promoted: the components must have the size of the condition's.
		s := types.ScalarType(x.Type())
		if t := types.ScalarType(y.Type()); t.Rank() > s.Rank() {
			s = t
		}
		if v, ok := types.VectorOf(s, vec.N).(*types.Vector); ok {
			x, y = widen(x, v), widen(y, v)
		}
	}
	if types.ElemScalar(x.Type()) == nil || types.ElemScalar(y.Type()) == nil ||
		types.IsVoid(x.Type()) || types.IsVoid(y.Type()) {
		c.errorf(e.At, "the results of '?:' have no common type: '%s' and '%s'", x.Type(), y.Type())
		return c.bad(e)
	}
	x, y, ok := c.usual(e, ast.OpNone, x, y)
	if !ok {
		return c.bad(e)
	}
	if r, ok := x.Type().(*types.Vector); !ok || r.N != vec.N || r.Elem.Size() != vec.Elem.Size() {
		c.errorf(e.At, "a condition of type '%s' does not fit results of type '%s' (components must agree in number and size)",
			vec, x.Type())
		return c.bad(e)
	}
	s := &ast.Select{C: cnd, X: x, Y: y}
	s.At, s.Typ = e.At, x.Type()
	return s
}
