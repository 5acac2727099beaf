package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// complements rewrites m & ^x as m & ^(m & x) if m & x is computed in the same block: x then
// has no other user, and its comparison runs under m.
func complements(f *vir.Func) {
	type pair struct{ m, x *vir.Value }
	for _, b := range f.Blocks {
		products := map[pair]*vir.Value{}
		at := map[*vir.Value]int{}
		for i, v := range b.Values {
			at[v] = i
			if v.Op == alu.And && v.Type.IsMask() {
				products[pair{v.Args[0], v.Args[1]}] = v
				products[pair{v.Args[1], v.Args[0]}] = v
			}
		}
		if len(products) == 0 {
			continue
		}
		var out []*vir.Value
		placed := map[*vir.Value]bool{}
		for i, v := range b.Values {
			if placed[v] {
				continue
			}
			if v.Op == alu.And && v.Type.IsMask() {
				for k := range 2 {
					m, n := v.Args[k], v.Args[1-k]
					x, ok := notMask(n)
					if !ok {
						continue
					}
					p := products[pair{m, x}]
					if p == nil || p == v {
						continue
					}
					if at[p] > i { // the operands of p are those of v and of its negation, so they precede v
						out = append(out, p)
						placed[p] = true
					}
					not := b.NewValue(alu.Xor, v.Type, p, f.Const(v.Type, 1))
					not.Pos = v.Pos
					out = append(out, not)
					v.Args[0], v.Args[1] = m, not
					break
				}
			}
			out = append(out, v)
		}
		b.Values = out
	}
}
