package control

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// jointDecided splits a branch on two conditions, joined by and or or, into two branches if
// that decides the branch at the common target for one of them; that edge is then threaded.
// It does so once and reports whether it did.
//
// Example: if (c == 0 && q == 0) return; if (c != 0 && …) …. If the first condition failed,
// the second statement's first condition is known.
func (t *threader) jointDecided() bool {
	var uses [][]analysis.Use
	for _, b := range t.f.Blocks {
		if b.Kind != vir.Branch || b.Cond.Op != alu.And && b.Cond.Op != alu.Or || b.Cond.Block != b {
			continue
		}
		// The value of either condition that decides the branch, and the edge taken then.
		early := analysis.InEdge{From: b, N: 1}
		if b.Cond.Op == alu.Or {
			early.N = 0
		}
		settles := uint64(1 - early.N)
		to := early.Edge().To
		if b.Edges[0].To == b.Edges[1].To || !t.candidate(to) {
			continue
		}
		above := analysis.FactsOn(early, t.in, t.dom)[1:] // without the fact of b itself
		for i, first := range b.Cond.Args {
			second := b.Cond.Args[1-i]
			alone := append([]analysis.BranchFact{{Cond: first, Bits: settles}}, above...)
			both := append([]analysis.BranchFact{{Cond: first, Bits: 1 - settles}, {Cond: second, Bits: settles}}, above...)
			if !t.decides(early, to, alone) && !t.decides(early, to, both) {
				continue
			}
			if uses == nil {
				uses = analysis.UsesOf(t.f)
			}
			if len(uses[b.Cond.ID]) > 1 {
				break
			}
			t.branchTwice(b, first, second, early.N, uses)
			t.stats.Add("joint conditions made branches", 1)
			return true
		}
	}
	return false
}

// decides reports whether facts decide the branch of block to for control arriving through e.
func (t *threader) decides(e analysis.InEdge, to *vir.Block, facts []analysis.BranchFact) bool {
	c := t.evaluateWith(e, to, to.Values, facts)[to.Cond]
	return c != nil && c.Op == vir.Const
}

// branchTwice makes b branch on first and, if that does not decide, on second in a new block,
// which also computes second if nothing else uses it. Edge number early is taken by the value
// that decides.
func (t *threader) branchTwice(b *vir.Block, first, second *vir.Value, early int, uses [][]analysis.Use) {
	next := t.f.NewBlock("")
	next.Pos = b.Pos
	kept := b.Values[:0]
	for _, v := range b.Values {
		switch {
		case v == b.Cond:
		case v == second && len(uses[v.ID]) == 1 && analysis.IsMovable(v):
			next.Values, v.Block = append(next.Values, v), next
		default:
			kept = append(kept, v)
		}
	}
	b.Values = kept
	edges := [2]vir.Edge{b.Edges[0], b.Edges[1]}
	next.Branch(second, edges[0], edges[1])
	edges[early] = vir.Edge{To: edges[early].To, Args: append([]*vir.Value(nil), edges[early].Args...)}
	edges[1-early] = vir.Edge{To: next}
	b.Branch(first, edges[0], edges[1])
}
