// Package equalities makes operations uniform in regions whose active lanes hold the same
// value of a varying variable.
package equalities

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxOperations limits the operations that are computed again for one address or condition.
const maxOperations = 16

// equality is the fact that x has the value of k.
type equality struct {
	x, k     *kernel.Value
	from, to int // an edge: it holds in the blocks that the edge dominates
}

// Use computes addresses and conditions from k instead of x where a divergent branch has
// found x == k for a uniform k, if they are then uniform: in
//
//	if (x == k) for (int j = 0; j < x; j++) sum += table[x * 16 + j];
//
// all active lanes load the same element and run the same number of iterations. Linearizers
// then execute these loads and branches once, in scalar registers ("masked uniform execution").
// The operations in between are computed again, as they may have other users.
//
// divergent is indexed by block ID and uniform by value ID. Use extends uniform by new values
// and reports whether it changed f.
//
// requires: LCSSA, dense IDs; maintains: LCSSA, the control-flow graph, what f computes
func Use(f *kernel.Func, divergent, uniform []bool, st opt.Stats) bool {
	u := &user{f: f, st: st, uniform: uniform}
	for i, b := range f.Blocks {
		if divergent[i] && b.Kind == kernel.Branch && b.Edges[0].To != b.Edges[1].To {
			for k, e := range b.Edges {
				u.find(b.Cond, k == 0, equality{from: i, to: e.To.ID})
			}
		}
	}
	if len(u.facts) == 0 {
		return false
	}
	g := f.Graph()
	u.dom, u.loops = cfg.Dominators(g), cfg.Cycles(g)
	// The edge dominates its target if all other edges to it are back edges.
	u.facts = slices.DeleteFunc(u.facts, func(q equality) bool {
		return slices.ContainsFunc(g.Preds[q.to], func(p int) bool { return p != q.from && !u.dom.Dominates(q.to, p) })
	})
	for _, id := range g.ReversePostOrder() {
		u.block(f.Blocks[id])
	}
	if u.n == 0 {
		return false
	}
	st.Add("made uniform by equalities", u.n)
	opt.RemoveDead(f, nil)
	f.Renumber()
	return true
}

type user struct {
	f       *kernel.Func
	st      opt.Stats
	uniform []bool // by value ID
	facts   []equality
	dom     *cfg.DomTree
	loops   *cfg.CycleForest
	n       int

	// In one block:
	at   *kernel.Block
	is   map[*kernel.Value]*kernel.Value // replacements, from equalities and computed again
	made []*kernel.Value
}

// find records the equalities that hold on an edge if cond has the given value there.
func (u *user) find(cond *kernel.Value, value bool, on equality) {
	switch {
	case cond.Op == alu.And && value, cond.Op == alu.Or && !value:
		u.find(cond.Args[0], value, on)
		u.find(cond.Args[1], value, on)
	case cond.Op == alu.Xor && cond.Args[1].Op == kernel.Const && cond.Args[1].Const == 1:
		u.find(cond.Args[0], !value, on)
	case (cond.Op == alu.Eq && value || cond.Op == alu.Ne && !value) && cond.Args[0].Type.IsInt():
		for i, x := range cond.Args {
			if k := cond.Args[1-i]; u.isUniform(k) && !u.isUniform(x) {
				u.facts = append(u.facts, equality{x, k, on.from, on.to})
			}
		}
	}
}

func (u *user) isUniform(v *kernel.Value) bool {
	return v.Op == kernel.Const || v.ID < len(u.uniform) && u.uniform[v.ID]
}

// block makes the addresses and the condition in a block uniform.
func (u *user) block(b *kernel.Block) {
	u.at, u.is = b, nil
	for _, q := range u.facts {
		if u.dom.Dominates(q.to, b.ID) && u.inLoopOf(q.k, b) {
			if u.is == nil {
				u.is = map[*kernel.Value]*kernel.Value{}
			}
			u.is[q.x] = q.k
		}
	}
	if u.is == nil {
		return
	}
	var values []*kernel.Value
	again := func(v *kernel.Value, pos diag.Pos) *kernel.Value {
		if u.isUniform(v) {
			return v
		}
		u.made = u.made[:0]
		same := u.compute(v)
		if same == nil {
			for _, x := range u.made {
				delete(u.is, x)
			}
			return v
		}
		for _, x := range u.made {
			u.is[x].Pos = pos // in this block, for profiles
			values = append(values, u.is[x])
		}
		u.n++
		return same
	}
	for _, v := range b.Values {
		if (v.Op == kernel.Load || v.Op == kernel.Store) && v.Args[0].Type != alu.PtrPrivate {
			v.Args[0] = again(v.Args[0], v.Pos)
			if v.Op == kernel.Load && u.isUniform(v.Args[0]) {
				u.mark(v) // unless a store interferes; then only operations are repeated
			}
		}
		values = append(values, v)
	}
	if len(b.Edges) > 1 {
		b.Cond = again(b.Cond, b.Pos)
	}
	b.Values = values
}

// inLoopOf reports whether b is in every loop that contains the definition of v, where v may
// be used.
func (u *user) inLoopOf(v *kernel.Value, b *kernel.Block) bool {
	if v.Block == nil {
		return true
	}
	c := u.loops.InnermostCycle(v.Block.ID)
	return c == nil || u.loops.Contains(c, b.ID)
}

// compute returns a uniform value that is equal to v in the block, nil if there is none. It
// makes the operations on which v depends again, and lists the originals in made.
func (u *user) compute(v *kernel.Value) *kernel.Value {
	switch {
	case u.is[v] != nil:
		return u.is[v]
	case u.isUniform(v):
		return v
	case !v.Op.Pure() && v.Op != kernel.PtrAdd || kernel.Convergent(v.Op) || len(u.made) >= maxOperations:
		return nil
	}
	args := make([]*kernel.Value, len(v.Args))
	for i, x := range v.Args {
		if args[i] = u.compute(x); args[i] == nil {
			return nil
		}
	}
	same := u.at.NewLike(v, args...)
	u.mark(same)
	u.is[v] = same
	u.made = append(u.made, v)
	return same
}

// mark records that a value is uniform.
func (u *user) mark(v *kernel.Value) {
	for v.ID >= len(u.uniform) {
		u.uniform = append(u.uniform, false)
	}
	u.uniform[v.ID] = true
}
