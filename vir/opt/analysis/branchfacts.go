package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// BranchFact is a branch condition with its value on a path.
type BranchFact struct {
	Cond *vir.Value
	Bits uint64
}

// maxFacts bounds the branches that FactsOn visits above an edge.
const maxFacts = 8

// FactsOn lists the branch conditions that are decided on every path through e.
func FactsOn(e InEdge, in [][]InEdge, dom *cfg.DomTree) []BranchFact {
	var facts []BranchFact
	for steps := 0; steps < maxFacts; steps++ {
		if b := e.From; b.Kind == vir.Branch && b.Cond.Op != vir.Const && b.Edges[0].To != b.Edges[1].To {
			facts = append(facts, BranchFact{b.Cond, uint64(1 - e.N)})
		}
		// Continue at the nearest dominator with one forward edge into it.
		only := onlyForwardEdge(e.From.ID, in, dom)
		for at := e.From.ID; only == nil && at != 0 && steps < maxFacts; steps++ {
			at = dom.IDom[at]
			only = onlyForwardEdge(at, in, dom)
		}
		if only == nil {
			break
		}
		e = *only
	}
	return facts
}

// ImpliedBy evaluates the comparison v by facts, with its operands replaced by env. It
// returns nil if the facts do not decide it.
func ImpliedBy(f *vir.Func, v *vir.Value, env map[*vir.Value]*vir.Value, facts []BranchFact) *vir.Value {
	q, ok := alu.OrderOf(v.Op)
	if !ok || !v.Type.IsScalar() || !v.Args[0].Type.Elem.IsInt() {
		return nil
	}
	get := func(a *vir.Value) *vir.Value {
		if x := env[a]; x != nil {
			return x
		}
		return a
	}
	x, y := get(v.Args[0]), get(v.Args[1])
	have := alu.AnyOrder
	for _, k := range facts {
		o, ok := alu.OrderOf(k.Cond.Op)
		if !ok {
			continue
		}
		if k.Bits == 0 {
			o = o.Without()
		}
		switch a := k.Cond.Args; {
		case a[0] == x && a[1] == y:
			have = have.And(o)
		case a[0] == y && a[1] == x:
			have = have.And(o.Swapped())
		}
	}
	if holds, known := have.Decides(q); known {
		if holds {
			return f.Const(v.Type, 1)
		}
		return f.Const(v.Type, 0)
	}
	return nil
}

// onlyForwardEdge returns the only incoming edge of the block that is no back edge, nil if there are
// several.
func onlyForwardEdge(block int, in [][]InEdge, dom *cfg.DomTree) *InEdge {
	var only *InEdge
	for i, e := range in[block] {
		switch {
		case dom.Dominates(block, e.From.ID):
		case only != nil:
			return nil
		default:
			only = &in[block][i]
		}
	}
	return only
}
