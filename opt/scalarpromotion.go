package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// maxPromoted limits the locations that one loop promotes.
const maxPromoted = 4

// ScalarPromotion keeps a location of global or local memory in a register during a loop, if
// the loop loads it and stores to no other location that may be the same. It is loaded
// once before the loop and stored as often as before. Stores by other work-items at
// the same time would be a race (OpenCL C, memory consistency).
//
// The register is a private object, which Promote turns into SSA values.
//
// (Register promotion: Lu & Cooper, "Register Promotion in C Programs", PLDI'97.)
//
// requires: no unreachable blocks; maintains: SSA
func ScalarPromotion(f *kernel.Func, st Stats) {
	loops := cfg.Cycles(f.Graph())
	if len(loops.Cycles) == 0 {
		return
	}
	g := &scalarPromotion{f: f, loops: loops, in: InEdges(f), dom: cfg.Dominators(f.Graph())}
	var found []*promotedLocation
	for _, c := range loops.Cycles { // outer before inner
		if c.Reducible() {
			found = append(found, g.locations(c, found)...)
		}
	}
	preheader := map[*cfg.Cycle]*kernel.Block{}
	for _, p := range found {
		if preheader[p.loop] == nil {
			preheader[p.loop] = g.preheader(p)
		}
		g.promote(p, preheader[p.loop])
	}
	if len(found) > 0 {
		f.Renumber()
	}
	st.Add("memory locations promoted", len(found))
}

// scalarPromotion is one run of ScalarPromotion.
type scalarPromotion struct {
	f     *kernel.Func
	loops *cfg.CycleForest
	in    [][]InEdge
	dom   *cfg.DomTree
}

// promotedLocation is a location that a loop accesses through one pointer.
type promotedLocation struct {
	loop          *cfg.Cycle
	same          *Invariants // the invariants of the loop
	header        *kernel.Block
	at            *kernel.Value
	loads, stores []*kernel.Value
}

// locations finds the locations that loop c can promote and no enclosing loop promotes.
func (g *scalarPromotion) locations(c *cfg.Cycle, taken []*promotedLocation) []*promotedLocation {
	var all []*promotedLocation
	of := map[*kernel.Value]*promotedLocation{}
	same := NewInvariants(g.loops, c)
	writes := map[kernel.Type]int{} // by address space
	for _, id := range c.Blocks {
		for _, v := range g.f.Blocks[id].Values {
			for _, space := range []kernel.Type{alu.PtrGlobal, alu.PtrLocal} {
				if written(v).has(space) {
					writes[space]++
				}
			}
			if !isAccess(v) {
				continue
			}
			at := v.Args[0]
			p := of[at]
			if p == nil {
				p = &promotedLocation{loop: c, same: same, header: g.f.Blocks[c.Header], at: at}
				of[at] = p
				all = append(all, p)
			}
			if v.Op == kernel.Load {
				p.loads = append(p.loads, v)
			} else {
				p.stores = append(p.stores, v)
			}
		}
	}
	all = slices.DeleteFunc(all, func(p *promotedLocation) bool {
		return slices.ContainsFunc(taken, func(o *promotedLocation) bool { return o.at == p.at && g.loops.Encloses(o.loop, c) }) ||
			writes[p.at.Type] != len(p.stores) || !g.promotable(p)
	})
	return all[:min(len(all), maxPromoted)]
}

// isAccess reports whether v is a load or a store.
func isAccess(v *kernel.Value) bool { return v.Op == kernel.Load || v.Op == kernel.Store }

// promotable reports whether p, to whose address space the loop makes no other stores, is
// loop-invariant, has one type, and may be loaded whenever the loop is entered.
func (g *scalarPromotion) promotable(p *promotedLocation) bool {
	space := p.at.Type
	if space != alu.PtrGlobal && space != alu.PtrLocal || len(p.loads) == 0 || len(p.stores) == 0 || !p.same.Has(p.at) {
		return false
	}
	t := p.loads[0].Type
	for _, v := range slices.Concat(p.loads, p.stores) {
		if v.Volatile || v.Count != 1 || v.Accessed() != t || t.IsPtr() {
			return false
		}
	}
	for id := p.loop.Header; id >= 0; id = g.dom.IDom[id] {
		if slices.ContainsFunc(g.f.Blocks[id].Values, func(v *kernel.Value) bool { return isAccess(v) && v.Args[0] == p.at }) {
			return true
		}
	}
	return false
}

// preheader inserts the block that enters the loop of p.
func (g *scalarPromotion) preheader(p *promotedLocation) *kernel.Block {
	var enter []InEdge
	for _, e := range g.in[p.header.ID] {
		if !g.loops.Contains(p.loop, e.From.ID) {
			enter = append(enter, e)
		}
	}
	b := mergeEdges(p.header, enter, "enter")
	g.f.Blocks = slices.Insert(g.f.Blocks, slices.Index(g.f.Blocks, p.header), b)
	return b
}

// promote creates the variable for p, which is initialized in the preheader.
func (g *scalarPromotion) promote(p *promotedLocation, preheader *kernel.Block) {
	first := p.loads[0]
	entry := g.f.Blocks[0]
	variable := entry.NewValue(kernel.Alloca, alu.PtrPrivate)
	variable.Size, variable.Align, variable.Name, variable.Pos = first.Type.Size(), first.Type.Size(), first.Name, first.Pos
	entry.Values = slices.Insert(entry.Values, 0, variable)
	set := func(b *kernel.Block, x *kernel.Value, pos *kernel.Value) *kernel.Value {
		s := b.NewValue(kernel.Store, alu.Void, variable, x)
		s.Count, s.Align, s.Pos = 1, variable.Align, pos.Pos
		return s
	}
	x := preheader.Append(kernel.Load, first.Type, p.same.CopyTo(preheader, p.at))
	x.Count, x.Align, x.Name, x.Pos = 1, first.Align, first.Name, first.Pos
	preheader.Values = append(preheader.Values, set(preheader, x, first))
	for _, v := range p.loads {
		v.Args[0], v.Align = variable, variable.Align
	}
	for _, v := range p.stores {
		b := v.Block
		b.Values = slices.Insert(b.Values, slices.Index(b.Values, v)+1, set(b, v.Args[1], v))
	}
}
