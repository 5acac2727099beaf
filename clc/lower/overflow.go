package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

var checkedOps = map[string]alu.Op{
	"__add_overflow": alu.Add, "__sub_overflow": alu.Sub, "__mul_overflow": alu.Mul,
}

// checkedArithmetic stores the low bits of a sum, difference or product through the last
// argument, and returns whether the exact result was different.
func checkedArithmetic(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	var wide, negative [2]*kernel.Value
	for i := range wide {
		s := types.ScalarType(c.Params[i])
		wide[i] = l.number(types.Long, s, args[i].val[0])
		negative[i] = l.konst(alu.I1, 0)
		if s.IsSigned() {
			negative[i] = l.op(alu.Slt, wide[i], l.i64(0))
		}
	}
	r := l.op(checkedOps[c.Func.Name], wide[0], wide[1])
	p, ok := c.Params[2].(*types.Pointer)
	if !ok {
		return []*kernel.Value{negative[0]}
	}
	overflow := l.runBody(c.Func.Body, c.Elem, 1, []arg{
		{val: wide[:1]}, {val: negative[:1]}, {val: wide[1:]}, {val: negative[1:]},
	})
	l.store(args[2].val[0], []*kernel.Value{l.number(c.Elem, types.Long, r)}, c.Elem.Size(), p.Quals&types.Volatile != 0)
	return overflow
}
