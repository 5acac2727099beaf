package meld

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// operands returns what an operation is computed with; a plan may differ from
// what stands in the IR.
type operands func(v *kernel.Value) []*kernel.Value

func asTheyAre(v *kernel.Value) []*kernel.Value { return v.Args }

// harmless reports whether v is a load from address p that reads its own
// lane's private memory whatever the values it depends on are, so that lanes
// which do not need it may run it.
func harmless(v, p *kernel.Value, args operands) bool {
	if v.Op != kernel.Load || v.Volatile || p.Type != alu.PtrPrivate {
		return false
	}
	most := uint64(v.Count * v.Type.Size())
	for depth := 0; p.Op == kernel.PtrAdd && depth < 4; depth++ {
		at := args(p)
		m, ok := greatest(at[1], args, 8)
		if !ok || m > 1<<31 {
			return false
		}
		most += m
		p = at[0]
	}
	return p.Op == kernel.Alloca && most <= uint64(p.Size)
}

// greatest bounds an integer as an unsigned number, by what it is computed
// with; depth is how far it looks.
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
	most := all
	switch v.Op {
	case alu.And:
		most = min(arg(0), arg(1))
	case alu.Or, alu.Xor:
		most = 1<<bits.Len64(arg(0)|arg(1)) - 1
	case alu.ZExt:
		most = with[0].Type.Mask()
		if with[0].Type.IsInt() {
			most = arg(0)
		}
	case alu.SExt:
		if m := arg(0); m <= with[0].Type.Mask()>>1 {
			most = m
		}
	case alu.Trunc:
		most = min(arg(0), all)
	case alu.LShr:
		most = arg(0)
		if c := with[1]; c.Op == kernel.Const {
			most >>= c.Const & uint64(v.Type.Bits()-1)
		}
	case alu.Shl:
		if c := with[1]; c.Op == kernel.Const {
			n := c.Const & uint64(v.Type.Bits()-1)
			if m := arg(0); m <= all>>n {
				most = m << n
			}
		}
	case alu.Mul:
		if hi, lo := bits.Mul64(arg(0), arg(1)); hi == 0 && lo <= all {
			most = lo
		}
	case alu.Add:
		if sum, carry := bits.Add64(arg(0), arg(1), 0); carry == 0 && sum <= all {
			most = sum
		}
	case alu.URem:
		if c := with[1]; c.Op == kernel.Const && c.Const > 0 {
			most = min(arg(0), c.Const-1)
		}
	case alu.UDiv:
		most = arg(0)
	case alu.UMin:
		most = min(arg(0), arg(1))
	case alu.UMax:
		most = max(arg(0), arg(1))
	case alu.Select:
		most = max(arg(1), arg(2))
	}
	return most, most != 1<<64-1
}
