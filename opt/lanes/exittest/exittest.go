// Package exittest evaluates post-loop comparisons at the loop's exits.
//
//	while (j < m && s[j] == t[j])    while (true)
//	    j++;                             if (!(j < m)) { all = j == m; break; }
//	all = j == m;                        if (s[j] != t[j]) { all = false; break; }
//	                                     j++;
//
// When lanes exit a loop in different iterations, each must keep the values that it exits
// with. If such a value is only compared after the loop, and an exit decides the comparison,
// its result is kept instead; if that is a constant on all divergent exits, nothing is kept
// (see the pass liveouts of package vir/opt). Jump threading does the same for branches.
package exittest

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxBranches limits the dominating branches of an exit that are inspected.
const maxBranches = 8

// Move returns a version of f in which comparisons that divergent exits of a loop decide,
// according to info, are made at its exits. It returns f if there are none. Exits that leave
// a comparison undecided must be uniform.
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
					e = splitExit(made, e)
					in[exit.ID][i] = e
				}
				e.Edge().Args = append(e.Edge().Args, copyCompare(v, made.Value(t.left.ID), e))
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
	st.Add("comparisons moved to loop exits", len(m.tests))
	return made
}

// splitExit splits an exit edge, so that the new comparison is outside of the loop.
func splitExit(f *kernel.Func, e opt.InEdge) opt.InEdge {
	b := f.NewBlock("left")
	b.Pos = e.From.Pos
	b.Jump(e.Edge().To, e.Edge().Args...)
	*e.Edge() = kernel.Edge{To: b}
	return opt.InEdge{From: b, N: 0}
}

// copyCompare appends the comparison v with the argument that e passes for left.
func copyCompare(v, left *kernel.Value, e opt.InEdge) *kernel.Value {
	made := e.From.AppendLike(v, v.Args...)
	for i, a := range made.Args {
		if a == left {
			made.Args[i] = e.Edge().Args[left.Index]
		}
	}
	return made
}

// test is a comparison of a live-out value, a parameter of the block after the loop, and its
// outcome on each edge to that block.
type test struct {
	compare, left *kernel.Value
	outcomes      []outcome
}

type outcome int

// The outcome of a comparison is 0, 1 or unknown.
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
	exits := map[*kernel.Value]*cfg.Cycle{} // live-out integers of divergent loops
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

// exitOf returns the loop that all edges to b exit, if one of these exits is divergent.
func (m *mover) exitOf(b *kernel.Block) (all *cfg.Cycle) {
	if len(m.in[b.ID]) < 2 {
		return nil
	}
	divergent := false
	for _, e := range m.in[b.ID] {
		c := m.loops.InnermostCycle(e.From.ID)
		if c == nil || m.loops.Contains(c, b.ID) || all != nil && all != c {
			return nil
		}
		all, divergent = c, divergent || m.info.Divergent[e.From.ID]
	}
	if !divergent {
		return nil
	}
	return all
}

// testsOf returns the uses of p as tests, or nil if they are not all suitable comparisons.
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

// outcome returns the result of the comparison v of p on e, as far as earlier branches imply it.
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
	for range maxBranches {
		if b := e.From; b.Kind == kernel.Branch && b.Edges[0].To != b.Edges[1].To {
			have = have.And(implied(b.Cond, e.N == 0, x, y))
		}
		if len(m.in[e.From.ID]) != 1 {
			break
		}
		e = m.in[e.From.ID][0]
	}
	wanted, _ := alu.OrderOf(v.Op)
	switch holds, known := have.Decides(wanted); {
	case !known:
		return unknown
	case holds:
		return 1
	}
	return 0
}

// implied returns the order of x and y that the condition c with the given result implies.
func implied(c *kernel.Value, truth bool, x, y *kernel.Value) alu.Order {
	switch {
	case c.Op == alu.And && truth, c.Op == alu.Or && !truth:
		return implied(c.Args[0], truth, x, y).And(implied(c.Args[1], truth, x, y))
	case c.Op == alu.Xor && c.Args[1].Op == kernel.Const:
		return implied(c.Args[0], truth != (c.Args[1].Const&1 != 0), x, y)
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
