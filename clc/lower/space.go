package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// Flags of cl_mem_fence_flags (OpenCL C 1.2 §6.12.8).
const (
	localMemFence  = 1
	globalMemFence = 2
)

// spaceCall lowers the functions of the address space of a generic pointer. A pointer that
// points into neither local nor private memory points to global memory. The fence of private
// memory is 0, as no other work-item accesses it.
func spaceCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	p := args[0].val[0]
	is := func(op alu.Op) *kernel.Value { return l.emit(op, alu.I1, p) }
	result, ok := c.Result.(*types.Pointer)
	if !ok {
		shared := l.selectOp(is(kernel.InLocal), l.konst(alu.I32, localMemFence), l.konst(alu.I32, globalMemFence))
		return []*kernel.Value{l.selectOp(is(kernel.InPrivate), l.konst(alu.I32, 0), shared)}
	}
	t := ptrType(result.Space)
	as, null := l.conv(alu.Bitcast, t, p), l.konst(t, 0)
	switch result.Space {
	case types.Local:
		as = l.selectOp(is(kernel.InLocal), as, null)
	case types.Private:
		as = l.selectOp(is(kernel.InPrivate), as, null)
	default:
		as = l.selectOp(is(kernel.InLocal), null, l.selectOp(is(kernel.InPrivate), null, as))
	}
	return []*kernel.Value{as}
}
