// Package meld has the pass that does what both arms of a divergent branch do
// once for the lanes of both.
package meld

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Lanes is what Arms is told about the lanes that run a kernel together.
type Lanes struct {
	// Divergent tells, by block ID, whether lanes that end the block together
	// may leave it by different edges.
	Divergent []bool

	// Joins tells, by block ID, whether lanes that parted at a divergent branch
	// may come to the block by different edges.
	Joins []bool

	// Stride tells whether lane l holds lane 0's value of v plus l*step, with
	// step 0 for values that all lanes share. A nil Stride says that of none.
	Stride func(v *kernel.Value) (step int64, ok bool)
}

// maxArm bounds the operations of an arm that Arms takes, and so the time of a
// branch: what it aligns is quadratic in the memory accesses and expensive
// operations of the arms, the rest linear.
const maxArm = 256

// Arms melds the arms of divergent branches (Saumya, Sundararajah & Kulkarni,
// "DARM: Control-Flow Melding for SIMT Thread Divergence Reduction", CGO 2022; for
// operations that are the same, "unmasking instructions with complementing
// masks"). Linearized, both arms run anyway, one after the other under masks that
// complement each other; what is melded runs under the mask of the branch.
//
//   - What both arms compute or load alike, from values known above the branch,
//     moves above it.
//   - Accesses to memory and expensive operations that differ in operands are
//     aligned; one operation on selected operands replaces a pair. Cheap
//     operations meld where a pair's operands or a parameter of the block below
//     ask for it, if that takes fewer selects.
//   - Stores that blocks above a join end with become one below them, see sink.go.
//   - Arms with the same control flow of their own become one, see region.go.
//   - Accesses of one arm keep their order and run in blocks that the same
//     condition guards; other operations run for all lanes if something melded
//     needs them. Where nothing is left in the arms, the branch is gone.
//
// Costs decide, see cost.go: two gathers become one, two accesses to
// consecutive addresses do not become a gather. A branch is left alone unless
// the operations come out cheaper by a quarter of what would run for lanes that
// do not need it.
//
// It reports whether it changed f.
//
// requires: canonical loops, LCSSA, one return, dense IDs; maintains: all of them
func Arms(f *kernel.Func, lanes Lanes, st opt.Stats) bool {
	order := f.Graph().ReversePostOrder()
	m := &melder{
		f: f, st: st, r: opt.NewReplacer(f), loops: cfg.Cycles(f.Graph()), divergent: map[*kernel.Block]bool{},
		joins: map[*kernel.Block]bool{}, preds: map[*kernel.Block]int{}, below: map[*kernel.Block][]*kernel.Block{}, gone: map[*kernel.Block]bool{},
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
	// Inner branches come before those around them, which may then have arms
	// of one block.
	for _, id := range slices.Backward(order) {
		if b := f.Blocks[id]; !m.gone[b] && m.divergent[b] && b.Kind == kernel.Branch {
			if b.Edges[0].Rare || b.Edges[1].Rare {
				continue // whoever goes the other way would pay for it
			}
			m.branch(b)
			if b.Kind == kernel.Branch && m.divergent[b] {
				m.meldRegions(b)
			}
		}
	}
	if m.changed {
		m.placeBlocks()
		m.r.Apply(f)
	}
	m.sink()
	if !m.changed {
		f.Renumber() // plans that were dropped made values
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

// melder is the state of Arms. Block and value IDs stay what they were until
// it is done; new blocks have none.
type melder struct {
	f         *kernel.Func
	st        opt.Stats
	r         *opt.Replacer // of what moved and of parameters of blocks that were joined with others
	loops     *cfg.CycleForest
	forms     []form // by value ID
	divergent map[*kernel.Block]bool
	joins     map[*kernel.Block]bool
	preds     map[*kernel.Block]int
	in        map[*kernel.Block][]opt.InEdge    // once branches are done
	below     map[*kernel.Block][]*kernel.Block // new blocks, to stand after others
	above     map[*kernel.Block][]*kernel.Block // and before others
	gone      map[*kernel.Block]bool
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

// branch handles the branch of a.
func (m *melder) branch(a *kernel.Block) {
	arms := [2]*kernel.Block{a.Edges[0].To, a.Edges[1].To}
	for _, b := range arms {
		if m.preds[b] != 1 || len(b.Params) > 0 ||
			m.loops.InnermostCycle(b.ID) != m.loops.InnermostCycle(a.ID) {
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

// straighten joins an arm with the blocks that only it leads to, up to the
// bound.
func (m *melder) straighten(b *kernel.Block) {
	for b.Kind == kernel.Jump {
		to := b.Edges[0].To
		if to == b || len(b.Values)+len(to.Values) > maxArm || m.preds[to] != 1 || m.loops.InnermostCycle(to.ID) != m.loops.InnermostCycle(b.ID) {
			return
		}
		m.join(b, to)
		m.changed = true
	}
}

// hoist moves what both arms compute or load alike to the end of a.
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
		// Equal operands come from above, or have been moved there.
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

// spaces are the address spaces that have been written to.
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

// touches reports whether a load may read what was written.
func (s *spaces) touches(v *kernel.Value) bool {
	t := v.Args[0].Type
	return s.any && (s.of[t] || s.of[alu.PtrGeneric] || t == alu.PtrGeneric)
}

// placeBlocks puts new blocks where they are reached in the text and drops
// those that are gone.
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
