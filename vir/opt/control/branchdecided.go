package control

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// branchDecided turns a select at the start of a block into a branch if an edge to the block
// decides its condition; that edge is then threaded past it. It does so for one select, as the
// graph changes, and reports whether it did.
//
// Example: a search that ends with count += found ? 1 : 0 mostly fails, and the condition is
// known on the exits where it does.
func (t *threader) branchDecided() bool {
	for _, b := range t.f.Blocks {
		at := 0
		for at < len(b.Values) && !(b.Values[at].Op == alu.Select && b.Values[at].Type.IsScalar()) {
			at++
		}
		if at == len(b.Values) || len(t.in[b.ID]) < 2 || !t.canThreadPast(b, b.Values[:at]) {
			continue
		}
		v := b.Values[at]
		c := v.Args[0]
		if _, ok := alu.OrderOf(c.Op); !ok && !(c.Op == vir.Param && c.Block == b) {
			continue
		}
		decided := false
		for _, e := range t.in[b.ID] {
			c := t.evaluateOn(e, b, b.Values[:at])[v.Args[0]]
			decided = decided || c != nil && c.Op == vir.Const
		}
		if decided {
			branchOn(t.f, v)
			t.stats.Add("decided selects made branches", 1)
			return true
		}
	}
	return false
}
