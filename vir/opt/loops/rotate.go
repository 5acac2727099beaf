package loops

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// maxRotated bounds the operations that are executed in vain when a loop is left.
const maxRotated = 12

// Rotate turns a loop of two blocks, a head that leaves the loop if a mask is empty and the rest,
// into one block with the test at its end. The rest must have no side effects, as it then runs
// before the test.
//
// If the rest ends with a test of its own, the block ends with both.
//
// After such a loop, values that change only in lanes of that mask are the same before and after
// the last iteration; using the later value lets both share a register.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Rotate(f *vir.Func, stats edit.Stats) {
	cycles := cfg.Cycles(f.Graph())
	in := analysis.InEdges(f)
	rotated := false
	for _, c := range cycles.Cycles {
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil || len(c.Blocks) != 2 || !leavesWhenEmpty(lp.Head) {
			continue
		}
		h, b := lp.Head, lp.Latch
		if h.Edges[0].To != b || b == h || len(in[b.ID]) != 1 || len(b.Params) > 0 || !speculative(b) {
			continue
		}
		continues := joinedTest(f, h, b)
		if continues == nil && b.Kind != vir.Jump {
			continue
		}
		h.Values = append(h.Values, b.Values...)
		for _, v := range b.Values {
			v.Block = h
		}
		if continues != nil {
			if continues != b.Cond {
				continues.Block = h
				h.Values = append(h.Values, continues)
			}
			h.Cond = h.Append(alu.And, continues.Type, h.Cond, continues)
			h.Edges[1] = b.Edges[leaving(h, b)]
			h.Edges[0] = b.Edges[1-leaving(h, b)]
		} else {
			h.Edges[0] = b.Edges[0]
		}
		b.Values = nil
		b.Return()
		rotated = true
		stats.Add("rotated loops", 1)
	}
	if rotated {
		vir.RemoveUnreachable(f)
		f.Renumber()
	}
	useLater(f, stats)
}

// leaving returns the index of the edge by which the latch b leaves a loop with head h.
func leaving(h, b *vir.Block) int {
	if b.Edges[0].To == h {
		return 1
	}
	return 0
}

// joinedTest returns the condition under which the latch b, which ends with a test of its own,
// continues the loop. It returns nil unless b leaves to the same block as the head h, with the
// same arguments, up to values that change only in lanes of the mask, which is empty when the
// head leaves.
func joinedTest(f *vir.Func, h, b *vir.Block) *vir.Value {
	if b.Kind != vir.Branch || b.Edges[0].To != h && b.Edges[1].To != h {
		return nil
	}
	k := leaving(h, b)
	out, back, head := b.Edges[k], b.Edges[1-k], h.Edges[1]
	if out.To != head.To || out.To == h {
		return nil
	}
	for i, x := range out.Args {
		y := head.Args[i]
		if x != y && !(keepsWhereEmpty(x, y, h.Cond.Args[0]) && y.Block == h && back.Args[y.Index] == x) {
			return nil
		}
	}
	if k == 1 {
		return b.Cond
	}
	return b.NewValue(alu.Xor, b.Cond.Type, b.Cond, f.Const(b.Cond.Type, 1))
}

// keepsWhereEmpty reports whether next is the parameter p, changed only in lanes of mask.
func keepsWhereEmpty(next, p, mask *vir.Value) bool {
	return p.Op == vir.Param && next.Op == alu.Select && next.Args[0] == mask && next.Args[2] == p
}

func leavesWhenEmpty(b *vir.Block) bool { return b.Kind == vir.Branch && b.Cond.Op == vir.Any }

// useLater replaces uses, after a loop of one block, of parameters that do not change while the
// mask is empty by their next values.
func useLater(f *vir.Func, stats edit.Stats) {
	var uses [][]analysis.Use
	var dom *cfg.DomTree
	in := analysis.InEdges(f)
	for _, h := range f.Blocks {
		if !leavesWhenEmpty(h) || h.Edges[0].To != h {
			continue
		}
		mask, done := h.Cond.Args[0], h.Edges[1].To
		for _, p := range h.Params {
			next := h.Edges[0].Args[p.Index]
			if !keepsWhereEmpty(next, p, mask) || next.Block != h {
				continue
			}
			if uses == nil {
				uses, dom = analysis.UsesOf(f), cfg.Dominators(f.Graph())
			}
			replaced := 0
			replace := func(vs []*vir.Value) {
				edit.ReplaceIn(vs, p, next)
				replaced++
			}
			for _, u := range uses[p.ID] {
				after := done != h && len(in[done.ID]) == 1 && dom.Dominates(done.ID, u.Block.ID)
				switch {
				case u.By != nil && after:
					replace(u.By.Args)
				case u.Edge >= 0 && (after || u.Block == h && u.Edge == 1 && done != h):
					replace(u.Block.Edges[u.Edge].Args)
				}
			}
			stats.Add("later values used after loops", replaced)
		}
	}
}

func speculative(b *vir.Block) bool {
	// speculative reports whether b has only a few operations, without side effects.
	n := 0
	for _, v := range b.Values {
		if !analysis.IsMovable(v) {
			return false
		}
		if !cheap(v) {
			n++
		}
	}
	return n <= maxRotated
}
