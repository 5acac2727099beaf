package slp

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// Costs of moves between scalars and vectors, in instructions.
const (
	insertCost  = 3.0
	extractCost = 1.5
	testCost    = 2.5 // to extract a bit of a mask
	splatCost   = 1.0
	pickCost    = 1.0
)

// maxScale is the largest shift of an index in an addressing mode.
const maxScale = 3

// frequencyOf estimates how often v is computed; constants are moved once.
func (p *grouper) frequencyOf(v *vir.Value) float64 {
	if v.Op == vir.Const {
		return 1
	}
	return analysis.Frequency(p.cycles, v.Block)
}

// isProfitable reports whether the tree saves instructions.
func (t *groupTree) isProfitable() bool {
	saved := 0.0
	for _, x := range t.groups {
		if x.kind != paramGroup && !x.extendsLoads() && !t.inAddresses(x) {
			saved += analysis.Frequency(t.cycles, x.block) * float64(len(x.lanes)-1)
		}
		for _, list := range [][]*group{x.args, x.edges} {
			for _, a := range list {
				saved -= t.operandCost(a)
			}
		}
		if x.kind != storeGroup {
			saved -= t.extractionCost(x)
		}
	}
	return saved > 0
}

// extendsLoads reports whether x only extends loaded values, which loads do for free.
func (x *group) extendsLoads() bool {
	op := x.lanes[0].Op
	return (op == alu.SExt || op == alu.ZExt) && x.args[0].kind == loadGroup
}

// inAddresses reports whether x folds into addressing modes: the sum of a base and an index scaled by
// the access size.
func (t *groupTree) inAddresses(x *group) bool {
	return x.kind == computedGroup && !slices.ContainsFunc(x.lanes, func(v *vir.Value) bool {
		scaled := v.Op == alu.Shl && v.Args[1].Op == vir.Const && v.Args[1].Const <= maxScale
		return v.Type.Elem.Bits() != 64 || v.Op != alu.Add && !scaled || !analysis.OnlyAddress(t.uses, v, analysis.AddressDepth)
	})
}

// operandCost returns the cost of a vector operand that no vector operation computes.
func (t *groupTree) operandCost(a *group) float64 {
	switch {
	case a == nil:
		return 0
	case a.kind == splatGroup && a.lanes[0].Op != vir.Const:
		return splatCost * t.frequencyOf(a.lanes[0])
	case a.kind == permutedGroup:
		return pickCost * analysis.Frequency(t.cycles, a.args[0].block)
	case a.kind == extractedGroup: // the extractions become unnecessary
		cost := pickCost * analysis.Frequency(t.cycles, a.block)
		for _, v := range a.lanes {
			if len(t.uses[v.ID]) == 1 {
				cost -= extractCost * analysis.Frequency(t.cycles, a.block)
			}
		}
		return cost
	case a.kind == insertedGroup:
		frequent := a.mostFrequent()
		cost := splatCost * t.frequencyOf(frequent)
		for _, v := range a.lanes {
			if v != frequent {
				cost += insertCost * t.frequencyOf(v)
			}
		}
		return cost
	}
	return 0
}

// extractionCost returns the cost of extracting lanes of x that scalar operations use.
func (t *groupTree) extractionCost(x *group) float64 {
	cost := 0.0
	for i, v := range x.lanes {
		taken := map[*vir.Block]bool{}
		for _, u := range t.uses[v.ID] {
			if !t.isGrouped(u, v) && !taken[u.Block] {
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

// isGrouped reports whether groups perform the use u of v.
func (t *groupTree) isGrouped(u analysis.Use, v *vir.Value) bool {
	switch {
	case u.By == nil && u.Edge < 0:
		return false
	case u.By == nil:
		e := u.Block.Edges[u.Edge]
		for i, a := range e.Args {
			if a == v && !t.takesVector(e.To.Params[i], func(x *group) *group { return x.edges[t.edgeIndex(u)] }) {
				return false
			}
		}
		return true
	}
	for i, a := range u.By.Args {
		if a == v && !t.takesVector(u.By, func(x *group) *group { return x.operand(i) }) {
			return false
		}
	}
	return true
}

// takesVector reports whether v belongs to a group whose operand is a vector or lanes of one.
func (t *groupTree) takesVector(v *vir.Value, operand func(*group) *group) bool {
	at, ok := t.in[v]
	if !ok {
		return false
	}
	a := operand(at.group)
	return a != nil && a.kind != insertedGroup && a.kind != splatGroup
}

// edgeIndex returns the index of an edge among the incoming edges of its target.
func (p *grouper) edgeIndex(u analysis.Use) int {
	to := u.Block.Edges[u.Edge].To
	return slices.IndexFunc(p.in[to.ID], func(e analysis.InEdge) bool { return e.From == u.Block && e.N == u.Edge })
}
