package avx2

import (
	"slices"

	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// legalFunc is a legal function on its way to instruction selection.
type legalFunc struct {
	*vir.Func
	keepSelects bool
}

// legalPasses prepare a legal function for selection: they shape operations that one instruction
// can do together.
var legalPasses = pass.List[*legalFunc]{
	Stage: "legal", Check: func(f *legalFunc) error { return vir.Verify(f.Func) },
	Passes: []pass.Pass[*legalFunc]{
		{Name: "negatedsplats", Run: onFunc(isel.NegateAfterSplat)},
		{Name: "products", Run: onFunc(isel.ScaleProducts)},
		{Name: "amounts", Run: onFunc(isel.BoundAmounts), Required: true},
		{Name: "unused", Run: onFunc(isel.RemoveUnused)},
		{Name: "sinkcarried", Run: onFunc(isel.SinkAllCarried)},
		{Name: "splitconditions", Run: onFunc(func(f *vir.Func) { isel.SplitConditions(f, func(*vir.Block) bool { return false }) }), Required: true},
		{Name: "branchselects", Run: func(f *legalFunc, st pass.Stats) {
			if !f.keepSelects {
				st.Add(statBranched, isel.BranchSelects(f.Func))
			}
		}},
	},
}

// onFunc makes a pass of a function over vir.
func onFunc(run func(*vir.Func)) func(*legalFunc, pass.Stats) {
	return func(f *legalFunc, _ pass.Stats) { run(f.Func) }
}

// statBranched is the statistic of branchselects that is part of CodeStats.
const statBranched = "selects turned into branches"

// The steps around the list.
const legalizeStage, selectStage = "legalize", "select"

// Passes lists the steps and passes of Compile in their order.
func Passes() []pass.Description {
	step := func(stage string) []pass.Description {
		return []pass.Description{{Step: pass.Step{Stage: stage, Name: Name}, Required: true}}
	}
	return slices.Concat(step(legalizeStage), legalPasses.Describe(), step(selectStage), x86.Passes(Name))
}
