package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// special lowers a call of a built-in function whose table entry has no generic lowering.
// args holds the evaluated arguments.
type special func(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value

// builtinCall evaluates a call of a built-in function.
func (l *lowerer) builtinCall(e *ast.Call) []*kernel.Value {
	c, ok := e.Handle.(*builtins.Call)
	t, n := regType(e.Typ)
	zero := func() []*kernel.Value {
		out := make([]*kernel.Value, n)
		for i := range out {
			out[i] = l.konst(t, 0)
		}
		return out
	}
	if !ok {
		l.errorf(e.At, "built-in function '%s' is not supported yet", e.Name)
		return zero()
	}
	f := c.Func
	if f.Special == "printf" { // evaluates its arguments itself
		return []*kernel.Value{l.printf(e)}
	}
	args := l.args(e.Args)
	l.at(e.At)
	if !l.frame.fixed {
		l.calling = e.Name
	}
	switch {
	case f.Special != "":
		if fn := specials[f.Special]; fn != nil {
			return fn(l, c, e, args)
		}
		l.errorf(e.At, "built-in function '%s' is not supported yet", e.Name)
		return zero()
	case f.Whole:
		return l.wholeBody(c, args)
	}
	out := make([]*kernel.Value, c.N)
	vals := args
	if f.Out != "" {
		vals = args[:len(args)-1]
	}
	for i := range out {
		in := make([]*kernel.Value, len(vals))
		for k, a := range vals {
			in[k] = a.val[min(i, len(a.val)-1)]
		}
		out[i] = l.component(c, in)
	}
	if f.Out != "" {
		l.storeOut(c, vals, args[len(args)-1])
	}
	if f.Test {
		op := alu.ZExt
		if c.N > 1 {
			op = alu.SExt
		}
		for i, x := range out {
			out[i] = l.conv(op, t, x)
		}
	}
	return out
}

// component computes a component-wise function on one component.
func (l *lowerer) component(c *builtins.Call, in []*kernel.Value) *kernel.Value {
	f := c.Func
	if f.Ops != nil && (c.Elem != types.Half || f.Half == "") {
		kind := 1
		switch {
		case c.Elem.IsFloat():
			kind = 2
		case c.Elem.IsSigned():
			kind = 0
		}
		op := f.Ops[kind]
		if op != alu.Invalid {
			if in[0].Type == alu.F16 {
				for i, x := range in {
					in[i] = l.widen(x)
				}
				return l.conv(alu.FPTrunc, alu.F16, l.op(op, in...))
			}
			return l.op(op, in...)
		}
		if f.Body == "" {
			return in[0]
		}
	}
	args := make([]arg, len(in))
	for i, x := range in {
		args[i].val = []*kernel.Value{x}
	}
	name, as := f.BodyOf(c.Elem)
	r := l.runBody(name, as, 1, args)
	return l.narrow(c, r)[0]
}

// runBody inlines a body written in OpenCL C for components of type elem. All its
// operations get the position of the call.
func (l *lowerer) runBody(name string, elem *types.Scalar, n int, args []arg) []*kernel.Value {
	fn, err := builtins.Body(name, elem, n)
	if err != nil {
		l.errorf(l.pos, "built-in function '%s': %v", name, err)
		return []*kernel.Value{l.konst(scalarType(elem), 0)}
	}
	if elem == types.Half {
		return l.inlineHere(fn, args)
	}
	return l.inlineBody(fn, args)
}

// inlineBody inlines the body fn, which computes half values in float.
func (l *lowerer) inlineBody(fn *ast.Func, args []arg) []*kernel.Value {
	for _, a := range args {
		for i, x := range a.val {
			a.val[i] = l.widen(x)
		}
	}
	return l.inlineHere(fn, args)
}

func (l *lowerer) inlineHere(fn *ast.Func, args []arg) []*kernel.Value {
	outer := l.frame
	l.frame = &frame{parent: outer, fixed: true, at: l.pos, builtin: l.calling, vars: outer.vars}
	out, _ := l.inline(fn, args)
	l.frame = outer
	return out
}

// narrow rounds the result of a body to half if the called function returns half.
func (l *lowerer) narrow(c *builtins.Call, r []*kernel.Value) []*kernel.Value {
	if s := types.ElemScalar(c.Result); s == types.Half {
		for i, x := range r {
			if x.Type == alu.F32 {
				r[i] = l.conv(alu.FPTrunc, alu.F16, x)
			}
		}
	}
	return r
}

func (l *lowerer) wholeBody(c *builtins.Call, args []arg) []*kernel.Value {
	for i, a := range args {
		args[i].val = append([]*kernel.Value(nil), a.val...) // runBody may widen the components in place
	}
	name, as := c.Func.BodyOf(c.Elem)
	return l.narrow(c, l.runBody(name, as, c.N, args))
}

// storeOut stores a function's second result through its last argument.
func (l *lowerer) storeOut(c *builtins.Call, vals []arg, ptr arg) {
	as := c.Elem
	if as == types.Half {
		as = types.Float
	}
	out := make([]*kernel.Value, c.N)
	for i := range out {
		in := make([]arg, len(vals))
		for k, a := range vals {
			in[k].val = []*kernel.Value{a.val[i]}
		}
		out[i] = l.runBody(c.Func.Out, as, 1, in)[0]
	}
	p, ok := c.Params[len(c.Params)-1].(*types.Pointer)
	if !ok {
		return
	}
	if types.ElemScalar(p.Elem) == types.Half {
		for i, x := range out {
			out[i] = l.conv(alu.FPTrunc, alu.F16, x)
		}
	}
	l.store(ptr.val[0], out, p.Elem.Align(), p.Quals&types.Volatile != 0)
}
