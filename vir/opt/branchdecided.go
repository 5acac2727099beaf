package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// branchDecided makes a choice of numbers a branch where a block begins with
// it and an edge to the block decides it: that edge then leads past it. It
// does so once, for the graph changes, and reports whether it did.
//
// Example: the search that ends with count += found ? 1 : 0 mostly fails, and
// where it does that is known.
func (t *threader) branchDecided() bool {
	for _, b := range t.f.Blocks {
		at := 0
		for at < len(b.Values) && !(b.Values[at].Op == alu.Select && b.Values[at].Type.IsScalar()) {
			at++
		}
		if at == len(b.Values) || len(t.in[b.ID]) < 2 || !t.passable(b, b.Values[:at]) {
			continue
		}
		v := b.Values[at]
		c := v.Args[0]
		if _, ok := orders[c.Op]; !ok && !(c.Op == vir.Param && c.Block == b) {
			continue
		}
		decided := false
		for _, e := range t.in[b.ID] {
			c := t.along(e, b, b.Values[:at])[v.Args[0]]
			decided = decided || c != nil && c.Op == vir.Const
		}
		if decided {
			t.branchOn(b, at, usesOf(t.f))
			t.stats.add("choices made branches", 1)
			return true
		}
	}
	return false
}

// branchOn splits b at its choice at this place. What only one side needs is
// computed there.
func (t *threader) branchOn(b *vir.Block, at int, uses [][]use) {
	v := b.Values[at]
	below := t.f.NewBlock(b.Name)
	below.Values = append(below.Values, b.Values[at+1:]...)
	below.Kind, below.Cond, below.Edges, below.Pos = b.Kind, b.Cond, b.Edges, b.Pos
	for _, x := range below.Values {
		x.Block = below
	}
	p := below.NewParam(v.Type, v.Name)
	rest := b.Values[:at:at]
	var edges [2]vir.Edge
	for i := range edges {
		side := t.f.NewBlock("")
		side.Pos = v.Pos
		a := v.Args[1+i]
		if k := len(rest) - 1; k >= 0 && rest[k] == a && len(uses[a.ID]) == 1 {
			side.Values, a.Block = []*vir.Value{a}, side
			rest = rest[:k]
		}
		side.Jump(below, a)
		edges[i] = vir.Edge{To: side}
	}
	b.Values, b.Pos = rest, v.Pos
	b.Branch(v.Args[0], edges[0], edges[1])
	replaceAll(t.f, map[*vir.Value]*vir.Value{v: p})
}
