package meld

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// commit turns the first arm into the melded one and drops the second.
func (g *regions) commit() {
	m := g.m
	cond := m.r.Find(g.a.Cond)
	made := map[selection]*kernel.Value{}
	one := func(b *blockPair, x, y *kernel.Value) *kernel.Value {
		s, chosen, _ := g.operand(b, x, y)
		if !chosen {
			return s.of[0]
		}
		if made[s] == nil {
			at := g.a
			if s.at != nil {
				at = b.arms[0]
			}
			made[s] = at.Append(alu.Select, x.Type, cond, s.of[0], s.of[1])
			made[s].Pos = g.a.Pos
		}
		return made[s]
	}
	loads, stores, ops, unmatched := 0, 0, 0, 0
	for _, b := range g.blocks {
		at := b.arms[0]
		at.Values = nil
		for _, r := range b.rows {
			v, w := r[0], r[1]
			if v == nil {
				v, w = w, nil
			}
			for k, x := range v.Args {
				if w != nil {
					v.Args[k] = one(b, x, w.Args[k])
				} else {
					v.Args[k] = g.of(x)
				}
			}
			v.Block = at
			at.Values = append(at.Values, v)
			switch {
			case w == nil:
				unmatched++
			case v.Op == kernel.Load:
				loads++
			case v.Op == kernel.Store:
				stores++
			default:
				ops++
			}
			if w != nil && !isPure(v) {
				v.Align = min(v.Align, w.Align)
			}
		}
		if at.Kind == kernel.Branch {
			at.Cond = one(b, at.Cond, b.arms[1].Cond)
			m.divergent[at] = m.divergent[at] || m.divergent[b.arms[1]]
		}
		m.joins[at] = m.joins[at] || m.joins[b.arms[1]]
		m.gone[b.arms[1]] = true
	}
	g.eachEdge(func(from *blockPair, x, y *kernel.Edge) {
		if g.bare[x.To] {
			x.To.Params, x.Args = nil, nil
		}
		for i, p := range x.Args {
			x.Args[i] = one(from, p, y.Args[i])
		}
		if g.mate[x.To] == nil {
			m.preds[y.To]--
		}
	})
	for v := range g.mixed {
		m.setForm(v, form{vector: true})
	}
	m.opened = m.opened || len(g.bare) > 0 || len(g.made) > 0
	for _, e := range g.made {
		m.below[e.from] = append(m.below[e.from], e.block)
		m.gone[e.block] = m.gone[e.block] || g.second[e.block]
	}
	e := g.a.Edges[0]
	g.a.Jump(e.To, e.Args...)
	m.divergent[g.a] = false
	m.st.Add("branches melded", 1)
	m.st.Add("branches melded away", 1)
	m.st.Add("blocks melded", len(g.blocks))
	m.st.Add("loads melded", loads)
	m.st.Add("stores melded", stores)
	m.st.Add("operations melded", ops)
	m.st.Add("unmatched operations of one arm", unmatched)
	m.st.Add("operands selected for melding", len(made))
	more := ""
	if unmatched > 0 {
		more = fmt.Sprintf(", and %s of one side only", diag.Count(unmatched, "operation"))
	}
	m.f.Note(g.a.Pos, "melded", fmt.Sprintf("for the lanes of both sides: %s with %s are run once, on %s%s",
		diag.Count(len(g.blocks), "block"), diag.Count(loads+stores+ops, "operation"), diag.Count(len(made), "selected operand"), more))
}
