package opt

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// shareIndices rewrites accesses at x+c to use an existing extension of x to 64 bits, so
// that both have one index and differ in a constant offset. It returns the number of
// rewritten accesses.
//
// Within an object neither sum wraps: see linear.
func (fw *forwarding) shareIndices() int {
	extended := map[*kernel.Value][]*kernel.Value{} // x -> its extensions
	for _, b := range fw.f.Blocks {
		for _, v := range b.Values {
			if v.Op == alu.SExt && v.Args[0].Type == alu.I32 && v.Type == alu.I64 {
				extended[v.Args[0]] = append(extended[v.Args[0]], v)
			}
		}
	}
	if len(extended) == 0 {
		return 0
	}
	n := 0
	var dom *cfg.DomTree
	for _, b := range fw.f.Blocks {
		var out []*kernel.Value
		seen := map[*kernel.Value]bool{} // extensions of this block, so far
		for i, v := range b.Values {
			seen[v] = v.Op == alu.SExt
			if a, ok := fw.access(v); ok && extendsSum(v.Args[0], a) {
				if dom == nil {
					dom = cfg.Dominators(fw.f.Graph())
				}
				for _, x := range extended[a.base] {
					if x.Block == b && !seen[x] || !dom.Dominates(x.Block.ID, b.ID) {
						continue
					}
					if out == nil {
						out = append(out, b.Values[:i]...)
					}
					made := pointer(b, a, x)
					for _, m := range made {
						m.Pos = v.Pos
					}
					out = append(out, made...)
					v.Args[0] = made[len(made)-1]
					n++
					break
				}
			}
			if out != nil {
				out = append(out, v)
			}
		}
		if out != nil {
			b.Values = out
		}
	}
	return n
}

// extendsSum reports whether the pointer p, which a describes, extends the sum of a 32-bit
// number and a constant.
func extendsSum(p *kernel.Value, a address) bool {
	if a.base.Type != alu.I32 {
		return false
	}
	for ; p.Op == kernel.PtrAdd; p = p.Args[0] {
		o := p.Args[1]
		for o.Op == alu.Shl || o.Op == alu.Mul || o.Op == alu.Add || o.Op == alu.Sub {
			o = o.Args[0]
		}
		if o.Op == alu.SExt && (o.Args[0].Op == alu.Add || o.Args[0].Op == alu.Sub) && o.Args[0] != a.base {
			return true
		}
	}
	return false
}

// pointer creates the operations in b that compute a; x is its extended root.
func pointer(b *kernel.Block, a address, x *kernel.Value) []*kernel.Value {
	var made []*kernel.Value
	op := func(op kernel.Op, t kernel.Type, x *kernel.Value, n int) *kernel.Value {
		made = append(made, b.NewValue(op, t, x, b.Func.Const(alu.I64, uint64(int64(n)))))
		return made[len(made)-1]
	}
	if s := a.scale; s&(s-1) != 0 {
		x = op(alu.Mul, alu.I64, x, s)
	} else if s > 1 {
		x = op(alu.Shl, alu.I64, x, bits.TrailingZeros(uint(s)))
	}
	p := b.NewValue(kernel.PtrAdd, a.object.Type, a.object, x)
	made = append(made, p)
	if a.at != 0 {
		op(kernel.PtrAdd, p.Type, p, a.at)
	}
	return made
}
