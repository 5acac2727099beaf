package control

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Sink moves operations of scalar code down to paths that need their results. An operation
// with users on several paths is copied to each of them if it is cheap. No operation moves
// into a loop, or between comparisons of one value with constants, and arguments of an edge
// stay in the edge's source block. Operations of vector code move only to paths that begin with a
// rare edge: other paths usually run all, one after the other.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes, its blocks and their edges
func Sink(f *vir.Func, stats edit.Stats) {
	if f.Width > 1 && !hasRareEdge(f) {
		return
	}
	g := f.Graph()
	s := &sinker{
		f: f, order: g.PostOrder(), dom: cfg.Dominators(g), postDom: cfg.PostDominators(g), cycles: cfg.Cycles(g), uses: analysis.UsesOf(f),
		first: make([][]*vir.Value, len(f.Blocks)), sharesBlock: -1,
	}
	sunk, copied := 0, 0
	for _, id := range s.order { // users first
		b := f.Blocks[id]
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			if to := s.place(v); to != nil {
				v.Block = to
				s.first[to.ID] = append(s.first[to.ID], v)
				sunk++
			} else if f.Width == 1 && s.sinkCopies(v) {
				copied++
			}
		}
	}
	if sunk+copied == 0 {
		return
	}
	for _, b := range f.Blocks {
		kept := make([]*vir.Value, 0, len(s.first[b.ID])+len(b.Values))
		for i := len(s.first[b.ID]) - 1; i >= 0; i-- {
			kept = append(kept, s.first[b.ID][i])
		}
		for _, v := range b.Values {
			if v.Block == b {
				kept = append(kept, v)
			}
		}
		b.Values = kept
	}
	stats.Add("sunk", sunk)
	stats.Add("sunk as copies", copied)
	f.Renumber()
}

type sinker struct {
	f       *vir.Func
	order   []int // block IDs in post-order
	dom     *cfg.DomTree
	postDom *cfg.PostDomTree
	cycles  *cfg.CycleForest
	uses    [][]analysis.Use
	first   [][]*vir.Value // by block: values moved to its start, the last one first

	in [][]analysis.InEdge // by block; nil until needed

	sharesBlock int       // the block that shares was computed for
	shares      []float64 // result of sharesFrom
}

// place returns the block that v moves to, nil if it stays.
func (s *sinker) place(v *vir.Value) *vir.Block {
	if !analysis.IsMovable(v) || len(v.Args) == 0 || len(s.uses[v.ID]) == 0 {
		return nil
	}
	from := v.Block.ID
	to := -1
	for _, u := range s.uses[v.ID] {
		at := u.Place()
		if at == from {
			return nil
		}
		if to < 0 {
			to = at
		} else {
			to = s.dom.NearestCommon(to, at)
		}
	}
	to = s.above(to, from)
	if to == from || s.f.Width == 1 && !s.rarer(to, from) || s.f.Width > 1 && !s.afterRareEdge(to, from) {
		return nil
	}
	return s.f.Blocks[to]
}

// above returns the block nearest to `to`, on the dominator path up to from, that operations
// of from may move to.
func (s *sinker) above(to, from int) int {
	for to != from && s.decides(to) {
		to = s.dom.IDom[to]
	}
	for to != from {
		if c := s.cycles.InnermostCycle(to); c == nil || s.cycles.Contains(c, from) {
			break
		}
		to = s.dom.IDom[to]
	}
	return to
}

// rarer reports whether block to runs less often than from, which dominates it. Leaving a loop
// does not count, since that happens once, except for a search.
func (s *sinker) rarer(to, from int) bool {
	c := s.cycles.InnermostCycle(from)
	if s.cycles.InnermostCycle(to) != c {
		return true
	}
	if s.postDom.PostDominates(to, from) {
		return false
	}
	for at := to; at != from; {
		at = s.dom.IDom[at]
		leaves := false
		for _, e := range s.f.Blocks[at].Edges {
			leaves = leaves || c != nil && !s.cycles.Contains(c, e.To.ID) && !s.searches(c)
		}
		if s.f.Blocks[at].Kind == vir.Branch && !leaves && !s.postDom.PostDominates(to, at) {
			return true
		}
	}
	return false
}

// afterRareEdge reports whether control reaches block to from block from, which dominates it, only
// through rare edges.
func (s *sinker) afterRareEdge(to, from int) bool {
	if s.in == nil {
		s.in = analysis.InEdges(s.f)
	}
	for at := to; at != from; at = s.dom.IDom[at] {
		if !slices.ContainsFunc(s.in[at], func(e analysis.InEdge) bool { return !e.Edge().Rare }) {
			return true
		}
	}
	return false
}

// hasRareEdge reports whether an edge of f is rare.
func hasRareEdge(f *vir.Func) bool {
	return slices.ContainsFunc(f.Blocks, func(b *vir.Block) bool {
		return slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return e.Rare })
	})
}

// searches reports whether c is an innermost loop with several exits, inside a loop of the
// work-item: it is left as often as it is continued.
func (s *sinker) searches(c *cfg.Cycle) bool {
	return len(c.Children) == 0 && c.Parent != nil && c.Parent.Parent != nil && len(s.cycles.Exits(c)) > 2
}

// decides reports whether the block only continues a chain of comparisons of one value with
// constants. Such a chain may become a jump table if nothing is inserted.
func (s *sinker) decides(id int) bool {
	b := s.f.Blocks[id]
	if s.dom.IDom[id] < 0 || len(b.Params) > 0 || len(s.first[id]) > 0 {
		return false
	}
	x, y := comparedWithConst(b), comparedWithConst(s.f.Blocks[s.dom.IDom[id]])
	return x != nil && x == y && len(b.Values) == 1
}

// comparedWithConst returns the value that the branch of b compares with a constant, or nil.
func comparedWithConst(b *vir.Block) *vir.Value {
	if b.Kind != vir.Branch || alu.InfoOf(b.Cond.Op).Class != alu.Compare {
		return nil
	}
	for i, a := range b.Cond.Args {
		if b.Cond.Args[1-i].Op == vir.Const {
			return a
		}
	}
	return nil
}
