package lower

import "github.com/simtc/simtc/clc/ast"

// writes collects the variables that are assigned to, in whole or in part, in
// the body of a function. Those written through pointers are marked Addressed
// by the checker.
type writes map[*ast.Var]bool

func writesOf(fn *ast.Func) writes {
	w := writes{}
	w.stmt(fn.Body)
	return w
}

// target notes the variable that lvalue e is a part of.
func (w writes) target(e ast.Expr) {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if x.Var != nil {
				w[x.Var] = true
			}
			return
		case *ast.Member:
			e = x.X
		case *ast.Swizzle:
			e = x.X
		case *ast.VecIndex:
			e = x.X
		case *ast.Index:
			e = x.X
		case *ast.Cast:
			e = x.X
		case *ast.Unary:
			e = x.X
		default:
			return
		}
	}
}

func (w writes) exprs(list ...ast.Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w writes) init(v *ast.Var) {
	if v.Init != nil {
		for _, s := range v.Init.Stores {
			w.expr(s.X)
		}
	}
}

func (w writes) expr(e ast.Expr) {
	switch x := e.(type) {
	case nil:
	case *ast.Assign:
		w.target(x.X)
		w.exprs(x.X, x.Y)
	case *ast.CompoundAssign:
		w.target(x.X)
		w.exprs(x.X, x.Y)
	case *ast.IncDec:
		w.target(x.X)
		w.expr(x.X)
	case *ast.Unary:
		if x.Op == ast.OpAddr {
			w.target(x.X)
		}
		w.expr(x.X)
	case *ast.Binary:
		w.exprs(x.X, x.Y)
	case *ast.Logical:
		w.exprs(x.X, x.Y)
	case *ast.PtrAdd:
		w.exprs(x.X, x.I)
	case *ast.PtrDiff:
		w.exprs(x.X, x.Y)
	case *ast.Cond:
		w.exprs(x.C, x.X, x.Y)
	case *ast.Select:
		w.exprs(x.C, x.X, x.Y)
	case *ast.Comma:
		w.exprs(x.X, x.Y)
	case *ast.Cast:
		w.expr(x.X)
	case *ast.VectorLit:
		w.exprs(x.Elems...)
	case *ast.CompoundLit:
		w.init(x.Var)
	case *ast.Index:
		w.exprs(x.X, x.I)
	case *ast.VecIndex:
		w.exprs(x.X, x.I)
	case *ast.Member:
		w.expr(x.X)
	case *ast.Swizzle:
		w.expr(x.X)
	case *ast.Call:
		w.exprs(x.Args...)
	case *ast.StmtExpr:
		w.stmt(x.Body)
	}
}

func (w writes) stmt(s ast.Stmt) {
	switch x := s.(type) {
	case *ast.Block:
		if x == nil {
			return
		}
		for _, item := range x.Items {
			w.stmt(item)
		}
	case *ast.ExprStmt:
		w.expr(x.X)
	case *ast.Declaration:
		for _, v := range x.Vars {
			w.init(v)
		}
	case *ast.If:
		w.expr(x.Cond)
		w.stmt(x.Then)
		w.stmt(x.Else)
	case *ast.For:
		w.stmt(x.Init)
		w.exprs(x.Cond, x.Post)
		w.stmt(x.Body)
	case *ast.While:
		w.expr(x.Cond)
		w.stmt(x.Body)
	case *ast.DoWhile:
		w.stmt(x.Body)
		w.expr(x.Cond)
	case *ast.Switch:
		w.expr(x.X)
		w.stmt(x.Body)
	case *ast.Case:
		w.stmt(x.Body)
	case *ast.Labeled:
		w.stmt(x.Body)
	case *ast.Return:
		w.expr(x.X)
	}
}
