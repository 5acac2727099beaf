package meld

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// maxRegion bounds the operations of an arm with control flow that melds.
const maxRegion = 1024

// regions is the two arms of a divergent branch as far as they correspond, block
// by block and operation by operation: arms with branches and loops that differ
// in nothing but operands from above the branch (the isomorphic regions of
// Saumya et al., "DARM", sec. 4).
type regions struct {
	m      *melder
	a      *kernel.Block
	blocks [][2]*kernel.Block // pairs, in the order in which they were found
	mate   map[*kernel.Block]*kernel.Block
	second map[*kernel.Block]bool // the other arm's
	values map[*kernel.Value]*kernel.Value
	inside map[*kernel.Value]bool // of either arm
	ops    int

	mixed    map[*kernel.Value]bool // values of the first arm that melding makes vectors
	selected map[pair]bool
}

// meldRegions makes the arms of a's branch one, if they correspond and that is
// cheaper. Arms of a block each are what a meldPlan is for.
func (m *melder) meldRegions(a *kernel.Block) {
	g := &regions{
		m: m, a: a, mate: map[*kernel.Block]*kernel.Block{}, second: map[*kernel.Block]bool{},
		values: map[*kernel.Value]*kernel.Value{}, inside: map[*kernel.Value]bool{},
		mixed: map[*kernel.Value]bool{}, selected: map[pair]bool{},
	}
	if m.r.Find(a.Cond).Op == kernel.Const || !g.walk(a.Edges[0].To, a.Edges[1].To) || len(g.blocks) < 2 {
		return
	}
	if g.closed() && g.match() && g.pays() {
		g.commit()
		m.changed = true
	}
}

// walk pairs what the arms lead to: x in the first, y in the second. Where both
// come to the same block, the arms end.
func (g *regions) walk(x, y *kernel.Block) bool {
	if x == y {
		return g.mate[x] == nil && !g.second[x]
	}
	if g.mate[x] != nil || g.second[y] {
		return g.mate[x] == y
	}
	if g.second[x] || g.mate[y] != nil || x == g.a || y == g.a || !g.alike(x, y) {
		return false
	}
	g.mate[x], g.second[y] = y, true
	g.blocks = append(g.blocks, [2]*kernel.Block{x, y})
	for i, e := range x.Edges {
		if !g.walk(e.To, y.Edges[i].To) {
			return false
		}
	}
	return true
}

// alike pairs the operations of two blocks.
func (g *regions) alike(x, y *kernel.Block) bool {
	if x.Kind != y.Kind || x.Kind != kernel.Jump && x.Kind != kernel.Branch || len(x.Params) != len(y.Params) || len(x.Values) != len(y.Values) {
		return false
	}
	if g.ops += len(x.Values); g.ops > maxRegion {
		return false
	}
	for i, p := range x.Params {
		q := y.Params[i]
		if p.Type != q.Type {
			return false
		}
		g.pair(p, q)
	}
	for i, v := range x.Values {
		w := y.Values[i]
		component := v.Op == kernel.Component && w.Op == kernel.Component && v.Index == w.Index && v.Type == w.Type
		if !component && !fits(v, w) {
			return false
		}
		g.pair(v, w)
	}
	return true
}

func (g *regions) pair(x, y *kernel.Value) {
	g.values[x], g.inside[x], g.inside[y] = y, true, true
}

// closed reports whether no other block leads into the arms.
func (g *regions) closed() bool {
	in := map[*kernel.Block]int{g.a.Edges[0].To: 1, g.a.Edges[1].To: 1}
	for _, bs := range g.blocks {
		for _, b := range bs {
			for _, e := range b.Edges {
				in[e.To]++
			}
		}
	}
	for _, bs := range g.blocks {
		if in[bs[0]] != g.m.preds[bs[0]] || in[bs[1]] != g.m.preds[bs[1]] {
			return false
		}
	}
	return true
}

// operand reports whether x in the first arm and y in the second can be one
// value, and whether a select has to make it.
func (g *regions) operand(x, y *kernel.Value) (selected, ok bool) {
	x, y = g.m.r.Find(x), g.m.r.Find(y)
	switch {
	case g.inside[x] || g.inside[y]:
		return false, g.values[x] == y
	case x == y:
		return false, true
	}
	return true, selectCost(x.Type, false) < never
}

