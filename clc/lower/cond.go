package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// maxSpeculation is the number of operations that may be computed unconditionally to save
// a branch, which in a kernel is likely to diverge.
const maxSpeculation = 6

// tooCostly is the cost of an expression that must not be evaluated speculatively.
const tooCostly = 1000

// cost estimates the number of operations of e if e may be evaluated speculatively:
// without side effects, memory accesses or divisions.
func cost(e ast.Expr) int {
	n := types.NumElems(e.Type())
	switch e := e.(type) {
	case *ast.IntLit, *ast.FloatLit:
		return 0
	case *ast.Ident:
		v := e.Var
		if v == nil || v.Addressed || v.Quals&types.Volatile != 0 || v.Space != types.Private || v.Global || !isReg(v.Type) {
			return tooCostly
		}
		return 0
	case *ast.Cast:
		switch e.Kind {
		case ast.ArrayDecay, ast.ToVoid:
			return tooCostly
		case ast.NoOp, ast.LValueToRValue, ast.Splat, ast.MostlyZero, ast.MostlyNot:
			return cost(e.X)
		}
		return cost(e.X) + n
	case *ast.Swizzle:
		return cost(e.X)
	case *ast.Unary:
		if e.Op == ast.OpAddr || e.Op == ast.OpDeref {
			return tooCostly
		}
		return cost(e.X) + n
	case *ast.Binary:
		if e.Op == ast.OpDiv || e.Op == ast.OpRem {
			return tooCostly
		}
		return min(cost(e.X)+cost(e.Y)+n, tooCostly)
	case *ast.Logical:
		return min(cost(e.X)+cost(e.Y)+1, tooCostly)
	case *ast.PtrAdd:
		return min(cost(e.X)+cost(e.I)+2, tooCostly)
	}
	return tooCostly
}

// cond evaluates a condition to an i1. e has type bool, or is an int that is only
// compared with zero.
func (l *lowerer) cond(e ast.Expr) *kernel.Value {
	switch e := e.(type) {
	case *ast.Cast:
		if e.Kind == ast.ToBool {
			if inner, ok := truthOperand(e.X); ok {
				return l.cond(inner)
			}
			v := l.scalar(e.X)
			l.at(e.At)
			return l.truth(v)
		}
	case *ast.Unary:
		if e.Op == ast.OpLNot && !types.IsVector(e.Typ) {
			v := l.cond(e.X)
			l.at(e.At)
			return l.not(v)
		}
	case *ast.Logical:
		return l.logical(e)
	}
	v := l.scalar(e)
	l.at(e.Pos())
	return l.truth(v)
}

// truthOperand looks through int results that are already 0 or 1.
func truthOperand(e ast.Expr) (ast.Expr, bool) {
	switch e := e.(type) {
	case *ast.Logical:
		return e, true
	case *ast.Unary:
		return e, e.Op == ast.OpLNot
	case *ast.Cast:
		switch e.Kind {
		case ast.NoOp, ast.IntResize, ast.MostlyZero, ast.MostlyNot:
			return truthOperand(e.X)
		}
		return e, e.Kind == ast.ToBool
	}
	return nil, false
}

// logical evaluates && and || to an i1.
func (l *lowerer) logical(e *ast.Logical) *kernel.Value {
	if cost(e.Y) <= maxSpeculation {
		x := l.cond(e.X)
		y := l.cond(e.Y)
		l.at(e.At)
		if e.Op == ast.OpLAnd {
			return l.op(alu.And, x, y)
		}
		return l.op(alu.Or, x, y)
	}
	res := l.newVariable(alu.I1, "")
	rest, join := l.newBlock("rhs"), l.newBlock("")
	x := l.cond(e.X)
	l.at(e.At)
	l.write(res, l.bool(e.Op == ast.OpLOr))
	if e.Op == ast.OpLAnd {
		l.branch(x, rest, join)
	} else {
		l.branch(x, join, rest)
	}
	l.startSealed(rest)
	l.write(res, l.cond(e.Y))
	l.jump(join)
	l.startSealed(join)
	return l.readVar(res)
}

// branches reports whether e is an && or || that needs control flow.
func branches(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Cast:
		inner, ok := truthOperand(x.X)
		return x.Kind == ast.ToBool && ok && branches(inner)
	case *ast.Unary:
		return x.Op == ast.OpLNot && branches(x.X)
	case *ast.Logical:
		return cost(x.Y) > maxSpeculation || branches(x.X)
	}
	return false
}

// condJump branches on the bool e, with jumping code for && and ||. It ends
// the current block.
func (l *lowerer) condJump(e ast.Expr, t, f *kernel.Block) {
	switch x := e.(type) {
	case *ast.Cast:
		if x.Kind == ast.ToBool {
			if y, ok := x.X.(*ast.Cast); ok && (y.Kind == ast.MostlyZero || y.Kind == ast.MostlyNot) {
				defer func(was *kernel.Block) { l.rare = was }(l.rare)
				if l.rare = t; y.Kind == ast.MostlyNot {
					l.rare = f
				}
				bare := *x
				bare.X = y.X
				l.condJump(&bare, t, f)
				return
			}
			if inner, ok := truthOperand(x.X); ok {
				l.condJump(inner, t, f)
				return
			}
		}
	case *ast.Unary:
		if x.Op == ast.OpLNot {
			l.condJump(x.X, f, t)
			return
		}
	case *ast.Logical:
		if branches(x) {
			rest := l.newBlock("")
			if x.Op == ast.OpLAnd {
				l.condJump(x.X, rest, f)
			} else {
				l.condJump(x.X, t, rest)
			}
			l.startSealed(rest)
			l.condJump(x.Y, t, f)
			return
		}
	}
	c := l.cond(e)
	l.branch(c, t, f)
}
