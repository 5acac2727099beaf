package refill

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
)

// find returns the heaviest outermost loop that lanes exit divergently, depending on loaded
// or computed data. It returns nil and the reason if there is none, or if the order of
// work-items is observable.
func find(f *kernel.Func, info *divergence.Info, o Options) (best *cfg.Cycle, why string) {
	switch {
	case f.ByGroup():
		return nil, "it uses work-group operations"
	case !f.InAnyOrder():
		return nil, "its prints, atomics, fences or volatile accesses make the order of work-items observable"
	}
	loops := cfg.Cycles(f.Graph())
	if !loops.Reducible() {
		return nil, "it has an irreducible cycle"
	}
	maxWork := 0.0
	for _, c := range loops.Cycles {
		if c.Parent != nil || !o.Any && !exitsDiverge(f, info, loops, c) {
			continue
		}
		work := 0.0
		for _, id := range c.Blocks {
			times := 1.0
			for range loops.Depth(id) {
				times *= 8
			}
			work += times * float64(len(f.Blocks[id].Values)+1)
		}
		if work > maxWork {
			best, maxWork = c, work
		}
	}
	if best == nil {
		return nil, "no outermost loop has an exit that diverges on data"
	}
	return best, ""
}

// exitsDiverge reports whether lanes exit c in different iterations, depending on data.
func exitsDiverge(f *kernel.Func, info *divergence.Info, loops *cfg.CycleForest, c *cfg.Cycle) bool {
	return slices.ContainsFunc(loops.Exits(c), func(e cfg.Edge) bool {
		b := f.Blocks[e.From]
		return info.Divergent[e.From] && (b.Kind != kernel.Branch || info.ByData(b.Cond))
	})
}
