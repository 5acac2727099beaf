package induction

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Subscripts takes constants out of 32-bit subscripts, in functions of one lane:
//
//	a + 4*sext(i-1)    a + 4*sext(i), -4 behind it
//
// It does for private memory, which lies there as it is declared, what opt.Displace
// does for other memory. A sum may wrap where its extension does not, but not in an address
// (see sums). A sum that is needed besides stays as it is: i may not be needed any
// more.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph
func Subscripts(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	n := newInduction(f)
	t := vir.Scalar(alu.I64)
	found := 0
	for _, b := range f.Blocks {
		var out []*vir.Value
		for _, v := range b.Values {
			if x, c := n.subscript(v); x != nil {
				wide := b.NewValue(alu.SExt, t, x)
				wide.Pos = v.Pos
				v.Op, v.Args = alu.Add, []*vir.Value{wide, f.Const(t, uint64(c))}
				out = append(out, wide)
				found++
			}
			out = append(out, v)
		}
		b.Values = out
	}
	if found == 0 {
		return
	}
	stats.Add("constants out of subscripts", found)
	f.Renumber()
	combine.Redundancy(f, nil)
	edit.Dead(f, nil)
}

// subscript returns what v extends a sum of, if that is all it is for, and the constant
// that is added to it.
func (n *induction) subscript(v *vir.Value) (x *vir.Value, c int64) {
	if v.ID >= len(n.uses) || !n.isIndex(v) {
		return nil, 0
	}
	sum := v.Args[0]
	if sum.Op != alu.Add || len(n.uses[sum.ID]) > 1 {
		return nil, 0
	}
	by := sum.Args[1]
	if by.Op != vir.Const || by.Signed() < -analysis.MaxStep || by.Signed() > analysis.MaxStep {
		return nil, 0
	}
	return sum.Args[0], by.Signed()
}
