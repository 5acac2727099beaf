package opt

import "github.com/simtc/simtc/kernel"

// RemoveDead removes operations without effect whose results nobody uses. A
// load is one of them: no kernel can rely on a load to trap.
//
// requires: nothing; maintains: everything
func RemoveDead(f *kernel.Func, st Stats) {
	live := make([]bool, f.NumValues())
	var work []*kernel.Value
	mark := func(v *kernel.Value) {
		if v != nil && !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if kernel.InfoOf(v.Op).Effect == kernel.Writes || v.Volatile {
				mark(v)
			}
		}
		mark(b.Cond)
	}
	in := inEdges(f)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			mark(a)
		}
		if v.Op == kernel.Param {
			for _, e := range in[v.Block.ID] {
				mark(e.edge().Args[v.Index])
			}
		}
	}
	n := 0
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if live[v.ID] {
				kept = append(kept, v)
			} else {
				n++
			}
		}
		b.Values = kept
		for i := range b.Edges {
			e := &b.Edges[i]
			args := e.Args[:0]
			for j, a := range e.Args {
				if live[e.To.Params[j].ID] {
					args = append(args, a)
				}
			}
			e.Args = args
		}
	}
	for _, b := range f.Blocks {
		kept := b.Params[:0]
		for _, p := range b.Params {
			if live[p.ID] {
				kept = append(kept, p)
			}
		}
		b.Params = kept
	}
	st.Add("dead operations removed", n)
	f.Renumber()
}
