package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// paramProbability estimates a parameter: the mean of the passed values, weighted by
// frequency. In a loop header, lanes that have exited wait for the others.
func (w *flow) paramProbability(v *vir.Value) float64 {
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
		p /= w.imbalanceFactor(c)
	}
	return p
}

// passedFromOutside is the mean probability of the values passed to v from outside of c, or
// from everywhere if c is nil; -1 if none is known.
func (w *flow) passedFromOutside(v *vir.Value, c *cfg.Cycle) float64 {
	p, all := 0.0, 0.0
	for _, in := range w.inEdges[v.Block.ID] {
		if c != nil && w.loops.Contains(c, in.from) || w.share[in.from] == nil {
			continue
		}
		often := w.freq[in.from] * w.share[in.from][in.edge]
		p += often * w.probability(w.f.Blocks[in.from].Edges[in.edge].Args[v.Index])
		all += often
	}
	if all == 0 {
		return -1
	}
	return p / all
}

// stayingShare is the share of the lanes active in c that continue it by mask v, given that
// v is not empty.
func (w *flow) stayingShare(v *vir.Value, c *cfg.Cycle) float64 {
	share := 0.0
	for _, m := range conjuncts(nil, v) {
		if m.Op == vir.Param && m.Block.ID == c.Header {
			share = max(share, w.probability(m))
		}
	}
	if share == 0 {
		return 1 / w.imbalanceFactor(c)
	}
	return share
}

// edge identifies an edge by its block and index.
type edge struct{ from, edge int }

// findStayMasks finds the masks of lanes that continue a loop, and the masks that blocks
// depend on.
func (w *flow) findStayMasks(g *cfg.Graph) {
	w.dominators = cfg.Dominators(g)
	w.probs, w.stayMask = make([]float64, w.f.NumValues()), make([]*cfg.Cycle, w.f.NumValues())
	w.inEdges, w.nonEmpty = make([][]edge, len(w.f.Blocks)), make([]*vir.Value, len(w.f.Blocks))
	for _, id := range w.order {
		b := w.f.Blocks[id]
		for i, e := range b.Edges {
			w.inEdges[e.To.ID] = append(w.inEdges[e.To.ID], edge{id, i})
			if c := w.blockLoop[id]; w.leaves(c, e.To.ID) && b.Cond != nil && b.Cond.Op == vir.Any {
				w.stayMask[b.Cond.Args[0].ID] = c
			}
		}
	}
	for to, in := range w.inEdges {
		if len(in) == 1 && in[0].edge == 0 {
			if c := w.f.Blocks[in[0].from].Cond; c != nil && c.Op == vir.Any {
				w.nonEmpty[to] = c.Args[0]
			}
		}
	}
}

