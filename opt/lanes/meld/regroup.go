package meld

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// maxLeaves limits the arms of a tree of branches: all pairs of them are compared.
const maxLeaves = 12

// literal is a condition and the value that it has on a path.
type literal struct {
	cond  *kernel.Value
	sense bool
}

// leaf is an arm of a tree of branches: one block that jumps to the block below.
type leaf struct {
	from  *kernel.Block // its predecessor
	block *kernel.Block
	path  []literal // from the root of the tree
}

// tree is a tree of divergent branches whose blocks, other than the root, only compute its
// conditions: the comparisons of a switch, or if and else if.
type tree struct {
	m      *melder
	root   *kernel.Block
	inner  []*kernel.Block // without the root
	leaves []leaf
	cost   int // of the operations of inner blocks
}

// regroup melds two arms of the tree of branches below root that are not the two sides of one
// branch: three of the four cases of a switch, or the arms of if and else if without an
// else. A new branch on the disjunction of their paths selects the two arms before the rest
// of the tree, and another one between them, which melds.
func (m *melder) regroup(root *kernel.Block) {
	for {
		t := &tree{m: m, root: root}
		if !t.collect(root, nil) || len(t.leaves) < 2 {
			return
		}
		x, y, ok := t.best()
		if !ok {
			return
		}
		t.meld(x, y)
	}
}

// cycle returns the innermost cycle of a block.
func (m *melder) cycle(b *kernel.Block) *cfg.Cycle {
	if b.ID < 0 {
		return m.homes[b]
	}
	return m.loops.InnermostCycle(b.ID)
}

// known reports whether the cycle of b is known. Blocks that melding made are in the cycle of
// their branch.
func (m *melder) known(b *kernel.Block) bool {
	_, ok := m.homes[b]
	return b.ID >= 0 || ok
}

// collect adds the tree below b, which path leads to. It fails if an edge leaves the loop.
func (t *tree) collect(b *kernel.Block, path []literal) bool {
	m := t.m
	if b.Kind != kernel.Branch || !m.divergent[b] || b.Edges[0].To == b.Edges[1].To || len(t.leaves) > maxLeaves {
		return false
	}
	home := m.cycle(t.root)
	b.Cond = m.r.Find(b.Cond)
	if b.Cond.Op == kernel.Const {
		return false
	}
	for i := range b.Edges {
		e := &b.Edges[i]
		to := e.To
		if e.Rare || m.known(to) && (m.cycle(to) != home || home != nil && to.ID == home.Header) {
			return false
		}
		at := append(slices.Clone(path), literal{b.Cond, i == 0})
		if !m.known(to) || m.preds[to] != 1 || len(to.Params) > 0 {
			continue
		}
		switch {
		case to.Kind == kernel.Jump && len(to.Values) <= maxArm && to.Edges[0].To != t.root && !slices.ContainsFunc(to.Values, func(v *kernel.Value) bool { return kernel.Convergent(v.Op) }):
			t.leaves = append(t.leaves, leaf{b, to, at})
		case to.Kind == kernel.Branch && m.divergent[to] && t.computes(to):
			t.inner = append(t.inner, to)
			if !t.collect(to, at) {
				return false
			}
		}
	}
	return len(t.leaves) <= maxLeaves
}

// computes reports whether a block has only pure operations, which may run above it, and
// prices them.
func (t *tree) computes(b *kernel.Block) bool {
	cost := 0
	for _, v := range b.Values {
		if !isPure(v) || kernel.Convergent(v.Op) || v.Op == kernel.Alloca {
			return false
		}
		cost += pureCost(v, true)
	}
	t.cost += cost
	return cost < anchorCost
}

// best returns the pair of arms whose melding gains most.
func (t *tree) best() (x, y leaf, ok bool) {
	most := 0
	for i, l := range t.leaves {
		for _, v := range l.block.Values {
			t.m.r.Args(v)
		}
		for k, a := range l.block.Edges[0].Args {
			l.block.Edges[0].Args[k] = t.m.r.Find(a)
		}
		for _, k := range t.leaves[:i] {
			if k.from == l.from || k.block.Edges[0].To != l.block.Edges[0].To {
				continue // the sides of one branch are melded already if that pays
			}
			p := t.m.apart(t.root, k.path[fork(k.path, l.path)].cond, k.block, l.block)
			if p == nil || p.stores > 0 && (p.tail || len(p.sections) > 1) {
				continue // sink merges stores without further branches
			}
			gain := p.before() - p.cost - t.cost/4 - selectCost(alu.I1, false)
			if gain > most {
				most, x, y, ok = gain, k, l, true
			}
		}
	}
	return x, y, ok
}

