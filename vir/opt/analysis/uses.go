package analysis

import (
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
)

// Use is one reader of a value: an operation, the condition of a branch, or an argument
// of an edge.
type Use struct {
	By    *vir.Value // the operation; nil for a condition or an edge
	Block *vir.Block
	Edge  int // index of the edge in Block.Edges, -1 if the use is no edge argument
}

// Place returns the ID of the block that reads the value now, even if the operation moved.
func (u Use) Place() int {
	if u.By != nil {
		return u.By.Block.ID
	}
	return u.Block.ID
}

// UsersOf lists, by value ID, the operations that read a value and the block parameters
// that receive it.
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

// ArgumentsOf lists, by value ID, the arguments that edges pass to a block parameter.
func ArgumentsOf(f *vir.Func) [][]*vir.Value {
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

// UsesOf lists the uses of every value, by value ID, in block order.
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
