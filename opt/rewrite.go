package opt

import "github.com/simtc/simtc/kernel"

// Replacer maps values to their replacements, by value ID; Apply rewrites all uses in one
// sweep.
type Replacer struct {
	to []*kernel.Value
	n  int // values replaced
}

// NewReplacer returns an empty Replacer for the values of f.
func NewReplacer(f *kernel.Func) *Replacer {
	return &Replacer{to: make([]*kernel.Value, f.NumValues())}
}

// Set replaces uses of v by uses of x, which must not lead back to v.
func (r *Replacer) Set(v, x *kernel.Value) {
	for v.ID >= len(r.to) { // created later
		r.to = append(r.to, nil)
	}
	r.to[v.ID] = x
	r.n++
}

// Has reports whether v is replaced.
func (r *Replacer) Has(v *kernel.Value) bool { return v.ID < len(r.to) && r.to[v.ID] != nil }

// Find returns the final replacement of v. It compresses chains.
func (r *Replacer) Find(v *kernel.Value) *kernel.Value {
	if !r.Has(v) {
		return v
	}
	last := r.to[v.ID]
	for r.Has(last) {
		last = r.to[last.ID]
	}
	for v != last {
		v, r.to[v.ID] = r.to[v.ID], last
	}
	return last
}

// Args rewrites the operands of v.
func (r *Replacer) Args(v *kernel.Value) {
	if r.n == 0 {
		return
	}
	for i, a := range v.Args {
		if r.Has(a) {
			v.Args[i] = r.Find(a)
		}
	}
}

// Apply rewrites every use in f.
func (r *Replacer) Apply(f *kernel.Func) {
	if r.n == 0 {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			r.Args(v)
		}
		if b.Cond != nil {
			b.Cond = r.Find(b.Cond)
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				e.Args[i] = r.Find(a)
			}
		}
	}
}

// InEdge is an edge, identified by its source.
type InEdge struct {
	From *kernel.Block
	N    int // of From.Edges
}

// Edge returns the edge.
func (e InEdge) Edge() *kernel.Edge { return &e.From.Edges[e.N] }

// InEdges lists the edges to every block, by block ID, in block order.
func InEdges(f *kernel.Func) [][]InEdge {
	count, total := make([]int, len(f.Blocks)), 0
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			count[e.To.ID]++
			total++
		}
	}
	in, all := make([][]InEdge, len(f.Blocks)), make([]InEdge, total)
	for i, n := range count {
		in[i], all = all[:0:n], all[n:]
	}
	for _, b := range f.Blocks {
		for n, e := range b.Edges {
			in[e.To.ID] = append(in[e.To.ID], InEdge{b, n})
		}
	}
	return in
}

// Reads lists the values that b uses, once for each use.
func Reads(b *kernel.Block) []*kernel.Value {
	var list []*kernel.Value
	for _, v := range b.Values {
		list = append(list, v.Args...)
	}
	if b.Cond != nil {
		list = append(list, b.Cond)
	}
	for _, e := range b.Edges {
		list = append(list, e.Args...)
	}
	return list
}

// UsesOf counts the uses of every value, by ID.
func UsesOf(f *kernel.Func) []int {
	uses := make([]int, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				uses[a.ID]++
			}
		}
		if b.Cond != nil {
			uses[b.Cond.ID]++
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				uses[a.ID]++
			}
		}
	}
	return uses
}
