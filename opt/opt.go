// Package opt has the scalar optimizations and canonicalizations of the kernel
// IR. Each pass is a function over one kernel in a file of its own; the root
// package lists them in order.
//
// It must not know how many lanes run together or any target.
package opt

import (
	"github.com/simtc/simtc/kernel"
)

// Stats counts what the passes did, by name; a nil Stats counts nothing.
type Stats map[string]int

// Add counts n events.
func (s Stats) Add(name string, n int) {
	if s != nil && n != 0 {
		s[name] += n
	}
}

// Pass is a row of the pass table.
type Pass struct {
	Name string
	Run  func(*kernel.Func, Stats)
}

// replacer forwards values to others; uses are rewritten in one sweep.
type replacer map[*kernel.Value]*kernel.Value

func (r replacer) find(v *kernel.Value) *kernel.Value {
	for {
		to, ok := r[v]
		if !ok {
			return v
		}
		v = to
	}
}

// apply rewrites every use in f.
func (r replacer) apply(f *kernel.Func) {
	if len(r) == 0 {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				v.Args[i] = r.find(a)
			}
		}
		if b.Cond != nil {
			b.Cond = r.find(b.Cond)
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				e.Args[i] = r.find(a)
			}
		}
	}
}

// inEdge is one edge by its source.
type inEdge struct {
	from *kernel.Block
	n    int
}

func (e inEdge) edge() *kernel.Edge { return &e.from.Edges[e.n] }

// inEdges lists the edges to every block, by block ID, in block order.
func inEdges(f *kernel.Func) [][]inEdge {
	in := make([][]inEdge, len(f.Blocks))
	for _, b := range f.Blocks {
		for n, e := range b.Edges {
			in[e.To.ID] = append(in[e.To.ID], inEdge{b, n})
		}
	}
	return in
}

// RemoveUnreachable drops blocks that control never reaches.
//
// requires: nothing; maintains: everything
func RemoveUnreachable(f *kernel.Func, st Stats) {
	for i, b := range f.Blocks {
		b.ID = i
	}
	reached := make([]bool, len(f.Blocks))
	reached[0] = true
	for work := []*kernel.Block{f.Blocks[0]}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range b.Edges {
			if !reached[e.To.ID] {
				reached[e.To.ID] = true
				work = append(work, e.To)
			}
		}
	}
	kept := f.Blocks[:0]
	for i, b := range f.Blocks {
		if reached[i] {
			kept = append(kept, b)
		}
	}
	st.Add("unreachable blocks removed", len(f.Blocks)-len(kept))
	f.Blocks = kept
	f.Renumber()
}
