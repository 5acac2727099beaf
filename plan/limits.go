package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// limitOfLanes returns how often the header of c runs at most if b stays in c as long as
// some lane does, and lanes stay only until a counter of their own, from a constant on,
// has come to another; infinity: none tells. Where all lanes share the counter, counted
// does.
func (w *flow) limitOfLanes(c *cfg.Cycle, b *vir.Block) float64 {
	least := math.Inf(1)
	if b.Cond.Op != vir.Any || !w.loops.Contains(c, b.Edges[0].To.ID) || w.loops.Contains(c, b.Edges[1].To.ID) || !w.everyRound(c, b) {
		return least
	}
	staying := conjuncts(nil, b.Cond.Args[0])
	for _, m := range staying {
		if m.Op == alu.Xor && m.Args[1].Op == vir.Const {
			m = m.Args[0]
		}
		if alu.InfoOf(m.Op).Class != alu.Compare || !m.Args[0].Type.Elem.IsInt() {
			continue
		}
		x, limit := m.Args[0], m.Args[1]
		if x.Op == vir.Const {
			x, limit = limit, x
		}
		if limit.Op != vir.Const {
			continue
		}
		if start, step := w.countsFrom(c, x, staying); step != 0 {
			if n := (float64(limit.Signed()) - start) / step; n > 0 {
				least = min(least, 1+math.Ceil(n))
			}
		}
	}
	return least
}

// countsFrom returns the constant that v, a counter of c or one that far from it, is at
// first, and by what it steps in every round of lanes that are in all of the masks; a
// step of 0: it is none, or nothing tells.
func (w *flow) countsFrom(c *cfg.Cycle, v *vir.Value, masks []*vir.Value) (start, step float64) {
	plus := 0.0
	for v.Op == alu.Add && v.Args[1].Op == vir.Const {
		v, plus = v.Args[0], plus+float64(v.Args[1].Signed())
	}
	if v.Op != vir.Param || v.Block.ID != c.Header {
		return 0, 0
	}
	var first, by *vir.Value
	for _, a := range w.passed[v.ID] {
		known := &first
		if a.Block != nil && w.loops.Contains(c, a.Block.ID) {
			known = &by
			if a.Op == alu.Select && slices.Contains(masks, a.Args[0]) {
				a = a.Args[1]
			}
			if a.Op != alu.Add || a.Args[0] != v {
				return 0, 0
			}
			a = a.Args[1]
		}
		if a.Op != vir.Const || *known != nil && (*known).Const != a.Const {
			return 0, 0
		}
		*known = a
	}
	if first == nil || by == nil {
		return 0, 0
	}
	return plus + float64(first.Signed()), float64(by.Signed())
}
