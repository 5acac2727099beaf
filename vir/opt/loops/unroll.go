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

// What a loop may have at most to be unrolled.
const (
	maxUnrolledBlocks = 8
	maxUnrolledValues = 40 // of all copies, but extensions and shifts

	// Each loop takes as long to unroll as the function has blocks: of functions with
	// thousands of loops some stay as they are.
	maxUnrolling = 200_000
)

// How many copies there are of a loop that makes a known number of rounds, if that
// divides it, and of others: more exits are harder to guess.
const (
	copiesUntested = 4
	copiesTested   = 2
)

// Unroll makes small innermost loops that count, in functions of one lane, of
// several copies of themselves, so that the way back is taken once in so many
// rounds. Unless the number of rounds is known, each copy still tests whether it is
// the last: what is left over would need a loop of its own, and the processor
// would have to guess the ends of two.
//
// Where no number wraps, the tests compare the first copy's with limits that differ,
// so that nothing but an address needs the others.
//
// requires: dense IDs, no unreachable blocks
// maintains: reducibility
func Unroll(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	var heads []*vir.Block
	cycles := cfg.Cycles(f.Graph())
	for _, c := range cycles.Cycles {
		if isUnrollable(f, cycles, c) {
			heads = append(heads, f.Blocks[c.Header])
		}
	}
	unrolled := 0
	var in [][]analysis.InEdge
	for _, h := range heads {
		if unrolled*len(f.Blocks) > maxUnrolling {
			break
		}
		if in == nil {
			cycles, in = cfg.Cycles(f.Graph()), analysis.InEdges(f)
		}
		c := cycles.InnermostCycle(h.ID)
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil {
			continue
		}
		if k := lp.Counting(); k.K != nil && k.K.Type.Elem == alu.I32 && k.Step <= analysis.MaxStep {
			unroll(f, lp, k)
			unrolled++
			in = nil
		}
	}
	if unrolled == 0 {
		return
	}
	stats.Add("scalar loops unrolled", unrolled)
	f.Renumber()
	for _, pass := range []func(*vir.Func, edit.Stats){edit.Params, control.Control, combine.Redundancy, edit.Dead, control.Control} {
		pass(f, stats)
	}
}

// isUnrollable reports whether c is small enough, and does not end by what it loads,
// as a search does, which mostly is soon.
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

// copiedValues counts what a copy of c adds.
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

// unroll adds copies of the loop to it.
func unroll(f *vir.Func, lp *analysis.SimpleLoop, counting analysis.Counting) {
	known := len(f.Blocks)
	inside := func(b *vir.Block) bool {
		return b.ID < known && lp.MaskLogic.Cycles.Contains(lp.Cycle, b.ID)
	}
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
	edit.MergeExitValues(f, inside, more)
}

// testAhead makes b, a copy of the loop's head, test whether its number, which is some
// rounds ahead, is in the limit. 64 bits hold what the limit is less those.
func testAhead(x *analysis.Counting, b *vir.Block, tripCount int64) {
	t, extend, less := vir.Scalar(alu.I64), alu.ZExt, alu.Sle
	if x.Signed {
		extend = alu.SExt
	}
	if x.Strict {
		less = alu.Slt
	}
	f := b.Func
	limit := b.Append(alu.Add, t, b.Append(extend, t, x.Limit), f.Const(t, uint64(-x.Step*tripCount)))
	b.Cond = b.Append(less, vir.Scalar(alu.I1), b.Append(extend, t, x.K), limit)
	if x.Stay == 1 {
		b.Edges[0], b.Edges[1] = b.Edges[1], b.Edges[0]
	}
}
