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

// replacer forwards values to others, by value ID; uses are rewritten in one
// sweep.
type replacer struct {
	to []*kernel.Value
	n  int // values replaced
}

func newReplacer(f *kernel.Func) *replacer {
	return &replacer{to: make([]*kernel.Value, f.NumValues())}
}

// set makes uses of v uses of x, which must not lead back to v.
func (r *replacer) set(v, x *kernel.Value) {
	for v.ID >= len(r.to) { // made since
		r.to = append(r.to, nil)
	}
	r.to[v.ID] = x
	r.n++
}

func (r *replacer) has(v *kernel.Value) bool { return v.ID < len(r.to) && r.to[v.ID] != nil }

// find returns what stands for v in the end. Chains are shortened on the way.
func (r *replacer) find(v *kernel.Value) *kernel.Value {
	if !r.has(v) {
		return v
	}
	last := r.to[v.ID]
	for r.has(last) {
		last = r.to[last.ID]
	}
	for v != last {
		v, r.to[v.ID] = r.to[v.ID], last
	}
	return last
}

// args rewrites the operands of v.
func (r *replacer) args(v *kernel.Value) {
	if r.n == 0 {
		return
	}
	for i, a := range v.Args {
		if r.has(a) {
			v.Args[i] = r.find(a)
		}
	}
}

// apply rewrites every use in f.
func (r *replacer) apply(f *kernel.Func) {
	if r.n == 0 {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			r.args(v)
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
	count, total := make([]int, len(f.Blocks)), 0
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			count[e.To.ID]++
			total++
		}
	}
	in, all := make([][]inEdge, len(f.Blocks)), make([]inEdge, total)
	for i, n := range count {
		in[i], all = all[:0:n], all[n:]
	}
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
	n := dropUnreachable(f)
	st.Add("unreachable blocks removed", n)
	if n == 0 { // else done
		f.Renumber()
	}
}

// dropUnreachable is RemoveUnreachable for a numbered function. It returns how
// many blocks it dropped, and renumbers only after dropping some.
func dropUnreachable(f *kernel.Func) int {
	reached := make([]bool, len(f.Blocks))
	reached[0] = true
	work := make([]*kernel.Block, 1, len(f.Blocks))
	work[0] = f.Blocks[0]
	for len(work) > 0 {
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
	n := len(f.Blocks) - len(kept)
	clear(f.Blocks[len(kept):])
	f.Blocks = kept
	if n > 0 {
		f.Renumber()
	}
	return n
}
