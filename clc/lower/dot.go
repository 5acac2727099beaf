package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// dotProduct lowers the functions of cl_khr_integer_dot_product on vectors.
func dotProduct(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	var operands [2][4]*kernel.Value
	for i := range operands {
		op := extension(types.ElemScalar(c.Params[i]))
		for k, x := range args[i].val {
			operands[i][k] = l.conv(op, alu.I32, x)
		}
	}
	return l.sumOfProducts(c, operands, args[2:])
}

// packedDotProduct lowers the dot products whose operands are 4 bytes packed in a uint.
func packedDotProduct(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	var operands [2][4]*kernel.Value
	for i := range operands {
		shift := alu.LShr
		if c.Func.Signed[i] {
			shift = alu.AShr
		}
		for k := range operands[i] {
			top := l.op(alu.Shl, args[i].val[0], l.konst(alu.I32, uint64(24-8*k)))
			operands[i][k] = l.op(shift, top, l.konst(alu.I32, 24))
		}
	}
	return l.sumOfProducts(c, operands, args[2:])
}

// sumOfProducts adds the products, whose sum fits in 32 bits, and then, saturating, the
// accumulator if there is one.
func (l *lowerer) sumOfProducts(c *builtins.Call, x [2][4]*kernel.Value, acc []arg) []*kernel.Value {
	sum := l.op(alu.Mul, x[0][0], x[1][0])
	for k := 1; k < 4; k++ {
		sum = l.op(alu.Add, sum, l.op(alu.Mul, x[0][k], x[1][k]))
	}
	if len(acc) > 0 {
		add := alu.UAddSat
		if c.Result == types.Int {
			add = alu.SAddSat
		}
		sum = l.op(add, sum, acc[0].val[0])
	}
	return []*kernel.Value{sum}
}
