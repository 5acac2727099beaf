package divergence

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// line is how many bytes a cache holds together.
const line = 64

// Apart reports whether lanes next to each other may access lines of global memory that
// are not next to each other, by the load or store v: at a large stride, or where numbers
// out of memory say. Those that a limit keeps from going on side by side do not.
func (in *Info) Apart(v *kernel.Value) bool {
	p := v.Args[0]
	if p.Type != alu.PtrGlobal && p.Type != alu.PtrConstant {
		return false
	}
	return in.apart(p, 1, map[*kernel.Value]bool{})
}

// apart is Apart for what is a number of which each one stands for several bytes, at most
// for more than a line.
func (in *Info) apart(x *kernel.Value, bytes int64, seen map[*kernel.Value]bool) bool {
	if stride, even := in.reach(x); even {
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
	case kernel.Load: // a number of a byte is a place in a small table
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
		if in.apart(a, bytes, seen) {
			return true
		}
	}
	return false
}

// passed lists what edges give the parameter p.
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
