package deferral

import (
	"cmp"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
)

// find returns the heaviest arm that can be deferred, in a copy of f, or nil.
func find(f *kernel.Func, info *divergence.Info, o Options) *split {
	if f.ByGroup() || !f.InAnyOrder() {
		return nil
	}
	g := f.Graph()
	cycles, dom := cfg.Cycles(g), cfg.Dominators(g)
	entered := make([]int, len(f.Blocks)) // number of incoming edges other than back edges
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			if !dom.Dominates(e.To.ID, b.ID) {
				entered[e.To.ID]++
			}
		}
	}
	// Work in each block and the blocks that it dominates, and whether these have a loop.
	work, loop := make([]float64, len(f.Blocks)), make([]bool, len(f.Blocks))
	for _, id := range g.PostOrder() {
		work[id] += float64(len(f.Blocks[id].Values)) * times(cycles.Depth(id))
		loop[id] = loop[id] || cycles.IsHeader(id)
		if d := dom.IDom[id]; d >= 0 {
			work[d] += work[id]
			loop[d] = loop[d] || loop[id]
		}
	}
	// weight returns the work in the region that only an edge to the block enters.
	weight := func(to *kernel.Block) float64 {
		if entered[to.ID] != 1 {
			return 0
		}
		return work[to.ID]
	}
	loops := func(to *kernel.Block) bool { return weight(to) > 0 && loop[to.ID] }
	type arm struct {
		block, edge int
		weight      float64
	}
	var arms []arm
	for i, b := range f.Blocks {
		if b.Kind != kernel.Branch || !info.Divergent[i] || cycles.InnermostCycle(i) != nil || !info.ByData(b.Cond) {
			continue
		}
		for k, e := range b.Edges {
			other := b.Edges[1-k]
			heavy, light := weight(e.To), weight(other.To)
			if o.Any && heavy > 0 || loops(e.To) && !loops(other.To) && heavy > light && !other.Rare {
				arms = append(arms, arm{i, k, heavy})
			}
		}
	}
	if len(arms) == 0 {
		return nil
	}
	slices.SortStableFunc(arms, func(x, y arm) int { return cmp.Compare(y.weight, x.weight) })
	f = kernel.Clone(f)
	hoistQueries(f)
	for _, a := range arms {
		if s := (&split{f: f, far: o.Far, noAlias: o.NoAlias, block: a.block, edge: a.edge}); s.collect() {
			s.certain = certain(f.Blocks[a.block].Edges[a.edge].To.ID, f, info, cycles, dom, loop)
			return s
		}
	}
	return nil
}

// certain reports whether the arm that starts at entry is heavy in every lane that takes
// it: no branch but loop exits decides whether a loop in it runs, and no uniform branch
// selects between parts of it.
func certain(entry int, f *kernel.Func, info *divergence.Info, cycles *cfg.CycleForest, dom *cfg.DomTree, loop []bool) bool {
	for i, b := range f.Blocks {
		if b.Kind != kernel.Branch || !dom.Dominates(entry, i) {
			continue
		}
		around := cycles.InnermostCycle(i)
		leaves := func(e kernel.Edge) bool { return around != nil && !cycles.Contains(around, e.To.ID) }
		if slices.ContainsFunc(b.Edges, leaves) {
			continue
		}
		guards := func(e kernel.Edge) bool { return dom.IDom[e.To.ID] == i && loop[e.To.ID] }
		if !info.Divergent[i] || slices.ContainsFunc(b.Edges, guards) {
			return false
		}
	}
	return true
}

// hoistQueries moves operations without operands, such as the global id, to the entry.
func hoistQueries(f *kernel.Func) {
	var first []*kernel.Value
	for _, b := range f.Blocks {
		b.Values = slices.DeleteFunc(b.Values, func(v *kernel.Value) bool {
			query := len(v.Args) == 0 && kernel.InfoOf(v.Op).Effect == kernel.Pure
			if query {
				v.Block = f.Blocks[0]
				first = append(first, v)
			}
			return query
		})
	}
	f.Blocks[0].Values = append(first, f.Blocks[0].Values...)
}

// times estimates how often a block at a loop depth runs.
func times(depth int) float64 {
	n := 1.0
	for range depth {
		n *= 8
	}
	return n
}
