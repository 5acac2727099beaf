package pipeline

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
)

// Counted are the blocks whose executions are counted: those of one kernel, or of its immediate
// and deferred parts.
type Counted struct {
	File   string // the kernel's file
	Blocks []*kernel.Block
	Graph  *cfg.Graph
	// Once reports, by block, whether it runs once for all lanes.
	Once []bool
}

// counted returns the blocks of the variant. Blocks of the deferred part follow the one that
// defers.
func (v *variant) counted() Counted {
	c := countedOf(v.kernel)
	if v.lowering.cfg.lanes == Iterations && v.k.cfg.width > 1 {
		c.Once = outsideLanes(v.kernel, c.Graph)
	}
	if v.deferred.kernel == nil {
		return c
	}
	succs, n := c.Graph.Succs, len(c.Blocks)
	for i, b := range c.Blocks {
		if slices.ContainsFunc(b.Values, func(v *kernel.Value) bool { return v.Op == kernel.Atomic }) {
			succs[i] = append(slices.Clone(succs[i]), n)
		}
	}
	later := countedOf(v.deferred.kernel)
	for _, s := range later.Graph.Succs {
		s = slices.Clone(s)
		for i := range s {
			s[i] += n
		}
		succs = append(succs, s)
	}
	n += len(later.Blocks)
	return Counted{c.File, append(slices.Clone(c.Blocks), later.Blocks...), cfg.NewGraph(succs), make([]bool, n)}
}

func countedOf(f *kernel.Func) Counted {
	return Counted{f.Pos.File, f.Blocks, f.Graph(), make([]bool, len(f.Blocks))}
}

// outsideLanes returns, by block, whether it is outside of the innermost loops in which the lanes
// of f differ: lanes are iterations, or work-items that lanes fetch themselves. Such a loop
// directly contains the ballot of the exiting lanes, or the atomic addition that fetches
// work-items; and blocks may be marked.
func outsideLanes(f *kernel.Func, g *cfg.Graph) []bool {
	once := make([]bool, len(f.Blocks))
	for i := range once {
		once[i] = true
	}
	loops := cfg.Cycles(g)
	for _, b := range f.Blocks {
		if b.ByLanes {
			once[b.ID] = false
		}
		c := loops.InnermostCycle(b.ID)
		if c == nil || !slices.ContainsFunc(b.Values, func(v *kernel.Value) bool { return v.Op == kernel.Ballot || v.Op == kernel.Atomic }) {
			continue
		}
		for _, id := range c.Blocks {
			once[id] = false
		}
	}
	return once
}

// Profiler returns an executor with instrumented code, the strategy of that code, and the blocks
// that it counts.
func (k *Kernel) Profiler() (launch.Profiler, Strategy, Counted, error) {
	c := k.cfg
	c.counting = true
	k = &Kernel{k.shared, c}
	v, running, err := k.runnable()
	if err != nil {
		return nil, Strategy{}, Counted{}, err
	}
	e, ok := running.(launch.Profiler)
	if !ok {
		return nil, Strategy{}, Counted{}, fmt.Errorf("kernel %s: code for %s cannot count", k.Name(), k.Target())
	}
	w := v.k.cfg.strategy()
	w.Width = max(w.Width, 1)
	if c.target.Scalar {
		w.Width = 1 // work-items of a sub-group run one at a time
		f, err := k.interpreted()
		if err != nil {
			return nil, w, Counted{}, err
		}
		return e, w, countedOf(f), nil
	}
	return e, w, v.counted(), nil
}
