package opt

import "github.com/simtc/simtc/vir"

// use is one place that reads a value: an operation, the condition of a branch
// or an argument of an edge.
type use struct {
	by    *vir.Value // the operation, nil for the others
	block *vir.Block
	edge  int // the edge's index, -1 otherwise
}

// usesOf lists the uses of every value, by ID, in the order of the blocks.
func usesOf(f *vir.Func) [][]use {
	uses := make([][]use, f.NumValues())
	add := func(v *vir.Value, u use) { uses[v.ID] = append(uses[v.ID], u) }
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				add(a, use{v, b, -1})
			}
		}
		if b.Cond != nil {
			add(b.Cond, use{nil, b, -1})
		}
		for i, e := range b.Edges {
			for _, a := range e.Args {
				add(a, use{nil, b, i})
			}
		}
	}
	return uses
}
