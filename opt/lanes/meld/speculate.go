package meld

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// operands returns the operands of an operation; those of a plan may differ from the IR.
type operands func(v *kernel.Value) []*kernel.Value

func irOperands(v *kernel.Value) []*kernel.Value { return v.Args }

// harmless reports whether v, a load from address p, reads private memory in bounds for all
// values of its inputs, so that it may run in lanes that do not need it.
func harmless(v, p *kernel.Value, args operands) bool {
	if v.Op != kernel.Load || v.Volatile || p.Type != alu.PtrPrivate {
		return false
	}
	limit := uint64(v.Count * v.Type.Size())
	for depth := 0; p.Op == kernel.PtrAdd && depth < 4; depth++ {
		at := args(p)
		m, ok := greatest(at[1], args, 8)
		if !ok || m > 1<<31 {
			return false
		}
		limit += m
		p = at[0]
	}
	return p.Op == kernel.Alloca && limit <= uint64(p.Size)
}

// greatest returns an upper bound of v as an unsigned integer; depth limits the expressions
// that it inspects.
func greatest(v *kernel.Value, args operands, depth int) (uint64, bool) {
	all := v.Type.Mask()
	if v.Op == kernel.Const {
		return v.Const, true
	}
	if depth == 0 || !v.Op.Pure() || !v.Type.IsInt() {
		return all, all != 1<<64-1
	}
	with := args(v)
	arg := func(i int) uint64 {
		m, _ := greatest(with[i], args, depth-1)
		return m
	}
	limit := all
	switch v.Op {
	case alu.And:
		limit = min(arg(0), arg(1))
	case alu.Or, alu.Xor:
		limit = 1<<bits.Len64(arg(0)|arg(1)) - 1
	case alu.ZExt:
		limit = with[0].Type.Mask()
		if with[0].Type.IsInt() {
			limit = arg(0)
		}
	case alu.SExt:
		if m := arg(0); m <= with[0].Type.Mask()>>1 {
			limit = m
		}
	case alu.Trunc:
		limit = min(arg(0), all)
	case alu.LShr:
		limit = arg(0)
		if c := with[1]; c.Op == kernel.Const {
			limit >>= c.Const & uint64(v.Type.Bits()-1)
		}
	case alu.Shl:
		if c := with[1]; c.Op == kernel.Const {
			n := c.Const & uint64(v.Type.Bits()-1)
			if m := arg(0); m <= all>>n {
				limit = m << n
			}
		}
	case alu.Mul:
		if hi, lo := bits.Mul64(arg(0), arg(1)); hi == 0 && lo <= all {
			limit = lo
		}
	case alu.Add:
		if sum, carry := bits.Add64(arg(0), arg(1), 0); carry == 0 && sum <= all {
			limit = sum
		}
	case alu.URem:
		if c := with[1]; c.Op == kernel.Const && c.Const > 0 {
			limit = min(arg(0), c.Const-1)
		}
	case alu.UDiv:
		limit = arg(0)
	case alu.UMin:
		limit = min(arg(0), arg(1))
	case alu.UMax:
		limit = max(arg(0), arg(1))
	case alu.Select:
		limit = max(arg(1), arg(2))
	}
	return limit, limit != 1<<64-1
}
