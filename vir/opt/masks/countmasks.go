package masks

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// CountMasks replaces selects and zero extensions of masks in sums by sign extensions. Where
// masks are vectors, the sign extension is the mask itself, read as -1 or 0:
//
//	select(m, n + 1, n)     n - sext(m)
//	n + zext(m)             n - sext(m)
//	n - zext(m)             n + sext(m)
//
// It comes last: no other pass matches these forms.
//
// requires: dense IDs
// maintains: the graph
func CountMasks(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 {
		return
	}
	uses := analysis.UsesOf(f)
	once := func(v *vir.Value) bool { return len(uses[v.ID]) == 1 }
	counted := 0
	for _, b := range f.Blocks {
		edit.InsertBefore(b, func(v *vir.Value) []*vir.Value {
			if !v.Type.IsVec() || !v.Type.Elem.IsInt() {
				return nil
			}
			op, n, m := alu.Sub, (*vir.Value)(nil), (*vir.Value)(nil)
			ones := func(x *vir.Value) bool {
				return x.Op == alu.ZExt && x.Args[0].Type.IsMask() && once(x)
			}
			switch x := v.Args; {
			case v.Op == alu.Select && x[0].Type.IsMask():
				if up := x[1]; up.Op == alu.Add && once(up) && up.Args[0] == x[2] && analysis.IsConst(up.Args[1], 1) {
					n, m = x[2], x[0]
				}
			case v.Op == alu.Add && ones(x[1]):
				n, m = x[0], x[1].Args[0]
			case v.Op == alu.Add && ones(x[0]):
				n, m = x[1], x[0].Args[0]
			case v.Op == alu.Sub && ones(x[1]):
				op, n, m = alu.Add, x[0], x[1].Args[0]
			}
			if n == nil {
				return nil
			}
			counted++
			number := b.NewValue(alu.SExt, v.Type, m)
			number.Pos = v.Pos
			v.Op, v.Args = op, []*vir.Value{n, number}
			return []*vir.Value{number}
		})
	}
	if counted > 0 {
		stats.Add("masks counted", counted)
		f.Renumber()
		edit.Dead(f, stats)
	}
}
