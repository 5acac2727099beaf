package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// NegateAfterSplat replaces the splat of -x in an FMA by the negated splat of x, if that
// splat is available: the fused forms include the negation.
func NegateAfterSplat(f *vir.Func) {
	type splat struct {
		x *vir.Value
		t vir.Type
	}
	for _, b := range f.Blocks {
		var out []*vir.Value
		available := map[splat]*vir.Value{}
		for _, v := range b.Values {
			if v.Op == vir.Splat {
				available[splat{v.Args[0], v.Type}] = v
			}
			if v.Op == alu.FMA && v.Type.IsVec() {
				for i, a := range v.Args {
					if a.Op != vir.Splat || a.Args[0].Op != alu.FNeg {
						continue
					}
					if x := available[splat{a.Args[0].Args[0], a.Type}]; x != nil {
						negated := b.NewValue(alu.FNeg, a.Type, x)
						negated.Pos = v.Pos
						out = append(out, negated)
						v.Args[i] = negated
					}
				}
			}
			out = append(out, v)
		}
		b.Values = out
	}
}
