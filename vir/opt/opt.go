// Package opt lists and runs the passes over vir, the masked vector IR: from
// linearization to the plan, and before code is generated. The passes are in the packages
// below, by subject; helpers that they share are in opt/analysis and opt/edit.
//
// It must not know how control flow became uniform nor any target, and no pass fuses,
// splits or reorders floating-point operations.
package opt

import (
	"slices"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/control"
	"github.com/simtc/simtc/vir/opt/edit"
	"github.com/simtc/simtc/vir/opt/induction"
	"github.com/simtc/simtc/vir/opt/loops"
	"github.com/simtc/simtc/vir/opt/masks"
	"github.com/simtc/simtc/vir/opt/memory"
	"github.com/simtc/simtc/vir/opt/narrow"
	"github.com/simtc/simtc/vir/opt/slp"
	"github.com/simtc/simtc/vir/opt/vectorize"
)

// Stats counts what the passes did, by name.
type Stats = edit.Stats

// Pass is a row of the pass table. A pass requires dense IDs and no unreachable blocks, and
// leaves the function so.
type Pass struct {
	Name string
	Run  func(*vir.Func, Stats)
}

// Passes lists the passes in their order. Redundancy and Control repeat, as deciding a branch
// exposes redundancy and the other way round, and values hoisted out of a loop may equal
// values before it.
var Passes = []Pass{
	{"params", edit.Params},
	{"dead", edit.Dead}, // unused votes would keep their operands alive
	{"redundancy", combine.Redundancy},
	{"atomics", memory.Atomics},
	{"control", control.Control},
	{"loads", combine.Loads},
	{"redundancy", combine.Redundancy},
	{"thread", control.Thread},
	{"params", edit.Params},
	{"redundancy", combine.Redundancy},
	{"loads", combine.Loads}, // threading removed repeated tests in between
	{"interleave", memory.Interleave},
	{"tiles", memory.Tiles},
	{"coalesce", memory.Coalesce},
	{"redundancy", combine.Redundancy},
	{"dead", edit.Dead},
	{"components", memory.Components},
	{"control", control.Control},
	{"liveouts", masks.Liveouts},
	{"control", control.Control},
	{"factors", masks.Factors},
	{"countedexits", loops.CountedExits},
	{"redundancy", combine.Redundancy},
	{"dead", edit.Dead},
	{"control", control.Control},
	{"fillidiom", vectorize.Fills},
	{"control", control.Control},
	{"dotproducts", combine.DotProducts},
	{"narrow", narrow.Narrow},
	{"limits", loops.Limits},
	{"arraycache", memory.ArrayCache},
	{"reductions", vectorize.Reductions},
	{"gatherlanes", vectorize.GatherLanes},
	{"gatherreductions", vectorize.GatherReductions},
	{"slp", slp.SLP},
	{"acrosslanes", vectorize.AcrossLanes},
	{"anyof", slp.AnyOf},
	{"peel", loops.Peel},
	{"unroll", loops.Unroll},
	{"induction", induction.Induction},
	{"indices", induction.Indices},
	{"subscripts", induction.Subscripts},
	{"ranges", combine.Ranges},
	{"hoist", loops.Hoist},
	{"recurrences", induction.Recurrences},
	{"horner", induction.Horner},
	{"signs", combine.Signs},
	{"dead", edit.Dead},
	{"control", control.Control},
	{"rotate", loops.Rotate},
	{"latchtests", loops.LatchTests},
	{"lanetests", loops.LaneTests},
	{"selectstobranches", control.SelectsToBranches},
	{"sink", control.Sink},
	{"sinkrare", control.SinkRare},
	{"prefetch", memory.Prefetch},
	{"countmasks", masks.CountMasks},
}

// Run applies all passes to f, except the disabled ones, by name.
//
// requires: a function that verifies
// maintains: what f computes; a reducible graph stays so
func Run(f *vir.Func, stats map[string]int, disabled ...string) {
	vir.RemoveUnreachable(f)
	f.Renumber()
	for _, p := range Passes {
		if !slices.Contains(disabled, p.Name) {
			p.Run(f, stats)
		}
	}
}

// Final lists the passes that run before code is generated, after the plan has estimated the
// cost: the cost model cannot estimate their results.
var Final = []Pass{
	{"votes", masks.Votes},
	{"sinkrare", control.SinkRare},
	{"phaseloops", loops.PhaseLoops},
	{"edgelanes", masks.EdgeLanes},
}

// RunFinal applies the Final passes, except the disabled ones, to a copy of f.
//
// requires: a result of Run
// maintains: what f computes; a reducible graph stays so
func RunFinal(f *vir.Func, stats Stats, disabled ...string) *vir.Func {
	f = vir.Clone(f)
	for _, p := range Final {
		if !slices.Contains(disabled, p.Name) {
			p.Run(f, stats)
		}
	}
	return f
}
