package refill

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
)

// find looks for the heaviest loop in no other that lanes leave apart, by what they have
// loaded or computed; nil, and why, if there is none, or if others may see the order of
// work-items.
func find(f *kernel.Func, info *divergence.Info, o Options) (best *cfg.Cycle, why string) {
	switch {
	case f.ByGroup():
		return nil, "its work-items know of their groups"
	case !f.InAnyOrder():
		return nil, "it prints, or has atomics, fences or volatile accesses, which show in which order work-items run"
	}
	loops := cfg.Cycles(f.Graph())
	if !loops.Reducible() {
		return nil, "it has a cycle of several entries"
	}
	most := 0.0
	for _, c := range loops.Cycles {
		if c.Parent != nil || !o.Any && !leftApart(f, info, loops, c) {
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
		if work > most {
			best, most = c, work
		}
	}
	if best == nil {
		return nil, "lanes leave no outermost loop of it when data tell them to"
	}
	return best, ""
}

// leftApart reports whether lanes leave c in different rounds, which nothing but data tells.
func leftApart(f *kernel.Func, info *divergence.Info, loops *cfg.CycleForest, c *cfg.Cycle) bool {
	return slices.ContainsFunc(loops.Exits(c), func(e cfg.Edge) bool {
		b := f.Blocks[e.From]
		return info.Divergent[e.From] && (b.Kind != kernel.Branch || info.ByData(b.Cond))
	})
}
