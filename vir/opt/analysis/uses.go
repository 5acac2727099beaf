package analysis

import (
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
)

// Use is one place that reads a value: an operation, the condition of a branch
// or an argument of an edge.
type Use struct {
	By    *vir.Value // the operation, nil for the others
	Block *vir.Block
	Edge  int // the edge's index, -1 otherwise
}

// Place is the ID of the block that reads the value, wherever it has moved.
func (u Use) Place() int {
	if u.By != nil {
		return u.By.Block.ID
	}
	return u.Block.ID
}

// Replace makes the use one of w instead of v.
func (u Use) Replace(v, w *vir.Value) {
	reads := []*vir.Value{}
	switch {
	case u.By != nil:
		reads = u.By.Args
	case u.Edge >= 0:
		reads = u.Block.Edges[u.Edge].Args
	case u.Block.Cond == v:
		u.Block.Cond = w
	}
	for i, x := range reads {
		if x == v {
			reads[i] = w
		}
	}
}

// UsersOf lists for every value, by ID, the operations that it is an operand of and the
// parameters that it is passed to.
func UsersOf(f *vir.Func) [][]*vir.Value {
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

// PassedOf lists for every parameter, by ID, what is passed to it.
func PassedOf(f *vir.Func) [][]*vir.Value {
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

// UsesOf lists the uses of every value, by ID, in the order of the blocks.
func UsesOf(f *vir.Func) [][]Use {
	return grouped.Lists(f.NumValues(), func(add func(int, Use)) {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				for _, a := range v.Args {
					add(a.ID, Use{v, b, -1})
				}
			}
			if b.Cond != nil {
				add(b.Cond.ID, Use{nil, b, -1})
			}
			for i, e := range b.Edges {
				for _, a := range e.Args {
					add(a.ID, Use{nil, b, i})
				}
			}
		}
	})
}
