package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/vir"
)

// legalFunc is a legal function on its way to instruction selection.
type legalFunc struct {
	*vir.Func
	counted     map[*vir.Block]*countdown
	keepSelects bool
}

// legalPasses prepare a legal function for selection: they shape operations that one instruction
// can do together.
var legalPasses = pass.List[*legalFunc]{
	Stage: "legal", Check: func(f *legalFunc) error { return vir.Verify(f.Func) },
	Passes: []pass.Pass[*legalFunc]{
		{Name: "complements", Run: onFunc(complements)},
		{Name: "negatedsplats", Run: onFunc(negateAfterSplat)},
		{Name: "products", Run: onFunc(scaleProducts)},
		{Name: "unused", Run: onFunc(removeUnused)},
		{Name: "sinkcarried", Run: onFunc(sinkAllCarried)},
		{Name: "countdown", Run: countDownLoops},
		{Name: "splitconditions", Run: splitCountedConditions, Required: true, After: []string{"countdown"}},
		{Name: "branchselects", Run: branchLegalSelects},
	},
}

// onFunc makes a pass of a function over vir.
func onFunc(run func(*vir.Func)) func(*legalFunc, pass.Stats) {
	return func(f *legalFunc, _ pass.Stats) { run(f.Func) }
}

// countDownLoops is countDown as a pass.
func countDownLoops(f *legalFunc, _ pass.Stats) { f.counted = countDown(f.Func) }

// splitCountedConditions is splitConditions as a pass.
func splitCountedConditions(f *legalFunc, _ pass.Stats) { splitConditions(f.Func, f.counted) }

// branchLegalSelects is branchSelects as a pass.
func branchLegalSelects(f *legalFunc, st pass.Stats) {
	if !f.keepSelects {
		st.Add(statBranched, branchSelects(f.Func))
	}
}

// statBranched is the statistic of branchselects that is part of CodeStats.
const statBranched = "selects turned into branches"

// The steps around the list.
const legalizeStage, selectStage = "legalize", "select"

// Passes lists the steps and passes of Compile in their order.
func Passes() []pass.Description {
	step := func(stage string) []pass.Description {
		return []pass.Description{{Step: pass.Step{Stage: stage, Name: "avx512"}, Required: true}}
	}
	return slices.Concat(step(legalizeStage), legalPasses.Describe(), step(selectStage), x86.Passes("avx512"))
}

// sinkAllCarried runs sinkCarried for the blocks that define arguments of back edges.
func sinkAllCarried(f *vir.Func) {
	dom := cfg.Dominators(f.Graph())
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			if !dom.Dominates(e.To.ID, b.ID) {
				continue
			}
			var defining []*vir.Block
			for _, a := range e.Args {
				if a.Block != nil && dom.Dominates(e.To.ID, a.Block.ID) && !slices.Contains(defining, a.Block) {
					defining = append(defining, a.Block)
				}
			}
			for _, d := range defining {
				sinkCarried(d, e)
			}
		}
	}
}
