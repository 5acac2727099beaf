package meld

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// of returns the representative of an operand.
func (g *regions) of(x *kernel.Value) *kernel.Value {
	x = g.m.r.Find(x)
	for g.is[x] != nil {
		x = g.m.r.Find(g.is[x])
	}
	if mate := g.values[x]; mate != nil {
		return mate
	}
	return x
}

// operand returns the selection that merges x, an operand in the first arm, and y, in the
// second, for a use in b. chosen is false if none is needed, ok is false if none is possible.
func (g *regions) operand(b *blockPair, x, y *kernel.Value) (s selection, chosen, ok bool) {
	s.of = pair{g.of(x), g.of(y)}
	if s.of[0] == s.of[1] {
		return s, false, true
	}
	if g.inside[s.of[0]] != nil || g.inside[s.of[1]] != nil {
		s.at = b
	}
	whole := func(v *kernel.Value) bool { return v.Op == kernel.Load && v.Count > 1 } // a multi-component load, which cannot be selected
	return s, true, selectCost(x.Type, false) < never && !whole(s.of[0]) && !whole(s.of[1])
}

// match checks all operands and finds the values that become vectors. It swaps operands of
// commutative operations if that saves a select.
func (g *regions) match() bool {
	ok := true
	use := func(b *blockPair, user, x, y *kernel.Value) (varies bool) {
		s, chosen, fine := g.operand(b, x, y)
		ok = ok && fine
		if chosen {
			g.selected[s] = true
		}
		varies = chosen || g.mixed[s.of[0]]
		if user != nil && varies {
			g.mixed[user] = true
		}
		return varies
	}
	for n := -1; ok && n != len(g.mixed); {
		n = len(g.mixed)
		clear(g.selected)
		for _, b := range g.blocks {
			for _, r := range b.rows {
				v, w := r[0], r[1]
				if v == nil || w == nil {
					g.unmatched(r)
					continue
				}
				if g.crossed(b, v, w) {
					w.Args[0], w.Args[1] = w.Args[1], w.Args[0]
				}
				if g.m.form(v) != g.m.form(w) {
					g.mixed[v] = true
				}
				for k, x := range v.Args {
					use(b, v, x, w.Args[k])
				}
			}
		}
		g.eachEdge(func(b *blockPair, x, y *kernel.Edge) {
			if g.bare[x.To] {
				return
			}
			for i, p := range x.Args {
				var user *kernel.Value
				if g.mate[x.To] != nil {
					user = x.To.Params[i]
					if g.m.form(user) != g.m.form(y.To.Params[i]) {
						g.mixed[user] = true
					}
				}
				use(b, user, p, y.Args[i])
			}
		})
		for _, b := range g.blocks {
			if x, y := b.arms[0], b.arms[1]; x.Kind == kernel.Branch {
				// A uniform branch is worth more than melding.
				mixed := use(b, nil, x.Cond, y.Cond)
				ok = ok && (!mixed || g.m.divergent[x] && g.m.divergent[y])
			}
		}
	}
	return ok
}

// unmatched marks an operation of one arm as mixed if an operand is.
func (g *regions) unmatched(r pair) {
	for _, v := range r {
		if v == nil {
			continue
		}
		for _, x := range v.Args {
			if g.mixed[g.of(x)] {
				g.mixed[v] = true
			}
		}
	}
}

// crossed reports whether the operands of w match those of v better if swapped.
func (g *regions) crossed(b *blockPair, v, w *kernel.Value) bool {
	if !alu.InfoOf(v.Op).Commutative {
		return false
	}
	bad := func(i, k int) int {
		s, chosen, ok := g.operand(b, v.Args[i], w.Args[k])
		switch {
		case !ok:
			return 8
		case chosen && s.at != nil:
			return 2
		case chosen:
			return 1
		}
		return 0
	}
	return bad(0, 1)+bad(1, 0) < bad(0, 0)+bad(1, 1)
}

// eachEdge visits the pairs of edges into, within and out of the arms, with their source
// blocks; from is nil for the branching block.
func (g *regions) eachEdge(visit func(from *blockPair, x, y *kernel.Edge)) {
	visit(nil, &g.a.Edges[0], &g.a.Edges[1])
	for _, b := range g.blocks {
		for i := range b.arms[0].Edges {
			visit(b, &b.arms[0].Edges[i], &b.arms[1].Edges[i])
		}
	}
}

// unmatchedWeight weighs the cost of unmatched operations, which run for all lanes: if lanes
// need one arm only, they waste it.
const unmatchedWeight = 4

// pays reports whether the melded arm with all selects is cheaper than two arms, even with
// unmatched operations weighed; if lanes mostly agree, these must be nearly free.
func (g *regions) pays() bool {
	gain, needless := guardCost, 0
	depth := g.m.loops.Depth(g.a.ID)
	weight := func(b *blockPair) int {
		if b == nil {
			return 1
		}
		inside := 0
		for _, arm := range b.arms {
			if arm.ID >= 0 {
				inside = g.m.loops.Depth(arm.ID) - depth
			}
		}
		return 1 << (3 * min(max(inside, 0), 4))
	}
	for _, b := range g.blocks {
		weight := weight(b)
		if b.arms[0].Kind == kernel.Branch && g.m.divergent[b.arms[0]] {
			gain += weight * guardCost
		}
		for _, r := range b.rows {
			switch {
			case r[0] == nil:
				needless += weight * g.costOf(r[1], true)
				gain += weight * (g.costOf(r[1], false) - g.costOf(r[1], true))
			case r[1] == nil:
				needless += weight * g.costOf(r[0], true)
				gain += weight * (g.costOf(r[0], false) - g.costOf(r[0], true))
			default:
				gain += weight * (g.costOf(r[0], false) + g.costOf(r[1], false) - g.costOf(r[0], true))
			}
		}
	}
	for s := range g.selected {
		gain -= weight(s.at) * selectCost(s.of[0].Type, false)
	}
	if g.agree() {
		return gain > 0 && needless <= guardCost
	}
	return gain > 0 && gain >= unmatchedWeight*needless
}

// agree reports whether maxGain vectors take one arm: the branch compares strided numbers, so
// that at maxGain one vector of a row diverges.
func (g *regions) agree() bool {
	c := g.m.r.Find(g.a.Cond)
	if c.Op == alu.Xor {
		c = g.m.r.Find(c.Args[0])
	}
	return alu.InfoOf(c.Op).Class == alu.Compare && !g.m.form(c.Args[0]).vector && !g.m.form(c.Args[1]).vector
}

// costOf prices an operation in its original or melded form.
func (g *regions) costOf(v *kernel.Value, melded bool) int {
	formOf := func(x *kernel.Value) form {
		if melded && g.mixed[g.of(x)] {
			return form{vector: true}
		}
		return g.m.form(x)
	}
	switch {
	case isPure(v):
		return pureCost(v, formOf(v).vector || len(v.Args) > 0 && formOf(v.Args[0]).vector)
	case melded && g.mixed[g.of(v.Args[0])]:
		return accessCostOf(v, form{vector: true})
	}
	return accessCostOf(v, addressForm(v.Args[0], formOf, irOperands, 8))
}
