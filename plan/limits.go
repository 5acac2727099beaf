package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// laneLimit returns an upper bound of the trip count of c if b stays in c while some lane
// does, and each lane stays until its own counter has run from one constant to another, or
// over a constant distance; infinity if there is no such bound. counted handles counters
// that all lanes share.
func (w *flow) laneLimit(c *cfg.Cycle, b *vir.Block) float64 {
	limit := math.Inf(1)
	if b.Cond.Op != vir.Any || !w.loops.Contains(c, b.Edges[0].To.ID) || w.loops.Contains(c, b.Edges[1].To.ID) || !w.everyIteration(c, b) {
		return limit
	}
	staying := conjuncts(nil, b.Cond.Args[0])
	for _, m := range staying {
		if m.Op == alu.Xor && m.Args[1].Op == vir.Const {
			m = m.Args[0]
		}
		if alu.InfoOf(m.Op).Class != alu.Compare || !m.Args[0].Type.Elem.IsInt() {
			continue
		}
		for i, x := range m.Args {
			start, ahead, step := w.countsFrom(c, x, staying)
			if step == 0 {
				continue
			}
			if distance, ok := constantDistance(start, m.Args[1-i]); ok {
				if n := float64(distance-ahead) / step; n > 0 {
					limit = min(limit, 1+math.Ceil(n))
				}
			}
		}
	}
	return limit
}

// countsFrom returns the start and the step of the counter of c that v is, or exceeds by
// ahead, for lanes that are in all of the masks; a step of 0 means that v is no such
// counter.
func (w *flow) countsFrom(c *cfg.Cycle, v *vir.Value, masks []*vir.Value) (start *vir.Value, ahead int64, step float64) {
	for v.Op == alu.Add && v.Args[1].Op == vir.Const {
		v, ahead = v.Args[0], ahead+v.Args[1].Signed()
	}
	if v.Op != vir.Param || v.Block.ID != c.Header {
		return nil, 0, 0
	}
	var by *vir.Value
	for _, a := range w.passed[v.ID] {
		known := &start
		if a.Block != nil && w.loops.Contains(c, a.Block.ID) {
			known = &by
			if a.Op == alu.Select && slices.Contains(masks, a.Args[0]) {
				a = a.Args[1]
			}
			if a.Op != alu.Add || a.Args[0] != v {
				return nil, 0, 0
			}
			a = a.Args[1]
		}
		if *known != nil && *known != a {
			return nil, 0, 0
		}
		*known = a
	}
	if start == nil || by == nil || by.Op != vir.Const {
		return nil, 0, 0
	}
	return start, ahead, float64(by.Signed())
}
