package vectorize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/edit"
)

// AcrossLanes recognizes scalar operations that combine all lanes of a vector, in any order, in
// scalar code, and combines halves of the vector instead: the sum of all components, or whether
// any of some comparisons holds. Only integers, where the order does not matter.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph
func AcrossLanes(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	var uses [][]analysis.Use
	to := map[*vir.Value]*vir.Value{}
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Values); i++ {
			v := b.Values[i]
			if !alu.Combines(v.Op) || !v.Type.IsScalar() || !v.Type.Elem.IsInt() || !combines(v) {
				continue
			}
			if uses == nil {
				uses = analysis.UsesOf(f)
			}
			a := across{op: v.Op, uses: uses}
			last := len(uses[v.ID]) != 1 || uses[v.ID][0].By == nil || uses[v.ID][0].By.Op != v.Op
			if !last || !a.collect(v.Args[0]) || !a.collect(v.Args[1]) || len(a.lanes) != a.x.Type.Lanes {
				continue
			}
			rest := b.Values[i:]
			b.Values = b.Values[:i:i]
			to[v] = a.make(b)
			to[v].Pos, to[v].Name = v.Pos, v.Name
			i = len(b.Values)
			b.Values = append(b.Values, rest...)
		}
	}
	if len(to) == 0 {
		return
	}
	edit.ReplaceAll(f, to)
	stats.Add("lane reductions", len(to))
	f.Renumber()
	combine.Redundancy(f, nil)
	edit.Dead(f, nil)
}

// combines reports whether v may be the root of operations on all lanes: its operands are lanes or
// the same operation.
func combines(v *vir.Value) bool {
	return !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return a.Op != v.Op && a.Op != vir.Extract })
}

// across is a set of lanes of x combined by one operation.
type across struct {
	op    vir.Op
	uses  [][]analysis.Use
	x     *vir.Value
	lanes []int
}

// collect adds the lanes that v combines, each of which may occur once.
func (a *across) collect(v *vir.Value) bool {
	switch {
	case v.Op == vir.Extract:
		if a.x == nil {
			a.x = v.Args[0]
		}
		a.lanes = append(a.lanes, v.Index)
		return v.Args[0] == a.x && !slices.Contains(a.lanes[:len(a.lanes)-1], v.Index)
	case v.Op != a.op || len(a.uses[v.ID]) != 1:
		return false
	}
	return a.collect(v.Args[0]) && a.collect(v.Args[1])
}

// make combines all lanes at the end of b. Lanes that are extended mask bits become Any or All.
func (a *across) make(b *vir.Block) *vir.Value {
	of := map[vir.Op]vir.Op{alu.Or: vir.Any, alu.And: vir.All}[a.op]
	if of != 0 && (a.x.Op == alu.SExt || a.x.Op == alu.ZExt) && a.x.Args[0].Type.IsMask() {
		return b.Append(a.x.Op, vir.Scalar(a.x.Type.Elem), b.Append(of, vir.Scalar(alu.I1), a.x.Args[0]))
	}
	return byHalves(b, a.op, a.x)
}

// byHalves combines the lanes of x at the end of b.
func byHalves(b *vir.Block, op vir.Op, x *vir.Value) *vir.Value {
	const half = 4 // lanes from which halves are shuffled in place
	for x.Type.Lanes > half {
		t := vir.Vec(x.Type.Elem, x.Type.Lanes/2)
		low, high := b.Append(vir.Part, t, x), b.Append(vir.Part, t, x)
		high.Index = 1
		x = b.Append(op, t, low, high)
	}
	for n := x.Type.Lanes / 2; n > 0; n /= 2 {
		y := b.Append(vir.Shuffle, x.Type, x, x)
		for l := range x.Type.Lanes {
			y.Lanes = append(y.Lanes, l^n)
		}
		x = b.Append(op, x.Type, x, y)
	}
	return b.Append(vir.Extract, vir.Scalar(x.Type.Elem), x)
}
