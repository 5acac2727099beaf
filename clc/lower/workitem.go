package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/kernel"
)

var specials map[string]special

func init() { // assigned in init, as these functions refer to the table themselves
	specials = map[string]special{
		"get_work_dim":            workDim,
		"get_global_id":           query(kernel.GlobalID, 0),
		"get_global_size":         query(kernel.GlobalSize, 1),
		"get_local_id":            query(kernel.LocalID, 0),
		"get_local_size":          query(kernel.LocalSize, 1),
		"get_enqueued_local_size": dimensional((*lowerer).enqueuedLocalSize, 1),
		"get_group_id":            query(kernel.GroupID, 0),
		"get_num_groups":          query(kernel.NumGroups, 1),
		"get_global_offset":       query(kernel.GlobalOffset, 0),
		"get_global_linear_id":    globalLinearID,
		"get_local_linear_id":     localLinearID,
		"barrier":                 effect(kernel.Barrier),
		"fence":                   effect(kernel.Fence),
		"atomic":                  atomicCall,
		"prefetch":                prefetch,
		"printf":                  nil, // see builtinCall
		"image":                   imageCall,
		"group":                   groupCall,
		"block":                   blockCall,
		"async":                   asyncCall,
		"async_lines":             asyncLinesCall,
		"lane":                    laneQuery(kernel.Lane),
		"lanes":                   lanesQuery,
		"span_rows":               spanRows,
		"ballot":                  ballot,
		"lane_shuffle":            laneShuffle,

		"dot_product":        dotProduct,
		"packed_dot_product": packedDotProduct,
		"overflow":           checkedArithmetic,
		"memory":             memoryCall,
		"space":              spaceCall,

		"any":      anyBits,
		"all":      allBits,
		"select":   selectCall,
		"mad":      mad,
		"upsample": upsample,
		"shuffle":  shuffle,
		"shuffle2": shuffle,

		"convert":      convert,
		"as":           reinterpretCall,
		"vload":        vload,
		"vstore":       vstore,
		"vload_half":   vloadHalf,
		"vloada_half":  vloadHalf,
		"vstore_half":  vstoreHalf,
		"vstorea_half": vstoreHalf,
	}
}

func (l *lowerer) dimension(op alu.Op, d int) *kernel.Value {
	v := l.emit(op, alu.I64)
	v.Index = d
	return v
}

// query returns the lowering of a work-item function whose argument is the dimension. For
// dimensions other than 0 to 2 the result is other (OpenCL C 1.2 §6.12.1).
func query(op alu.Op, other int64) special {
	return dimensional(func(l *lowerer, d int) *kernel.Value { return l.dimension(op, d) }, other)
}

// dimensional is query for a value computed by the function of.
func dimensional(of func(l *lowerer, d int) *kernel.Value, other int64) special {
	return func(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
		d := args[0].val[0]
		if d.Op == kernel.Const {
			if d.Const > 2 {
				return []*kernel.Value{l.i64(other)}
			}
			return []*kernel.Value{of(l, int(d.Const))}
		}
		v := l.i64(other)
		for i := range 3 {
			is := l.op(alu.Eq, d, l.konst(d.Type, uint64(i)))
			v = l.selectOp(is, of(l, i), v)
		}
		return []*kernel.Value{v}
	}
}

// enqueuedLocalSize is the size of all groups except possibly the last, which holds the
// remainder of the range.
func (l *lowerer) enqueuedLocalSize(d int) *kernel.Value {
	if n := l.f.ReqdWorkGroupSize[d]; n > 0 {
		return l.i64(int64(n))
	}
	group, size := l.dimension(kernel.GroupID, d), l.dimension(kernel.LocalSize, d)
	others := l.op(alu.Sub, l.dimension(kernel.GlobalSize, d), size)
	last := l.op(alu.Eq, l.op(alu.Add, group, l.i64(1)), l.dimension(kernel.NumGroups, d))
	last = l.op(alu.And, last, l.op(alu.Ne, group, l.i64(0)))
	return l.selectOp(last, l.op(alu.UDiv, others, group), size)
}

func workDim(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	return []*kernel.Value{l.conv(alu.Trunc, alu.I32, l.emit(kernel.WorkDim, alu.I64))}
}

// linear combines three IDs and the sizes of the faster-varying dimensions.
func (l *lowerer) linear(id func(d int) *kernel.Value, size alu.Op) []*kernel.Value {
	v := id(2)
	for d := 1; d >= 0; d-- {
		v = l.op(alu.Add, l.op(alu.Mul, v, l.dimension(size, d)), id(d))
	}
	return []*kernel.Value{v}
}

func globalLinearID(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	return l.linear(func(d int) *kernel.Value {
		return l.op(alu.Sub, l.dimension(kernel.GlobalID, d), l.dimension(kernel.GlobalOffset, d))
	}, kernel.GlobalSize)
}

func localLinearID(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	return l.linear(func(d int) *kernel.Value { return l.dimension(kernel.LocalID, d) }, kernel.LocalSize)
}

// effect returns the lowering of a function that is an operation without operands or
// result.
func effect(op alu.Op) special {
	return func(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
		l.emit(op, alu.Void)
		return nil
	}
}

// prefetch does not affect the result.
func prefetch(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value { return nil }
