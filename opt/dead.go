package opt

import "github.com/simtc/simtc/kernel"

// RemoveDead removes operations without effects and users. Loads are among them: no kernel
// can rely on a load to trap.
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
			if kernel.InfoOf(v.Op).Effect == kernel.Writes && !kernel.Convergent(v.Op) || v.Volatile {
				mark(v)
			}
		}
		mark(b.Cond)
	}
	in := InEdges(f)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			mark(a)
		}
		if v.Op == kernel.Param {
			for _, e := range in[v.Block.ID] {
				mark(e.Edge().Args[v.Index])
			}
		}
	}
	n := 0
	params := false
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if live[v.ID] {
				kept = append(kept, v)
			} else {
				n++
			}
		}
		clear(b.Values[len(kept):])
		b.Values = kept
		for _, p := range b.Params {
			params = params || !live[p.ID]
		}
	}
	if params {
		dropParams(f, func(p *kernel.Value) bool { return !live[p.ID] })
	}
	st.Add("dead operations removed", n)
	f.Renumber()
}
