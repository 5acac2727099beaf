// Package meld merges operations that both arms of a divergent branch perform, so that they
// run once for the lanes of both.
package meld

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Lanes describes the lanes to Arms.
type Lanes struct {
	// Divergent is indexed by block ID: lanes that end the block together may leave it
	// through different edges.
	Divergent []bool

	// Joins is indexed by block ID: lanes that diverged at a branch may enter the block
	// through different edges.
	Joins []bool

	// Stride returns the step of v if lane l holds lane 0's value plus l*step; it is 0 for
	// uniform values. If Stride is nil, all values vary.
	Stride func(v *kernel.Value) (step int64, ok bool)

	// NoAlias means that buffers of different arguments do not overlap.
	NoAlias bool
}

// maxArm limits the operations of an arm, and so the time per branch: alignment is quadratic
// in the memory accesses and expensive operations, the rest is linear.
const maxArm = 256

// Arms melds the arms of divergent branches (Saumya, Sundararajah & Kulkarni,
// "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction", CGO 2022; for
// equal operations, "unmasking instructions with complementing masks"). After
// linearization both arms run anyway, one after the other under complementary masks;
// melded operations run under the mask of the branch.
//
//   - Operations and loads that both arms perform on the same operands, available at the
//     branch, move above it.
//   - Accesses to memory and expensive operations with different operands are aligned; one
//     operation on selected operands replaces a pair. Cheap operations meld if they are
//     operands of a pair, or parameters of the block below, and that takes fewer selects.
//   - Stores at the ends of several predecessors of a join become one in it, see sink.go.
//   - Arms with isomorphic control flow become one, see region.go.
//   - Arms that are not the two sides of one branch get a branch of their own: cases of a
//     switch (regroup.go), and a later branch on the opposite condition (reunite.go).
//   - Accesses of one arm keep their order and run in blocks guarded by the original
//     condition; other operations run for all lanes if a melded operation needs them. If
//     both arms end up empty, the branch is removed.
//
// A cost model decides, see cost.go: two gathers become one, but two contiguous accesses do
// not become a gather. A branch is left alone unless the gain is at least a quarter of the
// cost of operations that run for lanes which do not need them.
//
// It reports whether it changed f.
//
// requires: canonical loops, LCSSA, one return, dense IDs; maintains: all of them
func Arms(f *kernel.Func, lanes Lanes, st opt.Stats) bool {
	order := f.Graph().ReversePostOrder()
	m := &melder{
		f: f, st: st, r: opt.NewReplacer(f), loops: cfg.Cycles(f.Graph()), divergent: map[*kernel.Block]bool{},
		joins: map[*kernel.Block]bool{}, preds: map[*kernel.Block]int{}, below: map[*kernel.Block][]*kernel.Block{}, gone: map[*kernel.Block]bool{},
		homes: map[*kernel.Block]*cfg.Cycle{}, noAlias: lanes.NoAlias,
	}
	for _, b := range f.Blocks {
		m.divergent[b] = b.ID < len(lanes.Divergent) && lanes.Divergent[b.ID]
		m.joins[b] = b.ID < len(lanes.Joins) && lanes.Joins[b.ID]
		for _, e := range b.Edges {
			m.preds[e.To]++
		}
	}
	m.forms = make([]form, f.NumValues())
	for i := range m.forms {
		m.forms[i].vector = true
	}
	for _, b := range f.Blocks {
		for _, vs := range [][]*kernel.Value{b.Params, b.Values} {
			for _, v := range vs {
				if lanes.Stride == nil {
					continue
				}
				if step, ok := lanes.Stride(v); ok {
					m.forms[v.ID] = form{step: step}
				}
			}
		}
	}
	// Inner branches come before outer ones, whose arms may become single blocks.
	for _, id := range slices.Backward(order) {
		if b := f.Blocks[id]; !m.gone[b] && m.divergent[b] && b.Kind == kernel.Branch {
			if b.Edges[0].Rare || b.Edges[1].Rare {
				continue // the common side would pay for the rare one
			}
			m.reunite(b)
			m.branch(b)
			if b.Kind == kernel.Branch && m.divergent[b] {
				m.meldRegions(b)
			}
			m.regroup(b)
		}
	}
	if m.changed {
		m.placeBlocks()
		m.r.Apply(f)
	}
	m.sink()
	if !m.changed {
		f.Renumber() // rejected plans have made values
		return false
	}
	opt.JoinBlocks(f)
	opt.PlaceComponents(f)
	opt.RemoveDead(f, nil) // renumbers
	if m.opened {
		opt.LCSSA(f, nil)
	}
	return true
}

// melder is the state of Arms. Block and value IDs stay unchanged until it is done; new
// blocks have none.
type melder struct {
	f         *kernel.Func
	st        opt.Stats
	r         *opt.Replacer // of hoisted values and of parameters of joined blocks
	loops     *cfg.CycleForest
	forms     []form // by value ID
	divergent map[*kernel.Block]bool
	joins     map[*kernel.Block]bool
	preds     map[*kernel.Block]int
	in        map[*kernel.Block][]opt.InEdge    // set after branches are done
	below     map[*kernel.Block][]*kernel.Block // new blocks to place after a block
	above     map[*kernel.Block][]*kernel.Block // new blocks to place before a block
	gone      map[*kernel.Block]bool
	homes     map[*kernel.Block]*cfg.Cycle // of blocks made for regrouped arms
	noAlias   bool
	changed   bool
	opened    bool // LCSSA no longer holds
}

