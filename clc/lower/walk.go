package lower

import "github.com/simtc/simtc/clc/ast"

// walk is a function called for every expression that a statement evaluates, outer
// expressions before inner ones.
type walk func(ast.Expr)

func (w walk) exprs(list ...ast.Expr) {
	for _, e := range list {
		w.expr(e)
	}
}

func (w walk) init(v *ast.Var) {
	if v.Init != nil {
		for _, s := range v.Init.Stores {
			w.expr(s.X)
		}
	}
}

func (w walk) expr(e ast.Expr) {
	if e == nil {
		return
	}
	w(e)
	switch x := e.(type) {
	case *ast.Assign:
		w.exprs(x.X, x.Y)
	case *ast.CompoundAssign:
		w.exprs(x.X, x.Y)
	case *ast.IncDec:
		w.expr(x.X)
	case *ast.Unary:
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

func (w walk) stmt(s ast.Stmt) {
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
