package control

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Sink moves operations of scalar code down to where the ways to their users
// have parted from those that lead to none: only who needs a result computes it.
// Cheap ones with users on several ways go to each of them.
// None comes into a loop that it was not in, nor between comparisons of one value
// with constants, and what an edge passes on stays in the block that the edge
// leaves.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes, its blocks and their edges
func Sink(f *vir.Func, stats edit.Stats) {
	if f.Width > 1 {
		return
	}
	s := newSinker(f)
	s.seldom = s.rarer
	s.run(stats, true)
}

// SinkRare is Sink in code of several lanes, but only for ways that are hardly ever taken: the
// masks of lanes at borders are computed where there are such lanes.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes, its blocks and their edges
func SinkRare(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 || !hasRare(f) {
		return
	}
	s := newSinker(f)
	s.in, s.seldom = analysis.InEdges(f), s.rare
	s.run(stats, false)
}

func hasRare(f *vir.Func) bool {
	return slices.ContainsFunc(f.Blocks, func(b *vir.Block) bool {
		return slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return e.Rare })
	})
}

func newSinker(f *vir.Func) *sinker {
	g := f.Graph()
	return &sinker{
		f: f, order: g.PostOrder(), dom: cfg.Dominators(g), behind: cfg.PostDominators(g), cycles: cfg.Cycles(g), uses: analysis.UsesOf(f),
		first: make([][]*vir.Value, len(f.Blocks)), sharesOf: -1,
	}
}

// run moves what goes elsewhere, copies too if spread is set.
func (s *sinker) run(stats edit.Stats, spread bool) {
	sunk, copied := 0, 0
	for _, id := range s.order { // users first
		b := s.f.Blocks[id]
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			if to := s.place(v); to != nil {
				v.Block = to
				s.first[to.ID] = append(s.first[to.ID], v)
				sunk++
			} else if spread && s.spread(v) {
				copied++
			}
		}
	}
	if sunk+copied == 0 {
		return
	}
	for _, b := range s.f.Blocks {
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
	s.f.Renumber()
}

type sinker struct {
	f      *vir.Func
	order  []int // blocks, users first
	dom    *cfg.DomTree
	behind *cfg.PostDomTree
	cycles *cfg.CycleForest
	uses   [][]analysis.Use
	in     [][]analysis.InEdge
	seldom func(to, from int) bool // whether block to runs less often than from, which dominates it
	first  [][]*vir.Value          // by block: what has come to its begin, last first

	sharesOf int       // the block of which sharesFrom last told
	shares   []float64 // what it told
}

// place returns the block that v goes to, nil if it stays.
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
	if to == from || !s.seldom(to, from) {
		return nil
	}
	return s.f.Blocks[to]
}

// above is the nearest block at or above to, which from dominates, that what comes
// from there may go to.
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

// rarer reports whether the block to runs less often than from, which dominates
// it. That a loop is left does not count, as it is left once, but for a search.
func (s *sinker) rarer(to, from int) bool {
	c := s.cycles.InnermostCycle(from)
	if s.cycles.InnermostCycle(to) != c {
		return true
	}
	if s.behind.PostDominates(to, from) {
		return false
	}
	for at := to; at != from; {
		at = s.dom.IDom[at]
		leaves := false
		for _, e := range s.f.Blocks[at].Edges {
			leaves = leaves || c != nil && !s.cycles.Contains(c, e.To.ID) && !s.searches(c)
		}
		if s.f.Blocks[at].Kind == vir.Branch && !leaves && !s.behind.PostDominates(to, at) {
			return true
		}
	}
	return false
}

// rare reports whether an edge that is hardly ever taken is all that leads to the block to
// from from, which dominates it.
func (s *sinker) rare(to, from int) bool {
	for at := to; at != from; at = s.dom.IDom[at] {
		if in := s.in[at]; len(in) == 1 && in[0].Edge().Rare {
			return true
		}
	}
	return false
}

// searches reports whether c is an innermost loop in a loop of the work-item that may be
// left from several places: it is left as often as it goes on.
func (s *sinker) searches(c *cfg.Cycle) bool {
	return len(c.Children) == 0 && c.Parent != nil && c.Parent.Parent != nil && len(s.cycles.Exits(c)) > 2
}

// decides reports whether the block only goes on with the comparisons of a
// value with constants that the block before it has begun: together they may
// become one jump, if nothing comes between them.
func (s *sinker) decides(id int) bool {
	b := s.f.Blocks[id]
	if s.dom.IDom[id] < 0 || len(b.Params) > 0 || len(s.first[id]) > 0 {
		return false
	}
	x, y := comparedWithConst(b), comparedWithConst(s.f.Blocks[s.dom.IDom[id]])
	return x != nil && x == y && len(b.Values) == 1
}

// comparedWithConst returns what the branch at the end of b compares with a
// constant, nil if it does not.
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
