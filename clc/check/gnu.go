package check

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// elvis types GNU's c ?: y, whose value is c if c is true. c is kept in a variable, as it
// is evaluated only once.
func (c *checker) elvis(e *ast.Cond) ast.Expr {
	x := c.rvalue(c.expr(e.C))
	if isBad(x) || types.IsVoid(x.Type()) {
		c.expr(e.Y)
		if !isBad(x) {
			c.errorf(x.Pos(), "a condition must be a number or pointer, found 'void'")
		}
		return c.bad(e)
	}
	if c.fn == nil {
		c.errorf(e.At, "'?:' without a second operand is not a constant")
		return c.bad(e)
	}
	declared, kept := c.keep(x)
	y := c.conditional(&ast.Cond{ExprInfo: e.ExprInfo, C: kept(), X: kept(), Y: e.Y})
	if isBad(y) {
		return y
	}
	return after(e, y, declared)
}

// keep declares a variable that holds the value of the rvalue x, and returns a function
// that creates reads of it.
func (c *checker) keep(x ast.Expr) (ast.Stmt, func() ast.Expr) {
	v := &ast.Var{At: x.Pos(), Type: x.Type(), Align: x.Type().Align(), Func: c.fn, Init: &ast.Init{At: x.Pos(), Stores: []ast.InitStore{{X: x}}}}
	return &ast.Declaration{Vars: []*ast.Var{v}}, func() ast.Expr {
		id := &ast.Ident{Var: v}
		id.At, id.Typ, id.LValue, id.Space = x.Pos(), v.Type, true, types.Private
		return typed{id}
	}
}

// after returns ({ first; y; }) as a replacement for e.
func after(e, y ast.Expr, first ...ast.Stmt) ast.Expr {
	s := &ast.StmtExpr{Body: &ast.Block{Items: append(first, &ast.ExprStmt{X: y})}}
	s.At, s.Typ = e.Pos(), y.Type()
	return s
}

// typed wraps an expression that is already typed, for use in a place that expects an
// untyped one.
type typed struct{ ast.Expr }

// shuffleVector types __builtin_shufflevector(x, y, i, j, ...): components i, j and so on
// of the concatenation of x and y. A component with index -1 is arbitrary.
func (c *checker) shuffleVector(e *ast.Call) ast.Expr {
	if len(e.Args) < 3 {
		c.errorf(e.At, "'%s' takes two vectors and indices, given %d arguments", e.Name, len(e.Args))
		return c.bad(e)
	}
	vec, ok := e.Args[0].Type().(*types.Vector)
	if !ok || !types.Identical(vec, e.Args[1].Type()) {
		c.errorf(e.At, "'%s' takes two vectors of one type, not (%s, %s)", e.Name, e.Args[0].Type(), e.Args[1].Type())
		return c.bad(e)
	}
	result, ok := types.VectorOf(vec.Elem, len(e.Args)-2).(*types.Vector)
	if !ok {
		c.errorf(e.At, "'%s': there is no vector of %d components", e.Name, len(e.Args)-2)
		return c.bad(e)
	}
	if c.fn == nil {
		c.errorf(e.At, "'%s' is not a constant", e.Name)
		return c.bad(e)
	}
	first := make([]ast.Stmt, 2)
	var kept [2]func() ast.Expr
	for i := range first {
		first[i], kept[i] = c.keep(e.Args[i])
	}
	lit := &ast.VectorLit{}
	lit.At, lit.Typ = e.At, result
	for _, x := range e.Args[2:] {
		i, ok := EvalInt(x)
		if !ok || i < -1 || i >= int64(2*vec.N) {
			c.errorf(x.Pos(), "an index of '%s' must be a constant from -1 to %d", e.Name, 2*vec.N-1)
			return c.bad(e)
		}
		i = max(i, 0)
		s := &ast.Swizzle{X: c.rvalue(c.expr(kept[i/int64(vec.N)]())), Idx: []uint8{uint8(i % int64(vec.N))}}
		s.At, s.Typ = x.Pos(), vec.Elem
		lit.Elems = append(lit.Elems, s)
	}
	return after(e, lit, first...)
}

// typeBuiltin renames clang's __builtin_astype, _bit_cast and _convertvector to the
// equivalent built-in functions as_T and convert_T. It reports whether the type exists.
func (c *checker) typeBuiltin(e *ast.Call) bool {
	to := c.typeName(e.To)
	if to == nil {
		return false
	}
	prefix := "as_"
	if e.Name == "__builtin_convertvector" {
		prefix = "convert_"
	}
	if types.ElemScalar(to) == nil {
		c.errorf(e.At, "'%s' converts to scalars and vectors, not '%s'", e.Name, to)
		return false
	}
	e.Name, e.To = prefix+to.String(), nil
	return true
}

// minCertain is the probability above which the unexpected outcome counts as rare.
const minCertain = 0.99

// certain reports whether the optional probability is close to 1.
func certain(probability []ast.Expr) bool {
	if len(probability) == 0 {
		return true
	}
	p, ok := Eval(probability[0])
	return ok && p.Float >= minCertain
}

// byteSwaps lists clang's functions that reverse the order of bytes.
var byteSwaps = map[string]types.Type{
	"__builtin_bswap16": types.UShort, "__builtin_bswap32": types.UInt, "__builtin_bswap64": types.ULong,
}

// byteSwap returns x with its bytes reversed: as_T(as_ucharN(x).sN...0).
func (c *checker) byteSwap(e *ast.Call, x ast.Expr) ast.Expr {
	n := int(x.Type().Size())
	as := func(x ast.Expr, to types.Type) ast.Expr {
		call := &ast.Call{Name: "as_" + to.String(), NameAt: e.NameAt, Args: []ast.Expr{x}}
		call.At = e.At
		return c.builtinCall(call, false)
	}
	to := x.Type()
	bytes := as(x, types.VectorOf(types.UChar, n))
	if isBad(bytes) {
		return bytes
	}
	s := &ast.Swizzle{X: bytes}
	for i := range n {
		s.Idx = append(s.Idx, uint8(n-1-i))
	}
	s.At, s.Typ = e.At, bytes.Type()
	return as(s, to)
}