// enclosing returns a mask that contains m and is known not to be empty in b: one tested in
// a dominator, or that of the loop; or nil.
func (w *flow) enclosing(b int, m *vir.Value) *vir.Value {
	parts := conjuncts(nil, m)[1:]
	for ; b >= 0 && len(parts) > 0; b = w.dominators.IDom[b] {
		if k := w.nonEmpty[b]; k != nil && slices.Contains(parts, k) {
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

// conjuncts appends a mask and the masks that it is a conjunction of, each once.
func conjuncts(to []*vir.Value, m *vir.Value) []*vir.Value {
	const limit = 64
	if len(to) == limit || slices.Contains(to, m) {
		return to
	}
	to = append(to, m)
	if m.Op == alu.And {
		to = conjuncts(conjuncts(to, m.Args[0]), m.Args[1])
	}
	return to
}

// anyProbability is the probability that a mask is not empty in b.
func (w *flow) anyProbability(b int, m *vir.Value, prior prior) float64 {
	share, some := 1.0, 1.0
	width := float64(w.width)
	if k := w.enclosing(b, m); k != nil {
		share = w.probability(k)
		some = 1 - math.Pow(1-share, width)
	}
	p := w.probability(m)
	if p >= share {
		return 1
	}
	p = prior.given(p/share) * share
	if compared := w.inOrder(m); compared != nil {
		if some, ok := w.vectorsWith(compared); ok {
			return some
		}
		return min(1, p/share+width/(2*w.row))
	}
	return min(1, (1-math.Pow(1-p, width))/some) * (1 - agreement/math.Sqrt(width))
}

// inOrder returns a comparison in m, or its complement, if the lanes of m, apart from those of range
// ends, are those on one side of a position along the row of work-items, so that at most one vector
// of a row has only some of them; else nil.
func (w *flow) inOrder(m *vir.Value) *vir.Value {
	var found *vir.Value
	for _, v := range conjuncts(nil, m) {
		compared, _ := complement(v)
		switch compared.Op {
		case alu.And, vir.Prefix, vir.Splat:
			if compared != v {
				return nil
			}
		case alu.Slt, alu.Sle, alu.Ult, alu.Ule:
			if !w.comparesPosition(compared) {
				return nil
			}
			found = v
		default:
			return nil
		}
	}
	return found
}

// complement returns the mask that m is the complement of, or m and false.
func complement(m *vir.Value) (of *vir.Value, ok bool) {
	if m.Op == alu.Xor && m.Args[1].Op == vir.Const && m.Args[1].Const&1 == 1 {
		return m.Args[0], true
	}
	return m, false
}

// vectorsWith returns the share of the vectors of a row that have lanes of m, a comparison of the
// position with a constant, or its complement.
func (w *flow) vectorsWith(m *vir.Value) (share float64, ok bool) {
	v, above := complement(m)
	orEqual := v.Op == alu.Sle || v.Op == alu.Ule
	n, ok := w.countBelow(v.Args[0], v.Args[1], orEqual)
	if !ok {
		above = !above
		if n, ok = w.countBelow(v.Args[1], v.Args[0], !orEqual); !ok {
			return 0, false
		}
	}
	width := float64(w.width)
	all, some := math.Ceil(w.row/width), math.Ceil(n/width)
	if above {
		some = all - math.Floor(n/width)
		if n == w.row {
			some = 0
		}
	}
	return some / all, true
}

// comparesPosition reports whether v compares the position of a work-item in its row, or in an
// aligned part of it that is not shorter than a vector, with a number that all lanes share.
func (w *flow) comparesPosition(v *vir.Value) bool {
	if alu.InfoOf(v.Op).Class != alu.Compare {
		return false
	}
	for i, x := range v.Args {
		if x.Op == alu.And && x.Args[1].Op == vir.Const {
			if n := x.Args[1].Const & x.Type.Elem.Mask(); n&(n+1) != 0 || int(n) < w.width-1 {
				continue
			}
			x = x.Args[0]
		}
		if y := v.Args[1-i]; w.perPosition(x) > 0 && (y.Op == vir.Splat || y.Op == vir.Const || y.Type.IsScalar()) {
			return true
		}
	}
	return false
}

// perPosition returns the increase of v per work-item of a row, if v never decreases along the row;
// else 0.
func (w *flow) perPosition(v *vir.Value) float64 {
	each, _, _ := w.position(v)
	return each
}

// position returns the increase of v per work-item of a row, or 0 as perPosition does, and the value of
// v at the first work-item, if that is known.
func (w *flow) position(v *vir.Value) (each, from float64, known bool) {
	if w.strip == nil {
		return 0, 0, false
	}
	var n int64 // the constant that v is computed with
	constant := len(v.Args) == 2 && v.Args[1].Op == vir.Const
	if constant {
		n = v.Args[1].Signed()
	}
	switch v.Op {
	case vir.Param:
		if v.Block.ID == w.strip.Header {
			return 1, 0, true
		}
	case vir.Splat, alu.SExt, alu.ZExt, alu.Trunc:
		return w.position(v.Args[0])
	case alu.Add:
		switch {
		case constant || isLanes(v.Args[1]):
			each, from, known = w.position(v.Args[0])
			return each, from + float64(n), known
		case w.uniformAcrossStrips(v.Args[1]):
			each, _, _ = w.position(v.Args[0])
			return each, 0, false
		case w.uniformAcrossStrips(v.Args[0]):
			each, _, _ = w.position(v.Args[1])
			return each, 0, false
		}
	case alu.Shl, alu.LShr, alu.AShr, alu.Mul:
		times := float64(n)
		switch {
		case !constant || n < 0 || v.Op == alu.Mul && n == 0 || v.Op != alu.Mul && n >= 64:
			return 0, 0, false
		case v.Op == alu.Shl:
			times = math.Ldexp(1, int(n))
		case v.Op != alu.Mul:
			times = math.Ldexp(1, -int(n))
		}
		each, from, known = w.position(v.Args[0])
		return each * times, from * times, known
	}
	return 0, 0, false
}

// isLanes reports whether v is the numbers of the lanes or their products with a constant.
func isLanes(v *vir.Value) bool {
	for (v.Op == alu.Shl || v.Op == alu.Mul) && v.Args[1].Op == vir.Const {
		v = v.Args[0]
	}
	return v.Op == vir.Iota
}

// someLane is the probability that some lane has a bit that each lane has with probability
// p. Neighbouring lanes are correlated, which makes empty masks more frequent.
func (w *flow) someLane(p float64) float64 {
	if p == 1 {
		return 1
	}
	width := float64(w.width)
	return (1 - math.Pow(1-p, width)) * (1 - agreement/math.Sqrt(width))
}
