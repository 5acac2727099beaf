package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// maxKept bounds the places that a loop keeps in registers.
const maxKept = 4

// Registers lets a loop that loads from one place of global or local memory and
// stores there, and nowhere else that may be the same, keep what is there in a
// register: it loads it once before, and stores it as often as it did. What other
// work-items store there meanwhile would be a race (OpenCL C, memory consistency).
//
// The variable that it makes is a private object, for Promote.
//
// (Register promotion: Lu & Cooper, "Register Promotion in C Programs", PLDI'97.)
//
// requires: no unreachable blocks; maintains: SSA
func Registers(f *kernel.Func, st Stats) {
	loops := cfg.Cycles(f.Graph())
	if len(loops.Cycles) == 0 {
		return
	}
	g := &registers{f: f, loops: loops, in: InEdges(f), dom: cfg.Dominators(f.Graph())}
	var found []*keptPlace
	for _, c := range loops.Cycles { // outer before inner
		if c.Reducible() {
			found = append(found, g.places(c, found)...)
		}
	}
	before := map[*cfg.Cycle]*kernel.Block{}
	for _, p := range found {
		if before[p.loop] == nil {
			before[p.loop] = g.before(p)
		}
		g.keep(p, before[p.loop])
	}
	if len(found) > 0 {
		f.Renumber()
	}
	st.Add("places kept in registers", len(found))
}

// registers is one run of Registers.
type registers struct {
	f     *kernel.Func
	loops *cfg.CycleForest
	in    [][]InEdge
	dom   *cfg.DomTree
}

// keptPlace is what a pointer leads to in a loop.
type keptPlace struct {
	loop          *cfg.Cycle
	same          *Invariants // of the loop
	header        *kernel.Block
	at            *kernel.Value
	loads, stores []*kernel.Value
}

// places finds what the loop c may keep and no loop around it does already.
func (g *registers) places(c *cfg.Cycle, taken []*keptPlace) []*keptPlace {
	var all []*keptPlace
	of := map[*kernel.Value]*keptPlace{}
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
				p = &keptPlace{loop: c, same: same, header: g.f.Blocks[c.Header], at: at}
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
	all = slices.DeleteFunc(all, func(p *keptPlace) bool {
		return slices.ContainsFunc(taken, func(o *keptPlace) bool { return o.at == p.at && g.loops.Encloses(o.loop, c) }) ||
			writes[p.at.Type] != len(p.stores) || !g.good(p)
	})
	return all[:min(len(all), maxKept)]
}

// isAccess reports whether v loads or stores.
func isAccess(v *kernel.Value) bool { return v.Op == kernel.Load || v.Op == kernel.Store }

// good reports whether p, to whose address space nothing else in the loop writes, is
// always the same place, of one type, and may be loaded from whenever the loop is
// entered.
func (g *registers) good(p *keptPlace) bool {
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

// before makes the block that enters the loop of p.
func (g *registers) before(p *keptPlace) *kernel.Block {
	var enter []InEdge
	for _, e := range g.in[p.header.ID] {
		if !g.loops.Contains(p.loop, e.From.ID) {
			enter = append(enter, e)
		}
	}
	b := gather(p.header, enter, "enter")
	g.f.Blocks = slices.Insert(g.f.Blocks, slices.Index(g.f.Blocks, p.header), b)
	return b
}

// keep makes the variable for p, which gets its first value in the block before.
func (g *registers) keep(p *keptPlace, before *kernel.Block) {
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
	x := before.Append(kernel.Load, first.Type, p.same.CopyTo(before, p.at))
	x.Count, x.Align, x.Name, x.Pos = 1, first.Align, first.Name, first.Pos
	before.Values = append(before.Values, set(before, x, first))
	for _, v := range p.loads {
		v.Args[0], v.Align = variable, variable.Align
	}
	for _, v := range p.stores {
		b := v.Block
		b.Values = slices.Insert(b.Values, slices.Index(b.Values, v)+1, set(b, v.Args[1], v))
	}
}
