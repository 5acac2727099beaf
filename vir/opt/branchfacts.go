package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// branchFact is a condition and what it is.
type branchFact struct {
	cond *vir.Value
	bits uint64
}

// maxFacts bounds how many branches above an edge are looked at.
const maxFacts = 8

// factsOn lists what the branches that control has passed imply on e.
func factsOn(e inEdge, in [][]inEdge, dom *cfg.DomTree) []branchFact {
	var facts []branchFact
	for steps := 0; steps < maxFacts; steps++ {
		if b := e.from; b.Kind == vir.Branch && b.Cond.Op != vir.Const && b.Edges[0].To != b.Edges[1].To {
			facts = append(facts, branchFact{b.Cond, uint64(1 - e.n)})
		}
		// Up to a block with one way in, whose source decides.
		way := wayIn(e.from.ID, in, dom)
		for at := e.from.ID; way == nil && at != 0 && steps < maxFacts; steps++ {
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

// impliedBy evaluates the comparison v, of what env stands for, by facts; nil
// if they do not tell.
func impliedBy(f *vir.Func, v *vir.Value, env map[*vir.Value]*vir.Value, facts []branchFact) *vir.Value {
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
		o, ok := alu.OrderOf(k.cond.Op)
		if !ok {
			continue
		}
		if k.bits == 0 {
			o = o.Without()
		}
		switch a := k.cond.Args; {
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
func wayIn(block int, in [][]inEdge, dom *cfg.DomTree) *inEdge {
	var way *inEdge
	for i, e := range in[block] {
		switch {
		case dom.Dominates(block, e.from.ID):
		case way != nil:
			return nil
		default:
			way = &in[block][i]
		}
	}
	return way
}