// match checks all operands and finds which values become vectors. Operands of
// commutative operations change places where that saves a select.
func (g *regions) match() bool {
	ok := true
	use := func(user, x, y *kernel.Value) {
		selected, fine := g.operand(x, y)
		ok = ok && fine
		if selected && fine {
			g.selected[pair{g.m.r.Find(x), g.m.r.Find(y)}] = true
		}
		if user != nil && (selected || g.mixed[g.m.r.Find(x)]) {
			g.mixed[user] = true
		}
	}
	for n := -1; n != len(g.mixed); {
		n = len(g.mixed)
		for _, bs := range g.blocks {
			for i, v := range bs[0].Values {
				w := bs[1].Values[i]
				if g.crossed(v, w) {
					w.Args[0], w.Args[1] = w.Args[1], w.Args[0]
				}
				if g.m.form(v) != g.m.form(w) {
					g.mixed[v] = true
				}
				for k, x := range v.Args {
					use(v, x, w.Args[k])
				}
			}
		}
		g.eachEdge(func(x, y kernel.Edge) {
			for i, p := range x.Args {
				var user *kernel.Value
				if g.mate[x.To] != nil {
					user = x.To.Params[i]
					if g.m.form(user) != g.m.form(y.To.Params[i]) {
						g.mixed[user] = true
					}
				}
				use(user, p, y.Args[i])
			}
		})
		for _, bs := range g.blocks {
			if bs[0].Kind == kernel.Branch {
				use(nil, bs[0].Cond, bs[1].Cond)
				selected, _ := g.operand(bs[0].Cond, bs[1].Cond)
				// A branch that all lanes take alike is worth more than what melds.
				apart := g.m.divergent[bs[0]] && g.m.divergent[bs[1]]
				ok = ok && (apart || !selected && !g.mixed[g.m.r.Find(bs[0].Cond)])
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// crossed reports whether the first operands of w fit those of v better the
// other way round.
func (g *regions) crossed(v, w *kernel.Value) bool {
	if !alu.InfoOf(v.Op).Commutative {
		return false
	}
	bad := func(i, k int) int {
		selected, ok := g.operand(v.Args[i], w.Args[k])
		switch {
		case !ok:
			return 4
		case selected:
			return 1
		}
		return 0
	}
	return bad(0, 1)+bad(1, 0) < bad(0, 0)+bad(1, 1)
}

// eachEdge visits the pairs of edges into and in the arms and out of them.
func (g *regions) eachEdge(visit func(x, y kernel.Edge)) {
	visit(g.a.Edges[0], g.a.Edges[1])
	for _, bs := range g.blocks {
		for i, e := range bs[0].Edges {
			visit(e, bs[1].Edges[i])
		}
	}
}

// pays reports whether one arm is cheaper than two, with all selects.
func (g *regions) pays() bool {
	gain := guardCost
	depth := g.m.loops.Depth(g.a.ID)
	for _, bs := range g.blocks {
		weight := 1 << (3 * min(max(g.m.loops.Depth(bs[0].ID)-depth, 0), 4))
		if bs[0].Kind == kernel.Branch && g.m.divergent[bs[0]] {
			gain += weight * guardCost
		}
		for i, v := range bs[0].Values {
			gain += weight * (g.costOf(v, false) + g.costOf(bs[1].Values[i], false) - g.costOf(v, true))
		}
	}
	for p := range g.selected {
		gain -= selectCost(p[0].Type, false)
	}
	return gain > 0
}

// costOf prices an operation as it is, or melded with its mate.
func (g *regions) costOf(v *kernel.Value, melded bool) int {
	formOf := func(x *kernel.Value) form {
		if melded && g.mixed[x] {
			return form{vector: true}
		}
		return g.m.form(x)
	}
	switch {
	case isPure(v):
		return pureCost(v, formOf(v).vector || len(v.Args) > 0 && formOf(v.Args[0]).vector)
	case melded && g.mixed[v.Args[0]]:
		return accessCostOf(v, form{vector: true})
	}
	return accessCostOf(v, addressForm(v.Args[0], formOf, asTheyAre, 8))
}

// commit makes the first arm that of all lanes and drops the other.
func (g *regions) commit() {
	m := g.m
	cond := m.r.Find(g.a.Cond)
	made := map[pair]*kernel.Value{}
	one := func(x, y *kernel.Value) *kernel.Value {
		x, y = m.r.Find(x), m.r.Find(y)
		if x == y || g.inside[x] {
			return x
		}
		if made[pair{x, y}] == nil {
			s := g.a.NewValue(alu.Select, x.Type, cond, x, y)
			s.Pos = g.a.Pos
			g.a.Values = append(g.a.Values, s)
			made[pair{x, y}] = s
		}
		return made[pair{x, y}]
	}
	g.eachEdge(func(x, y kernel.Edge) {
		for i, p := range x.Args {
			x.Args[i] = one(p, y.Args[i])
		}
		if g.mate[x.To] == nil {
			m.preds[y.To]--
		}
	})
	loads, stores := 0, 0
	for _, bs := range g.blocks {
		for i, v := range bs[0].Values {
			w := bs[1].Values[i]
			for k, x := range v.Args {
				v.Args[k] = one(x, w.Args[k])
			}
			if !isPure(v) {
				v.Align = min(v.Align, w.Align)
			}
			switch v.Op {
			case kernel.Load:
				loads++
			case kernel.Store:
				stores++
			}
		}
		if bs[0].Kind == kernel.Branch {
			bs[0].Cond = one(bs[0].Cond, bs[1].Cond)
			m.divergent[bs[0]] = m.divergent[bs[0]] || m.divergent[bs[1]]
		}
		m.joins[bs[0]] = m.joins[bs[0]] || m.joins[bs[1]]
		m.gone[bs[1]] = true
	}
	for v := range g.mixed {
		m.setForm(v, form{vector: true})
	}
	e := g.a.Edges[0]
	g.a.Jump(e.To, e.Args...)
	m.divergent[g.a] = false
	m.st.Add("branches melded", 1)
	m.st.Add("branches melded away", 1)
	m.st.Add("blocks melded", len(g.blocks))
	m.st.Add("loads melded", loads)
	m.st.Add("stores melded", stores)
	m.st.Add("operations melded", g.ops-loads-stores)
	m.st.Add("operands selected for melding", len(made))
	m.f.Note(g.a.Pos, "melded", fmt.Sprintf("for the lanes of both sides: %s with %s are run once, on %s",
		diag.Count(len(g.blocks), "block"), diag.Count(g.ops, "operation"), diag.Count(len(made), "selected operand")))
}
