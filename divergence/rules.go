package divergence

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// operation is the transfer rule of one operation whose operands are known.
// Strides are modulo 2^bits of the type, so addition, subtraction,
// multiplication and truncation keep them whether or not a lane wraps;
// extensions and comparisons do not.
func (a *analysis) operation(v *kernel.Value) Shape {
	if !v.Op.Pure() {
		return a.own(v)
	}
	uniform := true
	for _, x := range v.Args {
		uniform = uniform && a.Shapes[x.ID].IsUniform()
	}
	if uniform {
		return Uniform(a.align(v))
	}
	arg := func(i int) Shape { return a.Shapes[v.Args[i].ID] }
	for _, x := range v.Args {
		if a.Shapes[x.ID].Kind == Varying {
			return varying
		}
	}
	if !v.Type.IsInt() && !v.Type.IsPtr() {
		return varying
	}
	switch v.Op {
	case alu.Add:
		return wrap(v.Type, arg(0).Stride+arg(1).Stride, a.align(v))
	case alu.Sub:
		return wrap(v.Type, arg(0).Stride-arg(1).Stride, a.align(v))
	case alu.Mul:
		for i, x := range v.Args {
			if x.Op == kernel.Const {
				return wrap(v.Type, arg(1-i).Stride*int64(x.Const), a.align(v))
			}
		}
	case alu.Shl:
		if c := v.Args[1]; c.Op == kernel.Const {
			return wrap(v.Type, arg(0).Stride<<(c.Const&uint64(v.Type.Bits()-1)), a.align(v))
		}
	case alu.Trunc:
		return wrap(v.Type, arg(0).Stride, a.align(v))
	case alu.Bitcast:
		if from := v.Args[0].Type; from.IsInt() || from.IsPtr() {
			return strided(arg(0).Stride, arg(0).Align)
		}
	case alu.Select:
		if arg(0).IsUniform() {
			return join(arg(1), arg(2))
		}
	}
	return varying
}

// wrap makes a strided shape of an integer type: the stride is taken modulo
// 2^bits, as the nearest to zero.
func wrap(t kernel.Type, stride, align int64) Shape {
	if t.IsInt() {
		s := 64 - t.Bits()
		stride = stride << s >> s
	}
	return strided(stride, align)
}

// align returns a power of two that divides lane 0's result.
func (a *analysis) align(v *kernel.Value) int64 {
	arg := func(i int) int64 { return max(a.Shapes[v.Args[i].ID].Align, 1) }
	const most = 1 << 30
	switch v.Op {
	case alu.Add, alu.Sub, alu.Or, alu.Xor, kernel.PtrAdd, alu.SMin, alu.SMax, alu.UMin, alu.UMax:
		return min(arg(0), arg(1))
	case alu.And:
		return max(arg(0), arg(1))
	case alu.Select:
		return min(arg(1), arg(2))
	case alu.Mul:
		return min(arg(0)*arg(1), most)
	case alu.Shl:
		if c := v.Args[1]; c.Op == kernel.Const {
			return min(arg(0)<<min(c.Const&uint64(v.Type.Bits()-1), 30), most)
		}
		return arg(0)
	case alu.Trunc:
		return min(arg(0), 1<<min(v.Type.Bits()-1, 30))
	case alu.ZExt, alu.SExt:
		if v.Args[0].Type.IsInt() {
			return arg(0)
		}
	case alu.Bitcast:
		if from := v.Args[0].Type; from.IsInt() || from.IsPtr() {
			return arg(0)
		}
	}
	return 1
}

// own is the rule of the kernel IR's own operations.
func (a *analysis) own(v *kernel.Value) Shape {
	switch v.Op {
	case kernel.GlobalID, kernel.LocalID:
		if v.Index == 0 {
			return strided(1, 1)
		}
		return Uniform(1)
	case kernel.PtrAdd:
		p, o := a.Shapes[v.Args[0].ID], a.Shapes[v.Args[1].ID]
		if p.Kind == Varying || o.Kind == Varying {
			return varying
		}
		return strided(p.Stride+o.Stride, a.align(v))
	case kernel.Load:
		// One address holds one value, but every lane has its own private memory.
		if a.Shapes[v.Args[0].ID].IsUniform() && v.Args[0].Type != alu.PtrPrivate {
			return Uniform(1)
		}
		return varying
	case kernel.Component:
		return a.Shapes[v.Args[0].ID]
	case kernel.Alloca:
		return Uniform(int64(v.Align)) // the offset in private memory, the same for all
	case kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.GroupID, kernel.GlobalSize, kernel.LocalSize,
		kernel.NumGroups, kernel.GlobalOffset, kernel.WorkDim:
		return Uniform(1)
	}
	return varying
}
