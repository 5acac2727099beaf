package control

import (
	"slices"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// branchOn replaces selects on one condition by a branch at the first of them: it splits the
// block there, and the selects become parameters of the second half. The first select is
// always replaced, others if their operands can be moved up. Operations that only one side
// needs move to that side. It returns the number of selects replaced.
func branchOn(f *vir.Func, selects []*vir.Value) int {
	uses := analysis.UsesOf(f)
	b, cond, pos := selects[0].Block, selects[0].Args[0], selects[0].Pos
	at := slices.Index(b.Values, selects[0])
	above, made := b.Values[:at:at], selects[:0:0]
	above, made = raiseOperands(above, made, b.Values[at:], selects)

	below := f.NewBlock(b.Name)
	to := map[*vir.Value]*vir.Value{}
	for _, v := range made {
		to[v] = below.NewParam(v.Type, v.Name)
	}
	for _, v := range b.Values[at:] {
		if to[v] == nil && !slices.Contains(above[at:], v) {
			v.Block = below
			below.Values = append(below.Values, v)
		}
	}
	below.Kind, below.Cond, below.Edges, below.Pos = b.Kind, b.Cond, b.Edges, b.Pos

	var edges [2]vir.Edge
	for i := range edges {
		side := f.NewBlock("")
		side.Pos = pos
		args := make([]*vir.Value, len(made))
		for k, v := range made {
			args[k] = v.Args[1+i]
		}
		for k := len(above) - 1; k >= 0 && slices.Contains(args, above[k]) && len(uses[above[k].ID]) == 1 && analysis.IsMovable(above[k]); k-- {
			above[k].Block = side
			side.Values = append(side.Values, above[k])
			above = above[:k]
		}
		slices.Reverse(side.Values)
		side.Jump(below, args...)
		edges[i] = vir.Edge{To: side}
	}
	b.Values, b.Pos = above, pos
	b.Branch(cond, edges[0], edges[1])
	edit.ReplaceAll(f, to)
	return len(made)
}

// raiseOperands moves operations of rest that selects need to above, and adds to made the selects
// whose operands are then available.
func raiseOperands(above, made, rest, selects []*vir.Value) ([]*vir.Value, []*vir.Value) {
	below := map[*vir.Value]bool{}
	for _, v := range rest {
		below[v] = true
	}
	var raise func(v *vir.Value) bool
	raise = func(v *vir.Value) bool {
		if !below[v] {
			return true
		}
		if slices.Contains(selects, v) || !analysis.IsMovable(v) || !all(v.Args, raise) {
			return false
		}
		above = append(above, v)
		delete(below, v)
		return true
	}
	for _, v := range selects {
		if all(v.Args[1:], raise) {
			made = append(made, v)
		}
	}
	return above, made
}

func all[T any](xs []T, is func(T) bool) bool {
	return !slices.ContainsFunc(xs, func(x T) bool { return !is(x) })
}