// apart returns a plan that pays for the arms x and y of a branch on cond which does not exist
// yet, or nil.
func (m *melder) apart(like *kernel.Block, cond *kernel.Value, x, y *kernel.Block) *meldPlan {
	at := &kernel.Block{ID: -1, Name: "both", Func: m.f, Pos: like.Pos}
	at.Branch(cond, kernel.Edge{To: x}, kernel.Edge{To: y})
	p := newMeldPlan(m, at, [2]*kernel.Block{x, y})
	if !p.make() {
		return nil
	}
	return p
}

// fork returns the length of the common start of two paths. The literals there are opposite.
func fork(p, q []literal) int {
	n := 0
	for p[n] == q[n] {
		n++
	}
	return n
}

// meld gives x and y a branch of their own and melds them.
func (t *tree) meld(x, y leaf) {
	m, root := t.m, t.root
	for _, b := range t.inner {
		for _, v := range b.Values {
			m.r.Args(v)
			v.Block = root
		}
		root.Values = append(root.Values, b.Values...)
		b.Values = nil
	}
	n := fork(x.path, y.path)
	if !x.path[n].sense {
		x, y = y, x
	}
	cond := x.path[n].cond
	// The lanes of both: those on the common path that continue to x or to y.
	either := t.either(cond, t.all(x.path[n+1:]), t.all(y.path[n+1:]))
	if common := t.all(x.path[:n]); common != nil && either != nil {
		either = t.bit(alu.And, common, either)
	} else if either == nil {
		either = common
	}

	both := &kernel.Block{ID: -1, Name: "both", Func: m.f, Pos: root.Pos}
	both.Branch(cond, kernel.Edge{To: x.block}, kernel.Edge{To: y.block})
	rest := &kernel.Block{ID: -1, Name: "rest", Func: m.f, Pos: root.Pos}
	rest.Branch(root.Cond, root.Edges[0], root.Edges[1])
	for _, l := range []*leaf{&x, &y} {
		if l.from == root {
			l.from = rest
		}
	}
	home := m.cycle(root)
	for _, b := range []*kernel.Block{both, rest} {
		m.homes[b], m.preds[b], m.divergent[b] = home, 1, true
	}
	m.below[root] = append(m.below[root], both, rest)
	root.Branch(either, kernel.Edge{To: both}, kernel.Edge{To: rest})
	m.divergent[root] = true
	m.remove(x)
	if m.gone[y.from] {
		y.from = x.from
	}
	m.remove(y)
	m.changed = true
	m.st.Add("arms regrouped for melding", 1)

	arms := [2]*kernel.Block{x.block, y.block}
	m.hoist(both, arms)
	for _, b := range arms {
		for i, a := range b.Edges[0].Args {
			b.Edges[0].Args[i] = m.r.Find(a)
		}
	}
	if p := newMeldPlan(m, both, arms); p.make() {
		p.commit()
	}
}

// remove makes the branch to a leaf a jump to its other side, and joins that if it has no other
// predecessor.
func (m *melder) remove(l leaf) {
	b := l.from
	other := b.Edges[0]
	if b.Edges[0].To == l.block {
		other = b.Edges[1]
	}
	b.Jump(other.To, other.Args...)
	m.divergent[b] = false
	if to := other.To; m.preds[to] == 1 && len(to.Params) == len(other.Args) {
		m.join(b, to)
	}
}

// all returns the conjunction of the literals of a path, nil if there are none.
func (t *tree) all(path []literal) *kernel.Value {
	var all *kernel.Value
	for _, l := range path {
		c := l.cond
		if !l.sense {
			c = t.bit(alu.Xor, c, t.m.f.Const(alu.I1, 1))
		}
		if all == nil {
			all = c
		} else {
			all = t.bit(alu.And, all, c)
		}
	}
	return all
}

// either returns the condition of x if cond holds and of y otherwise; nil is true.
func (t *tree) either(cond, x, y *kernel.Value) *kernel.Value {
	not := func() *kernel.Value { return t.bit(alu.Xor, cond, t.m.f.Const(alu.I1, 1)) }
	switch {
	case x == nil && y == nil:
		return nil
	case x == nil:
		return t.bit(alu.Or, cond, y)
	case y == nil:
		return t.bit(alu.Or, not(), x)
	}
	return t.bit(alu.Or, t.bit(alu.And, cond, x), t.bit(alu.And, not(), y))
}

// bit appends an operation on conditions to the root.
func (t *tree) bit(op kernel.Op, x, y *kernel.Value) *kernel.Value {
	v := t.root.Append(op, alu.I1, x, y)
	v.Pos = t.root.Pos
	return v
}
