package slp

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// What scalars and vectors cost to turn into each other, in instructions.
const (
	insertCost  = 3.0
	extractCost = 1.5
	testCost    = 2.5 // to take a bit out of a mask
	splatCost   = 1.0
	pickCost    = 1.0
)

// mostScale is by how many bits accesses shift an index, at most.
const mostScale = 3

// oftenMade is how often v is computed; what is constant need be moved but once.
func (p *packer) oftenMade(v *vir.Value) float64 {
	if v.Op == vir.Const {
		return 1
	}
	return analysis.Frequency(p.cycles, v.Block)
}

// pays reports whether the tree saves instructions.
func (t *packTree) pays() bool {
	saved := 0.0
	for _, x := range t.packs {
		if x.kind != carriedPack && !x.extendsLoads() && !t.inAddresses(x) {
			saved += analysis.Frequency(t.cycles, x.block) * float64(len(x.lanes)-1)
		}
		for _, list := range [][]*pack{x.args, x.edges} {
			for _, a := range list {
				saved -= t.costOf(a)
			}
		}
		if x.kind != storedPack {
			saved -= t.costOfTaking(x)
		}
	}
	return saved > 0
}

// extendsLoads reports whether x only extends numbers that are loaded, which loads
// do along the way.
func (x *pack) extendsLoads() bool {
	op := x.lanes[0].Op
	return (op == alu.SExt || op == alu.ZExt) && x.args[0].kind == loadedPack
}

// inAddresses reports whether x is what accesses compute of themselves: the sum of a
// base and an index times the size of what they access.
func (t *packTree) inAddresses(x *pack) bool {
	return x.kind == computedPack && !slices.ContainsFunc(x.lanes, func(v *vir.Value) bool {
		scaled := v.Op == alu.Shl && v.Args[1].Op == vir.Const && v.Args[1].Const <= mostScale
		return v.Type.Elem.Bits() != 64 || v.Op != alu.Add && !scaled || !analysis.OnlyAddress(t.uses, v, analysis.AddressDepth)
	})
}

// costOf is the cost of an operand that no operation on vectors computes.
func (t *packTree) costOf(a *pack) float64 {
	switch {
	case a == nil:
		return 0
	case a.kind == equalPack && a.lanes[0].Op != vir.Const:
		return splatCost * t.oftenMade(a.lanes[0])
	case a.kind == pickedPack:
		return pickCost * analysis.Frequency(t.cycles, a.args[0].block)
	case a.kind == takenPack: // nor are the lanes taken out any more
		cost := pickCost * analysis.Frequency(t.cycles, a.block)
		for _, v := range a.lanes {
			if len(t.uses[v.ID]) == 1 {
				cost -= extractCost * analysis.Frequency(t.cycles, a.block)
			}
		}
		return cost
	case a.kind == gatheredPack:
		most := a.most()
		cost := splatCost * t.oftenMade(most)
		for _, v := range a.lanes {
			if v != most {
				cost += insertCost * t.oftenMade(v)
			}
		}
		return cost
	}
	return 0
}

// costOfTaking is the cost of taking out of x what scalar operations need.
func (t *packTree) costOfTaking(x *pack) float64 {
	cost := 0.0
	for i, v := range x.lanes {
		taken := map[*vir.Block]bool{}
		for _, u := range t.uses[v.ID] {
			if !t.packed(u, v) && !taken[u.Block] {
				taken[u.Block] = true
				switch {
				case v.Type.Elem == alu.I1:
					cost += testCost * analysis.Frequency(t.cycles, u.Block)
				case i == 0:
					cost += analysis.Frequency(t.cycles, u.Block)
				default:
					cost += extractCost * analysis.Frequency(t.cycles, u.Block)
				}
			}
		}
	}
	return cost
}

// packed reports whether all of what u does with v is done by packs.
func (t *packTree) packed(u analysis.Use, v *vir.Value) bool {
	switch {
	case u.By == nil && u.Edge < 0:
		return false
	case u.By == nil:
		e := u.Block.Edges[u.Edge]
		for i, a := range e.Args {
			if a == v && !t.takesWhole(e.To.Params[i], func(x *pack) *pack { return x.edges[t.edgeIndex(u)] }) {
				return false
			}
		}
		return true
	}
	for i, a := range u.By.Args {
		if a == v && !t.takesWhole(u.By, func(x *pack) *pack { return x.operand(i) }) {
			return false
		}
	}
	return true
}

// takesWhole reports whether v is part of a pack of which an operand is a pack as
// it is, or lanes of one.
func (t *packTree) takesWhole(v *vir.Value, operand func(*pack) *pack) bool {
	at, ok := t.in[v]
	if !ok {
		return false
	}
	a := operand(at.pack)
	return a != nil && a.kind != gatheredPack && a.kind != equalPack
}

// edgeIndex is which of the edges to its block an edge is.
func (p *packer) edgeIndex(u analysis.Use) int {
	to := u.Block.Edges[u.Edge].To
	return slices.IndexFunc(p.in[to.ID], func(e analysis.InEdge) bool { return e.From == u.Block && e.N == u.Edge })
}
