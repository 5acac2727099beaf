package lower

import "github.com/simtc/simtc/clc/ast"

// writes is the set of variables that are assigned, in whole or in part, in the body of a
// function. The checker marks those written through pointers as Addressed.
type writes map[*ast.Var]bool

func writesOf(fn *ast.Func) writes {
	w := writes{}
	walk(w.note).stmt(fn.Body)
	return w
}

func (w writes) note(e ast.Expr) {
	switch x := e.(type) {
	case *ast.Assign:
		w.target(x.X)
	case *ast.CompoundAssign:
		w.target(x.X)
	case *ast.IncDec:
		w.target(x.X)
	case *ast.Unary:
		if x.Op == ast.OpAddr {
			w.target(x.X)
		}
	}
}

// target records the variable that contains the lvalue e.
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
