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

// Pass is a row of the pass table. A pass leaves IDs dense and no unreachable
// blocks, as it requires them.
type Pass struct {
	Name string
	Run  func(*vir.Func, Stats)
}

// Passes lists the passes in their order. Redundancy shows what branches
// decide, and deciding them shows new redundancy; what left a loop may equal
// what stands before it.
var Passes = []Pass{
	{"params", edit.Params},
	{"dead", edit.Dead}, // what was asked of all lanes and found at the ends would hold up what it is made of
	{"redundancy", combine.Redundancy},
	{"atomics", memory.Atomics},
	{"control", control.Control},
	{"loads", combine.Loads},
	{"redundancy", combine.Redundancy},
	{"thread", control.Thread},
	{"params", edit.Params},
	{"redundancy", combine.Redundancy},
	{"loads", combine.Loads}, // where a test asked again was in between
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
	{"fills", vectorize.Fills},
	{"control", control.Control},
	{"narrow", narrow.Narrow},
	{"limits", loops.Limits},
	{"shadows", memory.ArrayCache},
	{"reductions", vectorize.Reductions},
	{"gatherlanes", vectorize.GatherLanes},
	{"gatherreductions", vectorize.GatherReductions},
	{"packs", slp.SLP},
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
	{"choices", control.SelectsToBranches},
	{"sink", control.Sink},
	{"sinkrare", control.SinkRare},
	{"ahead", memory.Prefetch},
	{"countmasks", masks.CountMasks},
}

// Run applies all passes to f, but those whose names are given.
//
// requires: a function that verifies
// maintains: what it computes; a reducible graph stays so
func Run(f *vir.Func, stats map[string]int, without ...string) {
	vir.RemoveUnreachable(f)
	f.Renumber()
	for _, p := range Passes {
		if !slices.Contains(without, p.Name) {
			p.Run(f, stats)
		}
	}
}

// Final lists the passes for a function that is to become code: what they make is not what
// a plan can price.
var Final = []Pass{
	{"votes", masks.Votes},
	{"sinkrare", control.SinkRare},
	{"phaseloops", loops.PhaseLoops},
	{"edgelanes", masks.EdgeLanes},
}

// RunFinal applies the Final passes, but those whose names are given, to a copy of f, which
// stays as it is.
//
// requires: what Run leaves
// maintains: what f computes; a reducible graph stays so
func RunFinal(f *vir.Func, stats Stats, without ...string) *vir.Func {
	f = vir.Clone(f)
	for _, p := range Final {
		if !slices.Contains(without, p.Name) {
			p.Run(f, stats)
		}
	}
	return f
}
