package lower

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// groupCall inlines a sub-group or work-group function separately for each component of
// its first arguments.
func groupCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	fn, ok := l.groupBody(c)
	_, n := regType(c.Result)
	out := make([]*kernel.Value, 0, n)
	for i := range c.N {
		if !ok {
			t, _ := regType(c.Result)
			for range n {
				out = append(out, l.konst(t, 0))
			}
			return out
		}
		in := make([]arg, len(args), len(args)+c.Func.Group.Optional)
		for k, a := range args {
			in[k].val = append([]*kernel.Value(nil), a.val...) // inlineBody widens them in place
			if c.N > 1 && len(a.val) == c.N {
				in[k].val = in[k].val[i : i+1]
			}
		}
		for len(in) < len(fn.Params) {
			in = append(in, arg{val: []*kernel.Value{l.i64(0)}})
		}
		if c.MovesHalves() {
			out = append(out, l.inlineHere(fn, in)...)
		} else {
			out = append(out, l.narrow(c, l.inlineBody(fn, in))...)
		}
	}
	return out
}

func (l *lowerer) groupBody(c *builtins.Call) (*ast.Func, bool) {
	fn, err := builtins.GroupBody(c)
	if err != nil {
		l.errorf(l.pos, "built-in function '%s': %v", c.Func.Name, err)
	}
	return fn, err == nil
}

// asyncCall copies synchronously; the event carries nothing.
func asyncCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	event := args[len(args)-1].val
	fn, ok := l.groupBody(c)
	if !ok {
		return event
	}
	one := l.i64(1)
	strides := [2]*kernel.Value{one, one}
	if len(args) == 5 {
		which := 1 // the operand in __global memory is the strided one
		if to, ok := c.Params[0].(*types.Pointer); ok && to.Space != types.Local {
			which = 0
		}
		strides[which] = args[3].val[0]
	}
	in := make([]arg, 0, 5)
	for _, v := range []*kernel.Value{args[0].val[0], args[1].val[0], args[2].val[0], strides[0], strides[1]} {
		in = append(in, arg{val: []*kernel.Value{v}})
	}
	l.inlineBody(fn, in)
	return event
}

// asyncLinesCall is asyncCall for rows and planes; a two-dimensional copy is one plane.
func asyncLinesCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	event := args[len(args)-1].val
	fn, ok := l.groupBody(c)
	if !ok {
		return event
	}
	in := args[:len(args)-1]
	if len(args) == 10 {
		one, none := arg{val: []*kernel.Value{l.i64(1)}}, arg{val: []*kernel.Value{l.i64(0)}}
		in = slices.Concat(args[:7], []arg{one, args[7], none, args[8], none})
	}
	l.inlineBody(fn, in)
	return event
}

// memoryCall inlines memcpy, memmove or memset, whose result is its first argument.
func memoryCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	if fn, ok := l.groupBody(c); ok {
		l.inlineBody(fn, args)
	}
	return args[0].val
}

// laneQuery returns the lowering of a primitive without operands.
func laneQuery(op alu.Op) special {
	return func(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
		return []*kernel.Value{l.emit(op, alu.I32)}
	}
}

func lanesQuery(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	if n := l.f.ReqdSubGroupSize; n > 0 {
		return []*kernel.Value{l.konst(alu.I32, uint64(n))}
	}
	return laneQuery(kernel.Lanes)(l, c, e, args)
}

func spanRows(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	return []*kernel.Value{l.emit(alu.ZExt, alu.I32, l.emit(kernel.SpanRows, alu.I1))}
}

func ballot(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	return []*kernel.Value{l.emit(kernel.Ballot, alu.I64, l.truth(args[0].val[0]))}
}

// laneShuffle moves values between lanes as raw bits.
func laneShuffle(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	x := args[0].val[0]
	t := x.Type
	x = l.asBits(alu.IntOf(t.Bits()), x)
	return []*kernel.Value{l.asBits(t, l.emit(kernel.Shuffle, x.Type, x, args[1].val[0]))}
}

// blockCall reads or writes, for each component, the consecutive values of all lanes.
func blockCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	if _, image := c.Params[0].(*types.Opaque); image {
		return l.blockImage(c, e, args)
	}
	t := scalarType(c.Elem)
	size := c.Elem.Size()
	bytes := func(n *kernel.Value) *kernel.Value { return l.op(alu.Mul, l.conv(alu.ZExt, alu.I64, n), l.i64(size)) }
	row := bytes(lanesQuery(l, c, e, nil)[0])
	p := l.ptrAdd(args[0].val[0], bytes(l.emit(kernel.Lane, alu.I32)))
	volatile := volatilePointer(c.Params[0])
	var out []*kernel.Value
	for i := range c.N {
		if i > 0 {
			p = l.ptrAdd(p, row)
		}
		if len(args) == 1 {
			out = append(out, l.load(t, 1, p, size, volatile)[0])
		} else {
			l.store(p, args[1].val[i:i+1], size, volatile)
		}
	}
	return out
}

// blockImage reads or writes one row of an image per component.
func (l *lowerer) blockImage(c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	fn, err := builtins.ImageBody(c)
	if err != nil {
		l.errorf(e.At, "built-in function '%s': %v", e.Name, err)
	}
	var out []*kernel.Value
	for i := range c.N {
		if err != nil {
			out = append(out, l.konst(scalarType(c.Elem), 0))
			continue
		}
		in := []arg{args[0], args[1], {val: []*kernel.Value{l.konst(alu.I32, uint64(i))}}}
		if len(args) == 3 {
			in = append(in, arg{val: args[2].val[i : i+1]})
		}
		out = append(out, l.inlineBody(fn, in)...)
	}
	return out
}
