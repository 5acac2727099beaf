package loops

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/control"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Limits of the size of a loop that is peeled.
const (
	maxPeeledBlocks = 6
	maxPeeledValues = 32
)

// Peel copies the first iteration of small inner loops with several exits, in scalar code: a
// search mostly fails at once. The copy starts from constants, and its branches are predicted
// separately from those of later iterations. Tests of a loop for its first iteration become
// constants.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Peel(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	cycles := cfg.Cycles(f.Graph())
	testing, results := firstTests(f, cycles)
	var peeled []edit.CopiedLoop
	first := map[*vir.Block]*vir.Block{} // headers to their copies
	for _, c := range cycles.Cycles {
		if testing[c] || isPeelable(f, cycles, c) {
			blocks := edit.BlocksOf(f, c)
			header := f.Blocks[c.Header]
			copies := edit.CopyBlocks(f, c.Blocks, header)
			peeled, first[header] = append(peeled, edit.CopiedLoop{Blocks: blocks, Copies: []edit.Copies{copies}}), copies.Blocks[header]
		}
	}
	if len(peeled) == 0 {
		return
	}
	enterFirst(f, peeled, first)
	edit.MergeExitValues(f, peeled...)
	stats.Add("peeled loops", len(peeled))
	edit.ReplaceAll(f, results)
	f.Renumber()
	for _, pass := range []func(*vir.Func, edit.Stats){edit.Params, combine.Redundancy, control.Thread, edit.Params, combine.Redundancy, edit.Dead, control.Control} {
		pass(f, stats)
	}
}

// isPeelable reports whether c is a small innermost loop, inside a loop of the work-item, with
// several exits, one of which depends on a loaded value: on its equality with another, or on
// their order in a loop that starts from constants. Other loops that continue while values are
// in order, such as insertion, mostly do not end at once.
func isPeelable(f *vir.Func, cycles *cfg.CycleForest, c *cfg.Cycle) bool {
	if !c.Reducible() || len(c.Children) > 0 || c.Parent == nil || c.Parent.Parent == nil || len(c.Blocks) > maxPeeledBlocks {
		return false
	}
	constant := false
	for _, in := range cycles.Entering(c) {
		for _, a := range f.Blocks[in.From].Edges[in.Index].Args {
			constant = constant || a.Op == vir.Const
		}
	}
	inside := func(b *vir.Block) bool { return cycles.Contains(c, b.ID) }
	values, exits, searches := 0, 0, false
	for _, id := range c.Blocks {
		values += len(f.Blocks[id].Values)
		for _, e := range f.Blocks[id].Edges {
			if !cycles.Contains(c, e.To.ID) {
				exits++
				searches = searches || dependsOnLoad(f.Blocks[id].Cond, inside, maxSearched, constant)
			}
		}
	}
	return values <= maxPeeledValues && exits > 1 && searches
}

// firstTests finds small innermost loops that compare their counter with its constant initial
// value, and the results of those comparisons in all iterations but the first.
func firstTests(f *vir.Func, cycles *cfg.CycleForest) (testing map[*cfg.Cycle]bool, results map[*vir.Value]*vir.Value) {
	testing, results = map[*cfg.Cycle]bool{}, map[*vir.Value]*vir.Value{}
	in := analysis.InEdges(f)
	for _, c := range cycles.Cycles {
		if len(c.Children) > 0 || c.Parent == nil || len(c.Blocks) > maxPeeledBlocks || copiedValues(f, c) > maxPeeledValues {
			continue
		}
		lp := analysis.FindLoop(f, cycles, in, c)
		if lp == nil {
			continue
		}
		k := lp.Counting()
		if k.K == nil || !k.Reaches() {
			continue
		}
		start := k.Start(lp)
		if start == nil {
			continue
		}
		for _, id := range c.Blocks {
			for _, v := range f.Blocks[id].Values {
				if result, ok := afterFirst(&k, v, start.Const); ok {
					testing[c], results[v] = true, f.Const(v.Type, result)
				}
			}
		}
	}
	return testing, results
}

// afterFirst returns the result of v while the counter is above start, if v compares them.
func afterFirst(x *analysis.Counting, v *vir.Value, start uint64) (result uint64, ok bool) {
	if alu.InfoOf(v.Op).Class != alu.Compare {
		return 0, false
	}
	is := func(a *vir.Value) bool { return a.Op == vir.Const && a.Const == start }
	below, above := is(v.Args[0]) && v.Args[1] == x.K, v.Args[0] == x.K && is(v.Args[1])
	switch {
	case !below && !above:
		return 0, false
	case v.Op == alu.Eq:
		return 0, true
	case v.Op == alu.Ne:
		return 1, true
	case x.Signed && (v.Op == alu.Slt || v.Op == alu.Sle), !x.Signed && (v.Op == alu.Ult || v.Op == alu.Ule):
		if below {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// maxSearched bounds the depth of dependsOnLoad.
const maxSearched = 6

// dependsOnLoad reports whether v depends on a load in a loop; through a comparison of order
// only if ordered is set.
func dependsOnLoad(v *vir.Value, inside func(*vir.Block) bool, depth int, ordered bool) bool {
	if v.Op == vir.Const || depth == 0 || !inside(v.Block) {
		return false
	}
	switch v.Op {
	case vir.Load:
		return !v.Invariant
	case alu.Slt, alu.Sle, alu.Ult, alu.Ule, alu.FLt, alu.FLe:
		if !ordered {
			return false
		}
	}
	for _, a := range v.Args {
		if dependsOnLoad(a, inside, depth-1, ordered) {
			return true
		}
	}
	return false
}

// enterFirst makes the edges that enter loops lead to the copies of their headers, which continue
// with the loops.
func enterFirst(f *vir.Func, peeled []edit.CopiedLoop, first map[*vir.Block]*vir.Block) {
	stays := map[*vir.Block]*vir.Block{} // blocks of loops and their copies to the header of the loop
	for _, l := range peeled {
		for _, b := range l.Blocks {
			stays[b] = l.Blocks[0]
			stays[l.Copies[0].Blocks[b]] = l.Blocks[0]
		}
	}
	for _, b := range f.Blocks {
		for i, e := range b.Edges {
			if copied := first[e.To]; copied != nil && stays[b] != e.To {
				b.Edges[i].To = copied
			}
		}
	}
}
