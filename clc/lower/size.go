package lower

import (
	"fmt"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/internal/diag"
)

// maxOperators is the largest number of operators in a kernel after inlining. It exceeds
// maxValues because some operators fold; more than this would exceed maxValues too, but
// only after a long compile time.
const maxOperators = 4 * maxValues

// size is the number of operators of a function after inlining.
type size struct {
	operators int       // counting stops at maxOperators+1
	over      *ast.Call // the call that exceeds the limit; nil if none does
}

// fits reports whether kernel fn stays within maxOperators after inlining, and adds an
// error if it does not.
func (m *module) fits(fn *ast.Func) bool {
	call := m.sizeOf(fn).over
	if call == nil {
		return true
	}
	e := diag.Errorf(call.At, "kernel '%s' becomes too large: more than %d operators after inlining '%s'", fn.Name, maxOperators, call.Func.Name)
	in := fn
	for next := m.sizes[call.Func].over; next != nil; next = m.sizes[call.Func].over {
		in, call = call.Func, next
	}
	if in != fn {
		e.Notes = []diag.Note{{Pos: call.At, Msg: fmt.Sprintf("'%s' alone becomes too large here, by inlining '%s'", in.Name, call.Func.Name)}}
	}
	m.errs.Add(e)
	return false
}

// sizeOf counts the operators of fn and of the functions it calls. The checker has
// excluded recursion.
func (m *module) sizeOf(fn *ast.Func) size {
	if s, ok := m.sizes[fn]; ok {
		return s
	}
	var s size
	walk(func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.Call:
			s.operators++
			if e.Func != nil {
				s.operators += m.sizeOf(e.Func).operators
			}
			if s.operators > maxOperators && s.over == nil && e.Func != nil {
				s.over = e
			}
		case *ast.Unary, *ast.IncDec, *ast.Binary, *ast.Logical, *ast.PtrAdd, *ast.PtrDiff, *ast.CompoundAssign, *ast.Cond, *ast.Select, *ast.Index, *ast.VecIndex:
			s.operators++
		}
		s.operators = min(s.operators, maxOperators+1)
	}).stmt(fn.Body)
	m.sizes[fn] = s
	return s
}
