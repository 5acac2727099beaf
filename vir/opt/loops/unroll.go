package loops

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/control"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Limits of the size of a loop that is unrolled.
const (
	maxUnrolledBlocks = 8
	maxUnrolledValues = 40 // of all copies, without extensions and shifts
)

// The number of copies for a known trip count that it divides, and for other loops: more exits
// are harder to predict.
const (
	copiesUntested = 4
	copiesTested   = 2
)

// Unroll unrolls small innermost counting loops, in scalar code, so that the back edge is taken
// less often. Unless the trip count is known, each copy still tests the counter: a remainder loop
// would be a second exit to predict.
//
// If no counter wraps, the tests compare the first copy's counter with different limits, so that
// the counters of other copies are needed only for addresses.
//
// requires: dense IDs, no unreachable blocks
// maintains: reducibility
func Unroll(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	cycles, in := cfg.Cycles(f.Graph()), analysis.InEdges(f)
	var unrolled []edit.CopiedLoop
	for _, c := range cycles.Cycles {
		if !isUnrollable(f, cycles, c) {
			continue
		}
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil {
			continue
		}
		if k := lp.Counting(); k.K != nil && k.K.Type.Elem == alu.I32 && k.Step <= analysis.MaxStep {
			unrolled = append(unrolled, edit.CopiedLoop{Blocks: edit.BlocksOf(f, c), Copies: unroll(f, lp, k)})
		}
	}
	if len(unrolled) == 0 {
		return
	}
	edit.MergeExitValues(f, unrolled...)
	stats.Add("scalar loops unrolled", len(unrolled))
	f.Renumber()
	for _, pass := range []func(*vir.Func, edit.Stats){edit.Params, control.Control, combine.Redundancy, edit.Dead, control.Control} {
		pass(f, stats)
	}
}

// isUnrollable reports whether c is small enough, and its exits do not depend on loads: a search
// mostly ends soon.
func isUnrollable(f *vir.Func, cycles *cfg.CycleForest, c *cfg.Cycle) bool {
	if len(c.Children) > 0 || c.Depth == 1 || len(c.Blocks) > maxUnrolledBlocks {
		return false
	}
	for _, id := range c.Blocks {
		b := f.Blocks[id]
		for _, e := range b.Edges {
			if !cycles.Contains(c, e.To.ID) && dependsOnLoad(b.Cond, func(b *vir.Block) bool { return cycles.Contains(c, b.ID) }, maxSearched, true) {
				return false
			}
		}
	}
	return copiedValues(f, c)*copiesTested <= maxUnrolledValues
}

// copiedValues counts the operations that a copy of c adds.
func copiedValues(f *vir.Func, c *cfg.Cycle) int {
	n := 0
	for _, id := range c.Blocks {
		for _, v := range f.Blocks[id].Values {
			if v.Op != alu.SExt && v.Op != alu.ZExt && v.Op != alu.Shl {
				n++
			}
		}
	}
	return n
}

// unroll adds copies of the loop to it and returns them.
func unroll(f *vir.Func, lp *analysis.SimpleLoop, counting analysis.Counting) []edit.Copies {
	n, exact := copiesTested, false
	if tripCount := counting.TripCount(lp); tripCount > 0 {
		if tripCount%copiesUntested == 0 && copiedValues(f, lp.Cycle)*copiesUntested <= maxUnrolledValues {
			n = copiesUntested
		}
		exact = tripCount%int64(n) == 0
	}
	more := make([]edit.Copies, n-1)
	for i := range more {
		more[i] = edit.CopyBlocks(f, lp.Cycle.Blocks, lp.Head)
		if head := more[i].Blocks[lp.Head]; exact {
			head.Jump(head.Edges[counting.Stay].To, head.Edges[counting.Stay].Args...)
		} else if counting.Reaches() {
			testAhead(&counting, head, int64(i+1))
		}
	}
	last := lp.Back.Edge()
	for _, c := range more {
		last.To = c.Blocks[lp.Head]
		latch := c.Blocks[lp.Latch]
		last = &latch.Edges[slices.IndexFunc(latch.Edges, func(e vir.Edge) bool { return e.To == lp.Head })]
	}
	return more
}

// testAhead makes b, a copy of the loop's head, test the counter plus the step of some iterations
// against the limit. Both are compared in 64 bits, where limit minus steps does not wrap.
func testAhead(x *analysis.Counting, b *vir.Block, iterations int64) {
	t, extend, less := vir.Scalar(alu.I64), alu.ZExt, alu.Sle
	if x.Signed {
		extend = alu.SExt
	}
	if x.Strict {
		less = alu.Slt
	}
	f := b.Func
	limit := b.Append(alu.Add, t, b.Append(extend, t, x.Limit), f.Const(t, uint64(-x.Step*iterations)))
	b.Cond = b.Append(less, vir.Scalar(alu.I1), b.Append(extend, t, x.K), limit)
	if x.Stay == 1 {
		b.Edges[0], b.Edges[1] = b.Edges[1], b.Edges[0]
	}
}
