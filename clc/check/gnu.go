package check

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// elvis types GNU's c ?: y, which is c where that is true: c is kept in a
// variable, as it is evaluated only once.
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
	v := &ast.Var{At: e.At, Type: x.Type(), Align: x.Type().Align(), Func: c.fn, Init: &ast.Init{At: e.At, Stores: []ast.InitStore{{X: x}}}}
	kept := func() ast.Expr {
		id := &ast.Ident{Var: v}
		id.At, id.Typ, id.LValue, id.Space = x.Pos(), v.Type, true, types.Private
		return typed{id}
	}
	y := c.conditional(&ast.Cond{ExprInfo: e.ExprInfo, C: kept(), X: kept(), Y: e.Y})
	if isBad(y) {
		return y
	}
	s := &ast.StmtExpr{Body: &ast.Block{Items: []ast.Stmt{&ast.Declaration{Vars: []*ast.Var{v}}, &ast.ExprStmt{X: y}}}}
	s.At, s.Typ = e.At, y.Type()
	return s
}

// typed wraps an expression that is typed already and stands where one that is
// not is expected.
type typed struct{ ast.Expr }

// compilerBuiltin types the calls of clang's __builtin functions that kernels
// use; nil for other names. The arguments are rvalues.
func (c *checker) compilerBuiltin(e *ast.Call) ast.Expr {
	count := func(n int) bool {
		if len(e.Args) != n {
			c.errorf(e.At, "'%s' takes %d arguments, given %d", e.Name, n, len(e.Args))
		}
		return len(e.Args) == n
	}
	if f, ok := bitBuiltins[e.Name]; ok {
		if !count(1) {
			return c.bad(e)
		}
		x := c.assignConv(e.Args[0], f.param, "argument 1 of '"+e.Name+"'")
		if isBad(x) {
			return x
		}
		e.Name, e.Args[0] = f.name, x
		y := c.builtinCall(e, false)
		if isBad(y) {
			return y
		}
		return arith(y, types.Int)
	}
	switch e.Name {
	case "__builtin_expect", "__builtin_expect_with_probability":
		if len(e.Args) != 3 && !count(2) {
			return c.bad(e)
		}
		x := c.assignConv(e.Args[0], types.Long, "argument 1 of '"+e.Name+"'")
		if v, ok := Eval(e.Args[1]); ok && !isBad(x) && certain(e.Args[2:]) {
			kind := ast.MostlyNot
			if v.Int == 0 {
				kind = ast.MostlyZero
			}
			return cast(x, kind, types.Long)
		}
		return x
	case "__builtin_assume", "__builtin_unreachable", "__builtin_prefetch":
		return cast(newInt(e, types.Int, 0, "0"), ast.ToVoid, types.Void)
	case "__builtin_constant_p":
		if !count(1) {
			return c.bad(e)
		}
		known := int64(0)
		if _, ok := Eval(e.Args[0]); ok {
			known = 1
		}
		return newInt(e, types.Int, known, "")
	}
	return nil
}

// leastCertain is how likely what a program expects must be to make the rest rare.
const leastCertain = 0.99

// certain reports whether a probability, if there is one, is next to 1.
func certain(probability []ast.Expr) bool {
	if len(probability) == 0 {
		return true
	}
	p, ok := Eval(probability[0])
	return ok && p.Float >= leastCertain
}

// bitBuiltins are clang's names for OpenCL's functions of bits.
var bitBuiltins = map[string]struct {
	name  string
	param types.Type
}{
	"__builtin_clz": {"clz", types.UInt}, "__builtin_clzl": {"clz", types.ULong}, "__builtin_clzll": {"clz", types.ULong},
	"__builtin_ctz": {"ctz", types.UInt}, "__builtin_ctzl": {"ctz", types.ULong}, "__builtin_ctzll": {"ctz", types.ULong},
	"__builtin_popcount": {"popcount", types.UInt}, "__builtin_popcountl": {"popcount", types.ULong},
	"__builtin_popcountll": {"popcount", types.ULong},
}
