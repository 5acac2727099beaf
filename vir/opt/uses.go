package opt

import (
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
)

// use is one place that reads a value: an operation, the condition of a branch
// or an argument of an edge.
type use struct {
	by    *vir.Value // the operation, nil for the others
	block *vir.Block
	edge  int // the edge's index, -1 otherwise
}

// place is the ID of the block that reads the value, wherever it has moved.
func (u use) place() int {
	if u.by != nil {
		return u.by.Block.ID
	}
	return u.block.ID
}

// replace makes the use one of w instead of v.
func (u use) replace(v, w *vir.Value) {
	reads := []*vir.Value{}
	switch {
	case u.by != nil:
		reads = u.by.Args
	case u.edge >= 0:
		reads = u.block.Edges[u.edge].Args
	case u.block.Cond == v:
		u.block.Cond = w
	}
	for i, x := range reads {
		if x == v {
			reads[i] = w
		}
	}
}

// usersOf lists for every value, by ID, the operations that it is an operand of and the
// parameters that it is passed to.
func usersOf(f *vir.Func) [][]*vir.Value {
	return grouped.Lists(f.NumValues(), func(add func(int, *vir.Value)) {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				for _, a := range v.Args {
					add(a.ID, v)
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					add(a.ID, e.To.Params[i])
				}
			}
		}
	})
}

// passedOf lists for every parameter, by ID, what is passed to it.
func passedOf(f *vir.Func) [][]*vir.Value {
	return grouped.Lists(f.NumValues(), func(add func(int, *vir.Value)) {
		for _, b := range f.Blocks {
			for _, e := range b.Edges {
				for i, a := range e.Args {
					add(e.To.Params[i].ID, a)
				}
			}
		}
	})
}

// usesOf lists the uses of every value, by ID, in the order of the blocks.
func usesOf(f *vir.Func) [][]use {
	return grouped.Lists(f.NumValues(), func(add func(int, use)) {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				for _, a := range v.Args {
					add(a.ID, use{v, b, -1})
				}
			}
			if b.Cond != nil {
				add(b.Cond.ID, use{nil, b, -1})
			}
			for i, e := range b.Edges {
				for _, a := range e.Args {
					add(a.ID, use{nil, b, i})
				}
			}
		}
	})
}
