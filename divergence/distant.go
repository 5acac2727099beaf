package divergence

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// line is the size of a cache line in bytes.
const line = 64

// DistantLanes reports whether neighbouring lanes of v, a load or store, may access global memory
// in cache lines that are not adjacent: at a large stride, or at a loaded index. Clamping
// an index to a limit does not count.
func (in *Info) DistantLanes(v *kernel.Value) bool {
	p := v.Args[0]
	if p.Type != alu.PtrGlobal && p.Type != alu.PtrConstant {
		return false
	}
	return in.distant(p, 1, map[*kernel.Value]bool{})
}

// distant is DistantLanes for x, a part of an address that is multiplied by bytes. The factor
// saturates just above the size of a line.
func (in *Info) distant(x *kernel.Value, bytes int64, seen map[*kernel.Value]bool) bool {
	if stride, ok := in.addressStride(x); ok {
		return max(stride, -stride) > line/bytes
	}
	if seen[x] {
		return false
	}
	seen[x] = true
	args := x.Args
	switch x.Op {
	case kernel.Param:
		args = passed(in.Func, x)
	case kernel.Load: // a byte is taken for an index of a small table
		return x.Type.Size() > 1 || bytes > line
	case alu.Select:
		args = args[1:]
	case kernel.PtrAdd, alu.Add, alu.Sub, alu.SExt, alu.ZExt, alu.Trunc, alu.SMin, alu.SMax, alu.UMin, alu.UMax:
	case alu.Mul, alu.Shl:
		c := args[1]
		if c.Op != kernel.Const {
			return true
		}
		by := x.Type.Signed(c.Const)
		if x.Op == alu.Shl {
			by = 1 << (c.Const & 31)
		}
		if by == 0 {
			return false
		}
		if by > line || by < -line {
			by = line + 1
		}
		bytes = min(bytes*max(by, -by), line+1)
		args = args[:1]
	default:
		return true
	}
	for _, a := range args {
		if in.distant(a, bytes, seen) {
			return true
		}
	}
	return false
}

// passed lists the arguments that edges pass for the parameter p.
func passed(f *kernel.Func, p *kernel.Value) (all []*kernel.Value) {
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			if e.To == p.Block {
				all = append(all, e.Args[p.Index])
			}
		}
	}
	return all
}
