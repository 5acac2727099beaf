package control

import (
	"slices"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// branchOn splits a block where the first of these choices on one condition
// stands, and makes as many of them as can be there parameters behind the
// branch: at least the first. What only one side needs is computed on that side.
// It returns how many choices it made branches.
func branchOn(f *vir.Func, choices []*vir.Value) int {
	uses := analysis.UsesOf(f)
	b, cond, pos := choices[0].Block, choices[0].Args[0], choices[0].Pos
	at := slices.Index(b.Values, choices[0])
	above, made := b.Values[:at:at], choices[:0:0]
	above, made = raised(above, made, b.Values[at:], choices)

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

// raised adds to above what choices need of rest, and to made the choices that
// then need nothing else there.
func raised(above, made, rest, choices []*vir.Value) ([]*vir.Value, []*vir.Value) {
	below := map[*vir.Value]bool{}
	for _, v := range rest {
		below[v] = true
	}
	var raise func(v *vir.Value) bool
	raise = func(v *vir.Value) bool {
		if !below[v] {
			return true
		}
		if slices.Contains(choices, v) || !analysis.IsMovable(v) || !all(v.Args, raise) {
			return false
		}
		above = append(above, v)
		delete(below, v)
		return true
	}
	for _, v := range choices {
		if all(v.Args[1:], raise) {
			made = append(made, v)
		}
	}
	return above, made
}

func all[T any](xs []T, is func(T) bool) bool {
	return !slices.ContainsFunc(xs, func(x T) bool { return !is(x) })
}
