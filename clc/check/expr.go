package check

import (
	"fmt"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// expr types e and returns the expression that replaces it. An lvalue stays an lvalue.
func (c *checker) expr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case typed:
		return e.Expr
	case *ast.Ident:
		return c.ident(e)
	case *ast.IntLit:
		return c.intLit(e)
	case *ast.FloatLit:
		return c.floatLit(e)
	case *ast.StringLit:
		e.Typ = &types.Array{Elem: types.Char, Len: int64(len(e.Value))}
		e.LValue, e.Space, e.Quals = true, types.Constant, types.Const
		return e
	case *ast.Unary:
		return c.unary(e)
	case *ast.IncDec:
		return c.incDec(e)
	case *ast.Binary:
		return c.binary(e)
	case *ast.Logical:
		return c.logical(e)
	case *ast.Assign:
		return c.assign(e)
	case *ast.CompoundAssign:
		return c.compoundAssign(e)
	case *ast.Cond:
		return c.conditional(e)
	case *ast.Comma:
		e.X = c.rvalue(c.expr(e.X))
		e.Y = c.rvalue(c.expr(e.Y))
		if isBad(e.X) {
			return e.X
		}
		e.Typ = e.Y.Type()
		return e
	case *ast.Sizeof:
		return c.sizeof(e)
	case *ast.Offsetof:
		return c.offsetof(e)
	case *ast.Cast:
		return c.explicitCast(e)
	case *ast.VectorLit:
		return c.vectorLit(e)
	case *ast.CompoundLit:
		return c.compoundLit(e)
	case *ast.InitList:
		c.errorf(e.At, "a braced list can only initialize a variable")
		return c.bad(e)
	case *ast.Index:
		return c.index(e)
	case *ast.Member:
		return c.member(e)
	case *ast.Call:
		return c.call(e)
	case *ast.StmtExpr:
		return c.stmtExpr(e)
	}
	return c.bad(e)
}

func (c *checker) ident(e *ast.Ident) ast.Expr {
	switch o := c.lookup(e.Name).(type) {
	case *ast.Var:
		e.Var = o
		e.Typ, e.LValue, e.Space, e.Quals = o.Type, true, o.Space, o.Quals
		if _, opaque := o.Type.(*types.Opaque); opaque {
			e.Space = types.Private
		}
		if o.Type == nil {
			return c.bad(e)
		}
		return e
	case *funcSet:
		e.Func = o.fns[0]
		e.Typ = o.fns[0].Type
		return e
	case *ast.EnumConst:
		if o.Type == nil { // used in its own initializer
			c.errorf(e.At, "'%s' has no value yet", e.Name)
			return c.bad(e)
		}
		return newInt(e, o.Type, o.Value, e.Name)
	case *typedef:
		c.errorf(e.At, "'%s' is a type, not a value", e.Name)
		return c.bad(e)
	}
	switch e.Name {
	case "true":
		return newInt(e, types.Int, 1, e.Name)
	case "false":
		return newInt(e, types.Int, 0, e.Name)
	case "NULL":
		return null(e, &types.Pointer{Elem: types.Void})
	case "__func__", "__FUNCTION__":
		if c.fn != nil {
			s := &ast.StringLit{Value: append([]byte(c.fn.Name), 0)}
			s.At = e.At
			return c.expr(s)
		}
	}
	if !c.unknown[e.Name] {
		c.errorf(e.At, "undeclared identifier '%s'%s", e.Name, c.suggest(e.Name))
		if c.unknown != nil {
			c.unknown[e.Name] = true
		}
	}
	return c.bad(e)
}

func (c *checker) sizeof(e *ast.Sizeof) ast.Expr {
	var t types.Type
	if e.Of != nil {
		t = c.typeName(e.Of)
	} else {
		c.unevaluated++
		x := c.expr(e.X)
		c.unevaluated--
		t = x.Type()
	}
	if t == nil {
		return c.bad(e)
	}
	text := e.Op + "(" + t.String() + ")"
	if e.Op == "vec_step" {
		n := int64(types.NumElems(t))
		if n == 3 {
			n = 4
		}
		if !types.IsVector(t) && !types.IsArithmetic(t) && !types.IsVoid(t) {
			c.errorf(e.At, "vec_step needs a scalar or vector, found '%s'", t)
		}
		return newInt(e, types.Int, n, text)
	}
	if !types.IsComplete(t) {
		c.errorf(e.At, "%s of '%s', which has no size", e.Op, t)
		return c.bad(e)
	}
	if e.Op == "alignof" {
		return newInt(e, types.SizeT, t.Align(), text)
	}
	return newInt(e, types.SizeT, t.Size(), text)
}

// offsetof adds the offsets of the members on the path to the designated one.
func (c *checker) offsetof(e *ast.Offsetof) ast.Expr {
	of := c.typeName(e.Of)
	if of == nil {
		return c.bad(e)
	}
	in := &initializer{c: c}
	t, offset := of, int64(0)
	text := "offsetof(" + of.String() + ", "
	for i := range e.Path {
		d := &e.Path[i]
		if !types.IsComplete(t) {
			c.errorf(d.At, "'%s' is incomplete here", t)
			return c.bad(e)
		}
		elem, off := t, int64(0)
		for inside := true; inside; { // for nested anonymous members
			var at int64
			var ok bool
			if _, _, elem, at, inside, ok = in.designated(elem, d); !ok {
				return c.bad(e)
			}
			off += at
		}
		switch {
		case d.Index != nil:
			text += fmt.Sprintf("[%d]", off/max(elem.Size(), 1))
		case i > 0:
			text += "." + d.Name
		default:
			text += d.Name
		}
		t, offset = elem, offset+off
	}
	return newInt(e, types.SizeT, offset, text+")")
}

