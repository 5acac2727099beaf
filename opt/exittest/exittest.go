// Package exittest has the pass that asks where lanes leave a loop what is asked behind it.
//
//	while (j < m && s[j] == t[j])    while (true)
//	    j++;                             if (!(j < m)) { all = j == m; break; }
//	all = j == m;                        if (s[j] != t[j]) { all = false; break; }
//	                                     j++;
//
// Lanes that leave a loop at different times must each keep what they leave with. Where that
// is only compared behind the loop, and the ways by which some leave decide the comparison,
// there are outcomes to keep instead, and if these are the same on all of those ways,
// nothing (see the pass liveouts of package vir/opt). Jump threading looks for the same, but
// for the sake of branches.
package exittest

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// mostLed bounds how many branches that led to an exit are looked at.
const mostLed = 8

// Move returns f with comparisons made where lanes leave loops one by one, as info has it of
// f, if the way that they take decides them; f itself, which stays as it is, where there are
// none. On other ways out all lanes must leave together.
//
// requires: a prepared kernel; maintains: f; the result is prepared
func Move(f *kernel.Func, info *divergence.Info, st opt.Stats) *kernel.Func {
	m := &mover{f: f, info: info, loops: cfg.Cycles(f.Graph())}
	if len(m.loops.Cycles) == 0 {
		return f
	}
	m.dom, m.in = cfg.Dominators(f.Graph()), opt.InEdges(f)
	m.find()
	if len(m.tests) == 0 {
		return f
	}
	made := kernel.Clone(f)
	in := opt.InEdges(made)
	r := opt.NewReplacer(made)
	for _, t := range m.tests {
		v := made.Value(t.compare.ID)
		exit := made.Blocks[t.left.Block.ID]
		p := exit.NewParam(alu.I1, "")
		p.Pos = v.Pos
		r.Set(v, p)
		for i, e := range in[exit.ID] {
			outcome := t.outcomes[i]
			if outcome == unknown {
				if e.From.Kind != kernel.Jump {
					e = wayOut(made, e)
					in[exit.ID][i] = e
				}
				e.Edge().Args = append(e.Edge().Args, again(v, made.Value(t.left.ID), e))
				continue
			}
			e.Edge().Args = append(e.Edge().Args, made.Const(alu.I1, uint64(outcome)))
		}
	}
	r.Apply(made)
	made.Renumber()
	opt.RemoveDead(made, nil)
	for _, pass := range opt.Resize {
		pass.Run(made, nil)
	}
	st.Add("comparisons made where lanes leave", len(m.tests))
	return made
}

// wayOut puts a block on an edge out of a loop: what is asked on the way is no part of it.
func wayOut(f *kernel.Func, e opt.InEdge) opt.InEdge {
	b := f.NewBlock("left")
	b.Pos = e.From.Pos
	b.Jump(e.Edge().To, e.Edge().Args...)
	*e.Edge() = kernel.Edge{To: b}
	return opt.InEdge{From: b, N: 0}
}

// again makes the comparison v of what e passes for left.
func again(v, left *kernel.Value, e opt.InEdge) *kernel.Value {
	made := e.From.AppendLike(v, v.Args...)
	for i, a := range made.Args {
		if a == left {
			made.Args[i] = e.Edge().Args[left.Index]
		}
	}
	return made
}

// test is a comparison of what lanes leave a loop with, a parameter of the block behind it,
// and how it turns out on each edge to there.
type test struct {
	compare, left *kernel.Value
	outcomes      []outcome
}

type outcome int

// A comparison may come out as 0, as 1, or as the way there does not tell.
const unknown outcome = -1

// mover finds the comparisons of a kernel.
type mover struct {
	f     *kernel.Func
	info  *divergence.Info
	loops *cfg.CycleForest
	dom   *cfg.DomTree
	in    [][]opt.InEdge
	tests []test
}

