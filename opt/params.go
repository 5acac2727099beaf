package opt

import "github.com/simtc/simtc/kernel"

// RemoveTrivialParams removes block parameters that receive one value on every
// edge, or only each other and one value, around cycles of any form.
//
// The analysis is optimistic: a parameter is assumed to equal the one value that is known to
// reach it. When another value reaches it, it stands for itself, and the parameters that were
// assumed to equal the first value because of it are reset and visited again, since they
// may have it from each other.
//
// requires: no unreachable blocks; maintains: SSA
func RemoveTrivialParams(f *kernel.Func, st Stats) {
	n := removeTrivialParams(f)
	st.Add("block parameters removed", n)
	f.Renumber()
}

// removeTrivialParams returns how many parameters it removed.
func removeTrivialParams(f *kernel.Func) int {
	n := 0
	for repeat := true; repeat; {
		var k int
		k, repeat = paramsIteration(f)
		n += k
		repeat = repeat && k > 0
	}
	return n
}

// maxRevisions limits how many times one iteration revises its assumption about a
// parameter, and so its time.
const maxRevisions = 4

// paramsIteration also reports whether another iteration may find more.
func paramsIteration(f *kernel.Func) (removed int, repeat bool) {
	var params []*kernel.Value
	for _, b := range f.Blocks {
		params = append(params, b.Params...)
	}
	if len(params) == 0 {
		return 0, false
	}
	// The users of a parameter form a linked list in one slice, to save allocations.
	type cell struct {
		user *kernel.Value
		next int32
	}
	head := make([]int32, f.NumValues())
	cells := make([]cell, 1)
	in := InEdges(f)
	for _, b := range f.Blocks {
		for i := range b.Edges {
			e := &b.Edges[i]
			for j, a := range e.Args {
				if a.Op == kernel.Param {
					cells = append(cells, cell{e.To.Params[j], head[a.ID]})
					head[a.ID] = int32(len(cells) - 1)
				}
			}
		}
	}
	is := make([]*kernel.Value, f.NumValues()) // the value that a parameter equals; nil: not known yet
	revised := make([]uint8, f.NumValues())
	queued := make([]bool, f.NumValues())
	for _, p := range params {
		queued[p.ID] = true
	}
	// forget resets the assumptions of a value old that depend on p.
	var forget func(p, old *kernel.Value)
	work := params
	forget = func(p, old *kernel.Value) {
		for c := head[p.ID]; c != 0; c = cells[c].next {
			u := cells[c].user
			if !queued[u.ID] {
				queued[u.ID] = true
				work = append(work, u)
			}
			if is[u.ID] == old && old != nil && u != old {
				is[u.ID] = nil
				forget(u, old)
			}
		}
	}
	for len(work) > 0 {
		p := work[0]
		work = work[1:]
		queued[p.ID] = false
		if is[p.ID] == p {
			continue
		}
		var one *kernel.Value
		for _, e := range in[p.Block.ID] {
			a := e.Edge().Args[p.Index]
			if a.Op == kernel.Param {
				if a = is[a.ID]; a == nil {
					continue
				}
			}
			if one == nil {
				one = a
			} else if one != a {
				one = p
				break
			}
		}
		if one == is[p.ID] {
			continue
		}
		if revised[p.ID]++; revised[p.ID] > maxRevisions {
			one, repeat = p, true
		}
		old := is[p.ID]
		is[p.ID] = one
		forget(p, old)
	}

	r := NewReplacer(f)
	for _, b := range f.Blocks {
		for _, p := range b.Params {
			if x := is[p.ID]; x != nil && x != p {
				r.Set(p, x)
			}
		}
	}
	if r.n == 0 {
		return 0, false
	}
	dropParams(f, r.Has)
	r.Apply(f)
	return r.n, repeat
}

// dropParams removes the selected parameters with their arguments. The
// indices of the others change.
func dropParams(f *kernel.Func, drop func(*kernel.Value) bool) {
	for _, b := range f.Blocks {
		for k := range b.Edges {
			e := &b.Edges[k]
			kept := e.Args[:0]
			for i, a := range e.Args {
				if !drop(e.To.Params[i]) {
					kept = append(kept, a)
				}
			}
			e.Args = kept
		}
	}
	for _, b := range f.Blocks {
		kept := b.Params[:0]
		for _, p := range b.Params {
			if !drop(p) {
				p.Index = len(kept)
				kept = append(kept, p)
			}
		}
		clear(b.Params[len(kept):])
		b.Params = kept
	}
}