// vectorLit types (T)(a, b, …).
func (c *checker) vectorLit(e *ast.VectorLit) ast.Expr {
	var vec *types.Vector
	if e.To != nil && len(e.Elems) > 1 {
		vec, _ = c.typeName(e.To).(*types.Vector)
	}
	if vec == nil {
		return c.castOfComma(e)
	}
	n, bad := 0, false
	for i, x := range e.Elems {
		x = c.rvalue(c.expr(x))
		e.Elems[i] = x
		if isBad(x) {
			bad = true
			continue
		}
		switch xt := x.Type().(type) {
		case *types.Vector:
			if xt.Elem != vec.Elem {
				c.errorf(x.Pos(), "a '%s' cannot be part of a '%s' (convert it first)", xt, vec)
				bad = true
			}
			n += xt.N
		default:
			if !types.IsArithmetic(xt) {
				c.errorf(x.Pos(), "a '%s' cannot be part of a '%s'", xt, vec)
				bad = true
				break
			}
			e.Elems[i] = arith(x, vec.Elem)
			n++
		}
	}
	if bad {
		return c.bad(e)
	}
	if n != vec.N {
		c.errorf(e.At, "'%s' has %d components, the literal gives %d", vec, vec.N, n)
		return c.bad(e)
	}
	e.Typ = vec
	return e
}

// castOfComma turns a VectorLit with one element, or whose type is not a vector, into a
// cast of a comma expression, which is its meaning in C.
func (c *checker) castOfComma(e *ast.VectorLit) ast.Expr {
	x := e.Elems[0]
	for _, y := range e.Elems[1:] {
		k := &ast.Comma{X: x, Y: y}
		k.At = y.Pos()
		x = k
	}
	if e.To == nil {
		return c.expr(x)
	}
	k := &ast.Cast{To: e.To, X: x}
	k.At = e.At
	return c.explicitCast(k)
}

func (c *checker) compoundLit(e *ast.CompoundLit) ast.Expr {
	b := c.typeNameQ(e.To)
	if b.t == nil {
		return c.bad(e)
	}
	if arr, open := b.t.(*types.Array); !types.IsComplete(b.t) && !(open && arr.Len < 0) {
		c.errorf(e.At, "a literal of type '%s', which is incomplete", b.t)
		return c.bad(e)
	}
	init, t := c.initializer(b.t, e.List)
	if t == nil {
		return c.bad(e)
	}
	e.Var = &ast.Var{At: e.At, Type: t, Quals: b.q, Align: t.Align(), Init: init, Func: c.fn, Global: c.fn == nil}
	e.List = nil
	e.Typ, e.LValue, e.Space, e.Quals = t, true, types.Private, b.q
	return e
}

func (c *checker) stmtExpr(e *ast.StmtExpr) ast.Expr {
	c.push()
	c.stmts(e.Body.Items)
	c.pop()
	e.Typ = types.Void
	if _, last := e.Last(); last != nil {
		e.Typ = last.X.Type()
	}
	return e
}

func (c *checker) index(e *ast.Index) ast.Expr { return c.indexed(e, nil) }

// indexed types e. If the pointer points to void and void is not nil, it stores the
// pointer type there and e designates a byte: GNU C allows &p[i] for void *p.
func (c *checker) indexed(e *ast.Index, void **types.Pointer) ast.Expr {
	x, i := c.expr(e.X), c.rvalue(c.expr(e.I))
	if isBad(x) || isBad(i) {
		return c.bad(e)
	}
	if vec, ok := x.Type().(*types.Vector); ok {
		if !types.IsInteger(i.Type()) {
			c.errorf(i.Pos(), "an index must be an integer, found '%s'", i.Type())
			return c.bad(e)
		}
		v := &ast.VecIndex{X: x, I: arith(i, types.Long)}
		v.ExprInfo = *x.Info()
		v.At, v.Typ = e.At, vec.Elem
		return v
	}
	if types.IsInteger(x.Type()) && types.IsPointer(i.Type()) { // 2[p]
		x, i = i, c.rvalue(x)
	} else {
		x = c.element(x)
	}
	ptr, ok := x.Type().(*types.Pointer)
	if !ok {
		c.errorf(e.At, "only pointers, arrays and vectors can be indexed, found '%s'", x.Type())
		return c.bad(e)
	}
	if !types.IsInteger(i.Type()) {
		c.errorf(i.Pos(), "an index must be an integer, found '%s'", i.Type())
		return c.bad(e)
	}
	if types.IsVoid(ptr.Elem) && void != nil {
		*void = ptr
		ptr = &types.Pointer{Elem: types.Char, Space: ptr.Space, Quals: ptr.Quals}
		x = cast(x, ast.PtrCast, ptr)
	}
	if !types.IsComplete(ptr.Elem) {
		c.errorf(e.At, "cannot index a pointer to '%s', which has no size", ptr.Elem)
		return c.bad(e)
	}
	e.X, e.I = x, arith(i, types.Long)
	e.Typ, e.LValue, e.Space, e.Quals = ptr.Elem, true, ptr.Space, ptr.Quals
	return e
}
