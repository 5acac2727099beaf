package control

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
		if _, ok := alu.OrderOf(c.Op); !ok && !(c.Op == vir.Param && c.Block == b) {
			continue
		}
		decided := false
		for _, e := range t.in[b.ID] {
			c := t.along(e, b, b.Values[:at])[v.Args[0]]
			decided = decided || c != nil && c.Op == vir.Const
		}
		if decided {
			branchOn(t.f, b.Values[at:at+1])
			t.stats.Add("choices made branches", 1)
			return true
		}
	}
	return false
}
