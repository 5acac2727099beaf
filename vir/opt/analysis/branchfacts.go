package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// BranchFact is a condition and what it is.
type BranchFact struct {
	Cond *vir.Value
	Bits uint64
}

// maxFacts bounds how many branches above an edge are looked at.
const maxFacts = 8

// FactsOn lists what the branches that control has passed imply on e.
func FactsOn(e InEdge, in [][]InEdge, dom *cfg.DomTree) []BranchFact {
	var facts []BranchFact
	for steps := 0; steps < maxFacts; steps++ {
		if b := e.From; b.Kind == vir.Branch && b.Cond.Op != vir.Const && b.Edges[0].To != b.Edges[1].To {
			facts = append(facts, BranchFact{b.Cond, uint64(1 - e.N)})
		}
		// Up to a block with one way in, whose source decides.
		way := wayIn(e.From.ID, in, dom)
		for at := e.From.ID; way == nil && at != 0 && steps < maxFacts; steps++ {
			at = dom.IDom[at]
			way = wayIn(at, in, dom)
		}
		if way == nil {
			break
		}
		e = *way
	}
	return facts
}

// ImpliedBy evaluates the comparison v, of what env stands for, by facts; nil
// if they do not tell.
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

// wayIn returns the edge that leads to the block, but for edges back; nil if
// there are several.
func wayIn(block int, in [][]InEdge, dom *cfg.DomTree) *InEdge {
	var way *InEdge
	for i, e := range in[block] {
		switch {
		case dom.Dominates(block, e.From.ID):
		case way != nil:
			return nil
		default:
			way = &in[block][i]
		}
	}
	return way
}
