package memory

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Ahead marks the loads of loops that wait for other loads because those decide the mask,
// in the same round or, as in
//
//	while (left-- > 0) { c = cols[at]; if (c < 0) break; … at += rows; }
//
// which lanes are left, in rounds before. A processor that has guessed that the loop goes
// on knows the addresses of many rounds, but a load under a mask begins when the mask is
// there: each would wait for memory as long as if nothing else went on. Targets ask for
// the memory by an instruction without a mask, which does nothing where it may not read.
//
// Outermost loops are left out, as that over strips is: what it goes through lies side by
// side, and processors see that coming. So are loops in which the address stays the same:
// what is there is in the caches from the first round on.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Ahead(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 {
		return
	}
	cycles := cfg.Cycles(f.Graph())
	objects := analysis.NewObjects(f)
	loaded := map[*cfg.Cycle]map[*vir.Value]bool{}
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != vir.VLoad || v.Args[1].Op == vir.Const || near(objects.Accessed(v)) {
				continue
			}
			for c := cycles.InnermostCycle(b.ID); c != nil && c.Parent != nil && !v.Ahead; c = c.Parent {
				if at := v.Args[0]; at.Op == vir.Const || !cycles.Contains(c, at.Block.ID) {
					continue
				}
				if loaded[c] == nil {
					loaded[c] = fromMemory(f, cycles, c)
				}
				v.Ahead = loaded[c][v.Args[1]]
			}
			if v.Ahead {
				n++
			}
		}
	}
	stats.Add("loads asked for ahead of their masks", n)
}

// near reports whether the object is memory of a worker's own, which is in its caches.
func near(o analysis.Object) bool { return o.Private() || o.Known && o.Field == vir.CtxLocal }

// fromMemory returns the values of c that depend on what it loads.
func fromMemory(f *vir.Func, cycles *cfg.CycleForest, c *cfg.Cycle) map[*vir.Value]bool {
	vs := map[*vir.Value]bool{}
	for before := -1; before != len(vs); {
		before = len(vs)
		for _, id := range c.Blocks {
			b := f.Blocks[id]
			for _, v := range b.Values {
				loads := v.Op == vir.VLoad || v.Op == vir.Gather || v.Op == vir.Load && !v.Invariant
				if loads || slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return vs[a] }) {
					vs[v] = true
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					if vs[a] && cycles.Contains(c, e.To.ID) {
						vs[e.To.Params[i]] = true
					}
				}
			}
		}
	}
	return vs
}
