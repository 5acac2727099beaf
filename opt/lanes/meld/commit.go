package meld

import (
	"fmt"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// before prices the original arms.
func (p *meldPlan) before() int {
	c := guardCost
	for _, b := range p.arms {
		for _, v := range b.Values {
			c += p.costOf(v)
		}
	}
	for i, x := range p.arms[0].Edges[0].Args {
		if x != p.arms[1].Edges[0].Args[i] {
			c += selectCost(x.Type, false)
		}
	}
	return c
}

// price adds the cost of the plan without block parameters, which param adds.
func (p *meldPlan) price() {
	add := func(vs []*kernel.Value) {
		for _, v := range vs {
			args := p.args[v]
			if isPure(v) {
				p.cost += pureCost(v, p.form(v).vector || len(args) > 0 && p.form(args[0]).vector)
			} else {
				p.cost += accessCostOf(v, p.addressOf(args))
			}
		}
	}
	for _, s := range p.sections {
		add(s.values)
		add(s.guard[0])
		add(s.guard[1])
	}
	p.cost += guardCost * (len(p.sections) - 1)
	if p.tail {
		p.cost += guardCost
		for i, x := range p.result[0] {
			if x != p.result[1][i] {
				p.cost += selectCost(x.Type, false)
			}
		}
	}
}

// commit replaces the arms by the sections of the plan.
func (p *meldPlan) commit() {
	m, at := p.m, p.a
	pos, cond, below := p.a.Pos, p.a.Cond, p.arms[0].Edges[0].To
	var made []*kernel.Block
	for i, s := range p.sections {
		if i > 0 {
			at = s.block
			m.joins[at] = true
			made = append(made, at)
			at.Pos = pos
		}
		p.move(at, s.values)
		var edges [2]kernel.Edge
		switch {
		case i < len(p.sections)-1:
			next := p.sections[i+1].block
			for arm, g := range s.guard {
				edges[arm] = kernel.Edge{To: next, Args: s.out[arm]}
				if len(g) > 0 {
					b := &kernel.Block{ID: -1, Name: p.arms[arm].Name, Func: m.f, Pos: p.arms[arm].Pos}
					p.move(b, g)
					b.Jump(next, s.out[arm]...)
					edges[arm] = kernel.Edge{To: b}
					made = append(made, b)
				}
			}
			at.Branch(cond, edges[0], edges[1])
			m.divergent[at] = true
		case p.tail:
			for arm, g := range s.guard {
				b := p.arms[arm]
				edges[arm] = kernel.Edge{To: below, Args: p.result[arm]}
				b.Values = nil
				if len(g) > 0 {
					p.move(b, g)
					b.Jump(below, p.result[arm]...)
					edges[arm] = kernel.Edge{To: b}
				} else {
					m.gone[b] = true
				}
			}
			at.Branch(cond, edges[0], edges[1])
			m.divergent[at] = true
		default:
			m.gone[p.arms[0]], m.gone[p.arms[1]] = true, true
			at.Jump(below, p.result[0]...)
			m.divergent[at] = false
			m.st.Add("branches melded away", 1)
			m.preds[below]--
		}
	}
	m.below[p.a] = append(made, m.below[p.a]...)
	for v, f := range p.forms {
		m.setForm(v, f)
	}
	m.st.Add("branches melded", 1)
	m.st.Add("loads melded", p.loads)
	m.st.Add("stores melded", p.stores)
	m.st.Add("operations melded", p.ops)
	m.st.Add("operands selected for melding", p.selects)
	m.f.Note(pos, "melded", fmt.Sprintf("for the lanes of both sides: %s, %s and %s are done once, on %s",
		diag.Count(p.loads, "load"), diag.Count(p.stores, "store"), diag.Count(p.ops, "operation"), diag.Count(p.selects, "selected operand")))
}

// move appends operations to a block.
func (p *meldPlan) move(b *kernel.Block, vs []*kernel.Value) {
	b.Values = append(b.Values, vs...)
	for _, v := range vs {
		v.Block = b
		v.Args = p.args[v]
	}
}

// join appends block b to its only predecessor, which jumps to it.
func (m *melder) join(to, b *kernel.Block) {
	for i, x := range b.Params {
		m.r.Set(x, to.Edges[0].Args[i])
	}
	for _, v := range b.Values {
		v.Block = to
	}
	to.Values = append(to.Values, b.Values...)
	to.Kind, to.Cond, to.Cases, to.Edges, to.Pos = b.Kind, b.Cond, b.Cases, b.Edges, b.Pos
	m.divergent[to] = m.divergent[b]
	m.gone[b] = true
}
