package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// signs combines the sign bits of the components of x.
func (l *lowerer) signs(op alu.Op, x []*kernel.Value) []*kernel.Value {
	all := x[0]
	for _, v := range x[1:] {
		all = l.op(op, all, v)
	}
	set := l.op(alu.Slt, all, l.konst(all.Type, 0))
	return []*kernel.Value{l.conv(alu.ZExt, alu.I32, set)}
}

func anyBits(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	return l.signs(alu.Or, args[0].val)
}

func allBits(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	return l.signs(alu.And, args[0].val)
}

// selectCall lowers select(x, y, c), which is y where c is true: nonzero for a scalar,
// the sign bit for a component.
func selectCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	x, y, cond := args[0].val, args[1].val, args[2].val
	out := make([]*kernel.Value, len(x))
	for i := range out {
		is := cond[i]
		if c.N == 1 {
			is = l.truth(is)
		} else {
			is = l.op(alu.Slt, is, l.konst(is.Type, 0))
		}
		out[i] = l.selectOp(is, y[i], x[i])
	}
	return out
}

func upsample(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	t, n := regType(c.Result)
	out := make([]*kernel.Value, n)
	for i := range out {
		hi, lo := args[0].val[i], args[1].val[i]
		w := l.op(alu.Shl, l.conv(alu.ZExt, t, hi), l.konst(t, uint64(t.Bits()/2)))
		out[i] = l.op(alu.Or, w, l.conv(alu.ZExt, t, lo))
	}
	return out
}

// shuffle selects components of one vector, or of two concatenated vectors, by the low
// bits of the mask.
func shuffle(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	var from []*kernel.Value
	for _, a := range args[:len(args)-1] {
		from = append(from, a.val...)
	}
	mask := args[len(args)-1].val
	out := make([]*kernel.Value, len(mask))
	for i, m := range mask {
		m = l.op(alu.And, m, l.konst(m.Type, uint64(len(from)-1)))
		if m.Op == kernel.Const {
			out[i] = from[m.Const]
			continue
		}
		out[i] = from[0]
		for k := 1; k < len(from); k++ {
			out[i] = l.selectOp(l.op(alu.Eq, m, l.konst(m.Type, uint64(k))), from[k], out[i])
		}
	}
	return out
}

func reinterpretCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	t, n := regType(c.Result)
	return l.reinterpret(t, n, args[0].val)
}

// element returns the address offset * n components after ptr.
func (l *lowerer) element(ptr, offset *kernel.Value, bytes int64) *kernel.Value {
	return l.ptrAdd(ptr, l.op(alu.Mul, offset, l.i64(bytes)))
}

func volatilePointer(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && p.Quals&types.Volatile != 0
}

func vload(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	size := c.Elem.Size()
	addr := l.element(args[1].val[0], args[0].val[0], size*int64(c.N))
	return l.load(scalarType(c.Elem), c.N, addr, size, volatilePointer(c.Params[1]))
}

func vstore(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	size := c.Elem.Size()
	addr := l.element(args[2].val[0], args[1].val[0], size*int64(c.N))
	l.store(addr, args[0].val, size, volatilePointer(c.Params[2]))
	return nil
}

// halfStride returns the distance in bytes of consecutive vectors of n halves, and their
// known alignment. The vloada and vstorea forms are aligned, and 3 components take the
// space of 4.
func halfStride(c *builtins.Call) (stride, align int64) {
	n := int64(c.N)
	if c.Func.Special == "vload_half" || c.Func.Special == "vstore_half" {
		return 2 * n, 2
	}
	if n == 3 {
		n = 4
	}
	return 2 * n, 2 * n
}

func vloadHalf(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	stride, align := halfStride(c)
	addr := l.element(args[1].val[0], args[0].val[0], stride)
	out := l.load(alu.F16, c.N, addr, align, volatilePointer(c.Params[1]))
	for i, x := range out {
		out[i] = l.widen(x)
	}
	return out
}

func vstoreHalf(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	stride, align := halfStride(c)
	addr := l.element(args[2].val[0], args[1].val[0], stride)
	out := make([]*kernel.Value, c.N)
	for i, x := range args[0].val {
		out[i] = l.roundTo(types.Half, c.Elem, x, c.Round)
	}
	l.store(addr, out, align, volatilePointer(c.Params[2]))
	return nil
}
