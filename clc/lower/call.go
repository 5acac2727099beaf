package lower

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// arg is an evaluated argument: its components, or the place of a record.
type arg struct {
	val  []*kernel.Value
	from place
}

func (l *lowerer) args(exprs []ast.Expr) []arg {
	out := make([]arg, len(exprs))
	for i, x := range exprs {
		if isReg(x.Type()) {
			out[i].val = l.expr(x)
		} else {
			out[i].from = l.object(x)
		}
	}
	return out
}

// call evaluates a call whose result is void or of a register type.
func (l *lowerer) call(e *ast.Call) []*kernel.Value {
	if e.Func == nil {
		return l.builtinCall(e)
	}
	args := l.args(e.Args)
	l.at(e.At)
	res, _ := l.inline(e.Func, args)
	return res
}

// callObject evaluates a call that returns a record.
func (l *lowerer) callObject(e *ast.Call) place {
	if e.Func == nil {
		l.builtinCall(e)
		return l.temporary(e.Typ)
	}
	args := l.args(e.Args)
	l.at(e.At)
	_, obj := l.inline(e.Func, args)
	return obj
}

// inline runs the body of fn in place. The checker has excluded recursion.
func (l *lowerer) inline(fn *ast.Func, args []arg) ([]*kernel.Value, place) {
	t, n := regType(fn.Result())
	zero := func() []*kernel.Value {
		out := make([]*kernel.Value, n)
		for i := range out {
			out[i] = l.konst(t, 0)
		}
		return out
	}
	obj := place{}
	if n == 0 && !types.IsVoid(fn.Result()) {
		obj = l.temporary(fn.Result())
	}
	if fn.Body == nil {
		l.errorf(l.pos, "function '%s' is declared but never defined", fn.Name)
		return zero(), obj
	}
	if l.full() {
		return zero(), obj
	}
	at := l.pos
	fr := l.pushFrame(fn.Result())
	fr.exit = l.newBlock("")
	fr.result = storage{ssa: -1, addr: obj.base}
	if n > 0 {
		for i := range n {
			v := l.newVariable(t, "")
			if i == 0 {
				fr.result.ssa = v
			}
			l.write(v, l.konst(t, 0))
		}
	}
	for i, p := range fn.Params {
		if i < len(args) {
			l.declare(p, args[i].val, args[i].from)
		}
	}
	l.body(fn)
	l.frame = fr.parent
	l.startSealed(fr.exit)
	l.pos = at
	out := make([]*kernel.Value, n)
	for i := range out {
		out[i] = l.readVar(fr.result.ssa + variable(i))
	}
	return out, obj
}
