package edit

import (
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// Dead removes operations and block parameters that no side effect, volatile access or
// branch depends on. Unused loads go as well, unless they are volatile.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Dead(f *vir.Func, stats Stats) {
	live := make([]bool, f.NumValues())
	var work []*vir.Value
	need := func(v *vir.Value) {
		if v != nil && v.Op != vir.Const && !live[v.ID] {
			live[v.ID] = true
			work = append(work, v)
		}
	}
	in := analysis.InEdges(f)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if vir.InfoOf(v.Op).Effect == vir.Writes || v.Volatile {
				need(v)
			}
		}
		need(b.Cond)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			need(a)
		}
		if v.Op == vir.Param {
			for _, e := range in[v.Block.ID] {
				need(e.Edge().Args[v.Index])
			}
		}
	}
	removed := 0
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if live[v.ID] {
				kept = append(kept, v)
			}
		}
		removed += len(b.Values) - len(kept)
		b.Values = kept
		for _, e := range in[b.ID] {
			args := e.Edge().Args[:0]
			for i, a := range e.Edge().Args {
				if live[b.Params[i].ID] {
					args = append(args, a)
				}
			}
			e.Edge().Args = args
		}
		params := b.Params[:0]
		for _, p := range b.Params {
			if live[p.ID] {
				params = append(params, p)
			}
		}
		removed += len(b.Params) - len(params)
		b.Params = params
	}
	stats.Add("dead", removed)
	f.Renumber()
}