func (m *mover) find() {
	exits := map[*kernel.Value]*cfg.Cycle{} // parameters that lanes bring from a loop, one by one
	for _, b := range m.f.Blocks {
		if c := m.exitOf(b); c != nil {
			for _, p := range b.Params {
				if p.Type.IsInt() {
					exits[p] = c
				}
			}
		}
	}
	if len(exits) == 0 {
		return
	}
	uses := map[*kernel.Value][]*kernel.Value{}
	use := func(x, by *kernel.Value) {
		if exits[x] != nil {
			uses[x] = append(uses[x], by)
		}
	}
	for _, b := range m.f.Blocks {
		for _, v := range b.Values {
			for _, x := range v.Args {
				use(x, v)
			}
		}
		if b.Cond != nil {
			use(b.Cond, nil)
		}
		for _, e := range b.Edges {
			for _, x := range e.Args {
				use(x, nil)
			}
		}
	}
	for _, b := range m.f.Blocks {
		for _, p := range b.Params {
			if c := exits[p]; c != nil {
				m.tests = append(m.tests, m.testsOf(p, c, uses[p])...)
			}
		}
	}
}

// exitOf returns the loop that b is behind, if all ways to b leave it, and lanes go by some of
// them one by one.
func (m *mover) exitOf(b *kernel.Block) (all *cfg.Cycle) {
	if len(m.in[b.ID]) < 2 {
		return nil
	}
	part := false
	for _, e := range m.in[b.ID] {
		c := m.loops.InnermostCycle(e.From.ID)
		if c == nil || m.loops.Contains(c, b.ID) || all != nil && all != c {
			return nil
		}
		all, part = c, part || m.info.Divergent[e.From.ID]
	}
	if !part {
		return nil
	}
	return all
}

// testsOf returns the uses of p, none if they are not all comparisons that are worth it.
func (m *mover) testsOf(p *kernel.Value, c *cfg.Cycle, uses []*kernel.Value) (tests []test) {
	for _, v := range uses {
		if v == nil {
			return nil
		}
		_, ok := alu.OrderOf(v.Op)
		if !ok || v.Args[0] == v.Args[1] {
			return nil
		}
		for _, y := range v.Args {
			if y != p && y.Op != kernel.Const && (m.loops.Contains(c, y.Block.ID) || !m.dom.Dominates(y.Block.ID, c.Header)) {
				return nil
			}
		}
		t := test{compare: v, left: p}
		for _, e := range m.in[p.Block.ID] {
			o := m.outcome(v, p, e)
			if o == unknown && m.info.Divergent[e.From.ID] {
				return nil
			}
			t.outcomes = append(t.outcomes, o)
		}
		tests = append(tests, t)
	}
	return tests
}

// outcome is how the comparison v of p turns out on e, as the branches that led there tell.
func (m *mover) outcome(v, p *kernel.Value, e opt.InEdge) outcome {
	x, y := v.Args[0], v.Args[1]
	if passed := e.Edge().Args[p.Index]; x == p {
		x = passed
	} else {
		y = passed
	}
	have := alu.AnyOrder
	if x == y {
		have, _ = alu.OrderOf(alu.Eq)
	}
	for range mostLed {
		if b := e.From; b.Kind == kernel.Branch && b.Edges[0].To != b.Edges[1].To {
			have = have.And(told(b.Cond, e.N == 0, x, y))
		}
		if len(m.in[e.From.ID]) != 1 {
			break
		}
		e = m.in[e.From.ID][0]
	}
	asked, _ := alu.OrderOf(v.Op)
	switch holds, known := have.Decides(asked); {
	case !known:
		return unknown
	case holds:
		return 1
	}
	return 0
}

// told is what a condition tells of how x and y compare, which came out as truth says.
func told(c *kernel.Value, truth bool, x, y *kernel.Value) alu.Order {
	switch {
	case c.Op == alu.And && truth, c.Op == alu.Or && !truth:
		return told(c.Args[0], truth, x, y).And(told(c.Args[1], truth, x, y))
	case c.Op == alu.Xor && c.Args[1].Op == kernel.Const:
		return told(c.Args[0], truth != (c.Args[1].Const&1 != 0), x, y)
	}
	o, ok := alu.OrderOf(c.Op)
	if !ok {
		return alu.AnyOrder
	}
	if !truth {
		o = o.Without()
	}
	switch a := c.Args; {
	case a[0] == x && a[1] == y:
		return o
	case a[0] == y && a[1] == x:
		return o.Swapped()
	}
	return alu.AnyOrder
}
