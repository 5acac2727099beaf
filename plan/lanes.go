package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// passedChance is the chance of a parameter: that of what is passed where ways
// meet; and lanes that go round a loop wait, as time goes on, for the others.
func (w *flow) passedChance(v *vir.Value) float64 {
	c := w.blockLoop[v.Block.ID]
	header := c != nil && c.Header == v.Block.ID
	if header && !v.Type.IsMask() {
		return unknown
	}
	if !header {
		c = nil
	}
	p := w.passedFromOutside(v, c)
	switch {
	case p < 0 || header && p == 0:
		return unknown
	case header && w.divergent[c.ID]:
		p /= w.waste(c)
	}
	return p
}

// passedFromOutside is the chance of a parameter by what is passed from outside of c,
// nil being nowhere; -1 if nothing is known to be.
func (w *flow) passedFromOutside(v *vir.Value, c *cfg.Cycle) float64 {
	p, all := 0.0, 0.0
	for _, in := range w.into[v.Block.ID] {
		if c != nil && w.loops.Contains(c, in.from) || w.share[in.from] == nil {
			continue
		}
		often := w.freq[in.from] * w.share[in.from][in.edge]
		p += often * w.chance(w.f.Blocks[in.from].Edges[in.edge].Args[v.Index])
		all += often
	}
	if all == 0 {
		return -1
	}
	return p / all
}

// lanesOf is the share of the lanes in a loop that go on in it by v, which is
// not empty then.
func (w *flow) lanesOf(v *vir.Value, c *cfg.Cycle) float64 {
	share := 0.0
	for _, m := range conjuncts(nil, v) {
		if m.Op == vir.Param && m.Block.ID == c.Header {
			share = max(share, w.chance(m))
		}
	}
	if share == 0 {
		return 1 / w.waste(c)
	}
	return share
}

// edge is one of a block's edges.
type edge struct{ from, edge int }

// findGoing finds the masks of the lanes that go on in a loop, and what of the
// control flow masks decide.
func (w *flow) findGoing(g *cfg.Graph) {
	w.dominators = cfg.Dominators(g)
	w.chances, w.going = make([]float64, w.f.NumValues()), make([]*cfg.Cycle, w.f.NumValues())
	w.into, w.asked = make([][]edge, len(w.f.Blocks)), make([]*vir.Value, len(w.f.Blocks))
	for _, id := range w.order {
		b := w.f.Blocks[id]
		for i, e := range b.Edges {
			w.into[e.To.ID] = append(w.into[e.To.ID], edge{id, i})
			if c := w.blockLoop[id]; w.leaves(c, e.To.ID) && b.Cond != nil && b.Cond.Op == vir.Any {
				w.going[b.Cond.Args[0].ID] = c
			}
		}
	}
	for to, in := range w.into {
		if len(in) == 1 && in[0].edge == 0 {
			if c := w.f.Blocks[in[0].from].Cond; c != nil && c.Op == vir.Any {
				w.asked[to] = c.Args[0]
			}
		}
	}
}

// around returns the mask around m in b of which is known that it is not empty:
// one that was asked for before, or the one of the loop; nil: there is none.
func (w *flow) around(b int, m *vir.Value) *vir.Value {
	parts := conjuncts(nil, m)[1:]
	for ; b >= 0 && len(parts) > 0; b = w.dominators.IDom[b] {
		if k := w.asked[b]; k != nil && slices.Contains(parts, k) {
			return k
		}
	}
	for _, v := range parts {
		if v.Op != vir.Param {
			continue
		}
		if c := w.blockLoop[v.Block.ID]; c != nil && c.Depth > 1 && c.Header == v.Block.ID {
			return v
		}
	}
	return nil
}

// conjuncts appends a mask and those of which it is part, each once.
func conjuncts(to []*vir.Value, m *vir.Value) []*vir.Value {
	const most = 64
	if len(to) == most || slices.Contains(to, m) {
		return to
	}
	to = append(to, m)
	if m.Op == alu.And {
		to = conjuncts(conjuncts(to, m.Args[0]), m.Args[1])
	}
	return to
}

// anyOf is how likely a mask has a lane in b.
func (w *flow) anyOf(b int, m *vir.Value, before prior) float64 {
	share, some := 1.0, 1.0
	width := float64(w.width)
	if k := w.around(b, m); k != nil {
		share = w.chance(k)
		some = 1 - math.Pow(1-share, width)
	}
	p := w.chance(m)
	if p >= share {
		return 1
	}
	p = before.of(p/share) * share
	return min(1, (1-math.Pow(1-p, width))/some) * (1 - alike/math.Sqrt(width))
}

// someLane is how likely one of a vector's lanes at least has a bit set that
// each has with chance p. Neighbours are alike, so that often none has.
func (w *flow) someLane(p float64) float64 {
	if p == 1 {
		return 1
	}
	width := float64(w.width)
	return (1 - math.Pow(1-p, width)) * (1 - alike/math.Sqrt(width))
}
