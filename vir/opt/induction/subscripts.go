package induction

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Subscripts moves constants out of 32-bit subscripts, in scalar code:
//
//	a + 4*sext(i-1)    a + 4*sext(i) at displacement -4
//
// It does for private memory, which is laid out as declared, what opt.Displace does for other
// memory. The 32-bit sum may wrap, but not in an address (see sums). A sum with other uses stays
// unchanged, since i may have none.
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
	stats.Add("constants moved out of subscripts", found)
	f.Renumber()
	combine.Redundancy(f, nil)
	edit.Dead(f, nil)
}

// subscript matches v = sext(x + c) if the sum has no other use; x is nil otherwise.
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
