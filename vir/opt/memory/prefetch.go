package memory

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Prefetch marks masked loads of loops whose mask depends on other loads, in the same iteration or
// through the lanes left in earlier ones, as in
//
//	while (left-- > 0) { c = cols[at]; if (c < 0) break; … at += rows; }
//
// A processor that predicts the loop to continue knows the addresses of many iterations, but a masked
// load starts only when its mask is known: each would wait for the full memory latency. Targets prefetch
// the addresses with an instruction without a mask, which has no effect where it may not read.
//
// Outermost loops, which run over strips, are left out: their accesses are consecutive, which hardware
// prefetchers detect. So are loops with invariant addresses, which are cached after the first iteration.
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Prefetch(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 {
		return
	}
	cycles := cfg.Cycles(f.Graph())
	objects := analysis.NewObjects(f)
	loaded := map[*cfg.Cycle]map[*vir.Value]bool{}
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != vir.VLoad || v.Args[1].Op == vir.Const || isCached(objects.Accessed(v)) {
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
	stats.Add("masked loads prefetched", n)
}

// isCached reports whether the object is private or local memory, which is in the cache.
func isCached(o analysis.Object) bool { return o.Private() || o.Known && o.Field == vir.CtxLocal }

// fromMemory returns the values of c that depend on loads of c.
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
