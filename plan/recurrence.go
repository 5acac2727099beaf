package plan

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// forwarded returns for loads of l, in code of one lane, the value that the preceding iteration stored
// at the address, as in recurrences along a row.
func (w *flow) forwarded(l *cfg.Cycle) map[*vir.Value]*vir.Value {
	const most = 16 // accesses of each kind that are compared
	var loads, stores []*vir.Value
	if w.width > 1 {
		return nil
	}
	for _, b := range l.Blocks {
		if w.blockLoop[b] != l {
			continue
		}
		for _, v := range w.f.Blocks[b].Values {
			switch {
			case v.Op == vir.Load && !v.Invariant && w.live[v.ID]:
				loads = append(loads, v)
			case v.Op == vir.Store:
				stores = append(stores, v)
			}
		}
	}
	if len(stores) > most || len(loads) > most {
		return nil
	}
	out := map[*vir.Value]*vir.Value{}
	for _, store := range stores {
		step, ok := w.advance(l, store.Args[0])
		if !ok || step == 0 {
			continue
		}
		for _, load := range loads {
			if load.Type != store.Args[1].Type {
				continue
			}
			if n, ok := constantDistance(load.Args[0], store.Args[0]); ok && n+int64(store.Disp)-int64(load.Disp) == step {
				out[load] = store.Args[1]
			}
		}
	}
	return out
}

// advance returns the number by which v grows in each iteration of l, if it is constant.
func (w *flow) advance(l *cfg.Cycle, v *vir.Value) (step int64, ok bool) {
	var sum combination
	const depth = 8
	sum.add(v, 1, depth)
	for x, times := range sum.coeffs {
		switch {
		case times == 0 || x.Block == nil || !w.loops.Contains(l, x.Block.ID):
		case x.Op != vir.Param || x.Block.ID != l.Header:
			return 0, false
		default:
			n, ok := w.increase(l, x)
			if !ok {
				return 0, false
			}
			step += times * n
		}
	}
	return step, true
}

// increase returns the constant that each iteration of l adds to a parameter of its header.
func (w *flow) increase(l *cfg.Cycle, p *vir.Value) (n int64, ok bool) {
	for _, in := range w.inEdges[l.Header] {
		if !w.loops.Contains(l, in.from) {
			continue
		}
		a := w.f.Blocks[in.from].Edges[in.edge].Args[p.Index]
		step, constant := constantDistance(p, a)
		if !constant || ok && step != n {
			return 0, false
		}
		n, ok = step, true
	}
	return n, ok
}