func (m *melder) form(v *kernel.Value) form {
	switch {
	case v.Op == kernel.Const:
		return form{}
	case v.ID < len(m.forms):
		return m.forms[v.ID]
	}
	return form{vector: true}
}

func (m *melder) setForm(v *kernel.Value, f form) {
	for v.ID >= len(m.forms) {
		m.forms = append(m.forms, form{vector: true})
	}
	m.forms[v.ID] = f
}

// branch melds the arms of a's branch.
func (m *melder) branch(a *kernel.Block) {
	arms := [2]*kernel.Block{a.Edges[0].To, a.Edges[1].To}
	for _, b := range arms {
		if m.preds[b] != 1 || len(b.Params) > 0 ||
			m.cycle(b) != m.cycle(a) {
			return
		}
	}
	if arms[0] == arms[1] || m.r.Find(a.Cond).Op == kernel.Const {
		return
	}
	for _, b := range arms {
		m.straighten(b)
		for _, v := range b.Values {
			m.r.Args(v)
		}
	}
	a.Cond = m.r.Find(a.Cond)
	m.hoist(a, arms)
	for _, b := range arms {
		for _, e := range b.Edges {
			for i, x := range e.Args {
				e.Args[i] = m.r.Find(x)
			}
		}
	}
	j := arms[0].Edges
	if arms[0].Kind != kernel.Jump || arms[1].Kind != kernel.Jump || j[0].To != arms[1].Edges[0].To || j[0].To == a {
		return
	}
	if slices.ContainsFunc(slices.Concat(arms[0].Values, arms[1].Values), func(v *kernel.Value) bool { return kernel.Convergent(v.Op) }) {
		return
	}
	if len(arms[0].Values) > maxArm || len(arms[1].Values) > maxArm || len(j[0].Args) > maxArm {
		return
	}
	if p := newMeldPlan(m, a, arms); p.make() {
		p.commit()
		m.changed = true
	}
}

// straighten joins an arm with blocks of which it is the only predecessor, up to maxArm.
func (m *melder) straighten(b *kernel.Block) {
	for b.Kind == kernel.Jump {
		to := b.Edges[0].To
		if to == b || len(b.Values)+len(to.Values) > maxArm || m.preds[to] != 1 || m.cycle(to) != m.cycle(b) {
			return
		}
		m.join(b, to)
		m.changed = true
	}
}

// hoist moves operations that both arms perform on the same operands to the end of a.
func (m *melder) hoist(a *kernel.Block, arms [2]*kernel.Block) {
	known := map[opt.Key]*kernel.Value{}
	var written spaces
	eligible := func(v *kernel.Value) bool {
		switch kernel.InfoOf(v.Op).Effect {
		case kernel.Writes:
			written.add(v)
			return false
		case kernel.Reads:
			return !v.Volatile && !written.touches(v)
		}
		return v.Op != kernel.Alloca
	}
	hoistKey := func(v *kernel.Value) opt.Key {
		k := opt.KeyOf(v)
		k.Align = 0
		return k
	}
	for _, v := range arms[0].Values {
		if eligible(v) {
			if k := hoistKey(v); known[k] == nil {
				known[k] = v
			}
		}
	}
	written = spaces{}
	moved, replaced := map[*kernel.Value]bool{}, map[*kernel.Value]bool{}
	for _, v := range arms[1].Values {
		m.r.Args(v)
		if !eligible(v) {
			continue
		}
		same := known[hoistKey(v)]
		if same == nil {
			continue
		}
		// Equal operands are defined above, or have been moved there.
		if !moved[same] {
			moved[same] = true
			a.Values = append(a.Values, same)
			same.Block = a
			if v.Op == kernel.Load {
				m.st.Add("loads hoisted from both arms", 1)
			} else {
				m.st.Add("operations hoisted from both arms", 1)
			}
		}
		if v.Op == kernel.Load {
			same.Align = min(same.Align, v.Align)
		}
		m.r.Set(v, same)
		replaced[v] = true
	}
	if len(replaced) == 0 {
		return
	}
	m.changed = true
	arms[0].Values = slices.DeleteFunc(arms[0].Values, func(v *kernel.Value) bool { return moved[v] })
	arms[1].Values = slices.DeleteFunc(arms[1].Values, func(v *kernel.Value) bool { return replaced[v] })
}

// spaces is a set of address spaces that were written.
type spaces struct {
	of  [alu.NumTypes]bool
	any bool
}

func (s *spaces) add(v *kernel.Value) {
	s.any = true
	if v.Op != kernel.Store {
		s.of[alu.PtrGeneric] = true
		return
	}
	s.of[v.Args[0].Type] = true
}

// touches reports whether a load may read written memory.
func (s *spaces) touches(v *kernel.Value) bool {
	t := v.Args[0].Type
	return s.any && (s.of[t] || s.of[alu.PtrGeneric] || t == alu.PtrGeneric)
}

// placeBlocks inserts new blocks at their places and drops those that are gone.
func (m *melder) placeBlocks() {
	blocks := make([]*kernel.Block, 0, len(m.f.Blocks))
	var add func(b *kernel.Block)
	add = func(b *kernel.Block) {
		for _, n := range m.above[b] {
			add(n)
		}
		if !m.gone[b] {
			blocks = append(blocks, b)
		}
		for _, n := range m.below[b] {
			add(n)
		}
	}
	for _, b := range m.f.Blocks {
		add(b)
	}
	m.f.Blocks, m.below, m.above = blocks, nil, nil
	for i, b := range blocks {
		b.ID = i
	}
}
