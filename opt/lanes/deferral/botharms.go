package deferral

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// canRunBoth reports whether deferred work-items may run the other arm as well, so that lanes
// do not diverge. The other arm must only store, outside of loops, to addresses to which
// the deferred work-items also store later on every path. No load after the split may read
// what these stores write.
func (s *split) canRunBoth() bool {
	edges := s.f.Blocks[s.block].Edges
	g := s.f.Graph()
	cycles, always := cfg.Cycles(g), cfg.PostDominators(g)
	seen, fixed := make([]bool, len(s.f.Blocks)), map[*kernel.Value]bool{}
	stored := map[*kernel.Value]bool{} // base pointers of the stores
	var harmless func(b *kernel.Block) bool
	harmless = func(b *kernel.Block) bool {
		if seen[b.ID] {
			return true
		}
		seen[b.ID] = true
		if cycles.InnermostCycle(b.ID) != nil {
			return false
		}
		for _, v := range b.Values {
			if kernel.InfoOf(v.Op).Effect == kernel.Pure {
				continue
			}
			if v.Op != kernel.Store || v.Args[0].Type != alu.PtrGlobal || !s.fixed(v.Args[0], fixed) ||
				!s.after[b.ID] || !always.PostDominates(b.ID, edges[s.edge].To.ID) {
				return false
			}
			stored[root(v.Args[0])] = true
		}
		for _, e := range b.Edges {
			if !harmless(e.To) {
				return false
			}
		}
		return true
	}
	if !harmless(edges[1-s.edge].To) {
		return false
	}
	for i, b := range s.f.Blocks {
		if !s.after[i] {
			continue
		}
		for _, v := range b.Values {
			switch {
			case kernel.InfoOf(v.Op).Effect == kernel.Pure, v.Op == kernel.Store:
			case v.Op != kernel.Load || !s.untouched(v.Args[0], stored):
				return false
			}
		}
	}
	return true
}

// fixed reports whether v does not depend on the path from the split to it; known caches
// results.
func (s *split) fixed(v *kernel.Value, known map[*kernel.Value]bool) bool {
	if v.Op == kernel.Const || !s.after[v.Block.ID] {
		return true
	}
	is, ok := known[v]
	if !ok {
		is = v.Op != kernel.Param && kernel.InfoOf(v.Op).Effect == kernel.Pure &&
			!slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !s.fixed(a, known) })
		known[v] = is
	}
	return is
}

// untouched reports whether stores through the base pointers in stored cannot write the
// memory at address v.
func (s *split) untouched(v *kernel.Value, stored map[*kernel.Value]bool) bool {
	isBuffer := func(r *kernel.Value) bool {
		return r.Op == kernel.Argument && (s.f.Args[r.Index].Kind == kernel.ArgBuffer || s.f.Args[r.Index].Kind == kernel.ArgVariables)
	}
	switch r := root(v); {
	case v.Type == alu.PtrPrivate, v.Type == alu.PtrConstant && r.Op == kernel.DataAddr:
		return true
	case !s.noAlias || !isBuffer(r):
		return false
	default:
		for x := range stored {
			if !isBuffer(x) || x.Index == r.Index {
				return false
			}
		}
		return true
	}
}

// root returns the base pointer of an address.
func root(v *kernel.Value) *kernel.Value {
	for v.Op == kernel.PtrAdd {
		v = v.Args[0]
	}
	return v
}
