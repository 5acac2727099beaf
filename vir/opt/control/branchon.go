package control

import (
	"slices"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// branchOn replaces a select by a branch: it splits the block there, and the select becomes a
// parameter of the second half. Operations before it that only one side needs move to that side.
func branchOn(f *vir.Func, v *vir.Value) {
	uses := analysis.UsesOf(f)
	b, cond, pos := v.Block, v.Args[0], v.Pos
	at := slices.Index(b.Values, v)
	above := b.Values[:at:at]

	below := f.NewBlock(b.Name)
	p := below.NewParam(v.Type, v.Name)
	for _, x := range b.Values[at+1:] {
		x.Block = below
		below.Values = append(below.Values, x)
	}
	below.Kind, below.Cond, below.Edges, below.Pos = b.Kind, b.Cond, b.Edges, b.Pos

	var edges [2]vir.Edge
	for i := range edges {
		side := f.NewBlock("")
		side.Pos = pos
		x := v.Args[1+i]
		if n := len(above) - 1; n >= 0 && x == above[n] && len(uses[x.ID]) == 1 && analysis.IsMovable(x) {
			x.Block = side
			side.Values = append(side.Values, x)
			above = above[:n]
		}
		side.Jump(below, x)
		edges[i] = vir.Edge{To: side}
	}
	b.Values, b.Pos = above, pos
	b.Branch(cond, edges[0], edges[1])
	edit.ReplaceAll(f, map[*vir.Value]*vir.Value{v: p})
}
