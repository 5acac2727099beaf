package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// How two numbers may compare.
const (
	less = 1 << iota
	equal
	greater
	anyOrder = less | equal | greater
)

// order is how x and y may compare, as signed and as unsigned numbers.
type order struct{ signed, unsigned uint8 }

// orders are the comparisons that tell how integers compare.
var orders = map[vir.Op]order{
	alu.Eq: {equal, equal}, alu.Ne: {less | greater, less | greater},
	alu.Slt: {less, anyOrder}, alu.Sle: {less | equal, anyOrder},
	alu.Ult: {anyOrder, less}, alu.Ule: {anyOrder, less | equal},
}

func (o order) swapped() order {
	turn := func(s uint8) uint8 { return s&equal | s&less<<2 | s&greater>>2 }
	return order{turn(o.signed), turn(o.unsigned)}
}

// without is what is left when o does not hold.
func (o order) without() order {
	rest := func(s uint8) uint8 {
		if s == anyOrder {
			return s
		}
		return anyOrder &^ s
	}
	return order{rest(o.signed), rest(o.unsigned)}
}

func (o order) and(p order) order { return order{o.signed & p.signed, o.unsigned & p.unsigned} }

// decides reports whether the comparison q must hold where o does, or must not.
func (o order) decides(q order) (holds, known bool) {
	if o.signed&equal == 0 || o.unsigned&equal == 0 { // numbers are equal in both ways
		o.signed, o.unsigned = o.signed&^equal, o.unsigned&^equal
	}
	within := o.signed&^q.signed == 0 && o.unsigned&^q.unsigned == 0
	never := o.signed&q.signed == 0 || o.unsigned&q.unsigned == 0
	return within, within != never
}

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
	q, ok := orders[v.Op]
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
	have := order{anyOrder, anyOrder}
	for _, k := range facts {
		o, ok := orders[k.cond.Op]
		if !ok {
			continue
		}
		if k.bits == 0 {
			o = o.without()
		}
		switch a := k.cond.Args; {
		case a[0] == x && a[1] == y:
			have = have.and(o)
		case a[0] == y && a[1] == x:
			have = have.and(o.swapped())
		}
	}
	if holds, known := have.decides(q); known {
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
