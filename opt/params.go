package opt

import "github.com/simtc/simtc/kernel"

// RemoveTrivialParams removes block parameters that get one value on every
// edge, or themselves.
//
// requires: no unreachable blocks; maintains: SSA
func RemoveTrivialParams(f *kernel.Func, st Stats) {
	in := inEdges(f)
	r := replacer{}
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for i, p := range b.Params {
				if r[p] != nil {
					continue
				}
				var same *kernel.Value
				trivial := len(in[b.ID]) > 0
				for _, e := range in[b.ID] {
					a := r.find(e.edge().Args[i])
					if a == p || a == same {
						continue
					}
					if same != nil {
						trivial = false
						break
					}
					same = a
				}
				if trivial && same != nil {
					r[p] = same
					changed = true
				}
			}
		}
	}
	r.apply(f)
	drop := func(p *kernel.Value) bool { return r[p] != nil }
	n := 0
	for _, b := range f.Blocks {
		for k := range b.Edges {
			e := &b.Edges[k]
			args := e.Args[:0:0]
			for i, a := range e.Args {
				if !drop(e.To.Params[i]) {
					args = append(args, a)
				}
			}
			e.Args = args
		}
	}
	for _, b := range f.Blocks {
		kept := b.Params[:0:0]
		for _, p := range b.Params {
			if drop(p) {
				n++
				continue
			}
			kept = append(kept, p)
		}
		b.Params = kept
	}
	st.Add("block parameters removed", n)
	f.Renumber()
}
