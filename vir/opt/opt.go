// Package opt optimizes vir after linearization: it simplifies and merges
// operations and masks, follows what branches imply, moves what does not change
// out of loops, and cleans the control flow up. Each pass is a function in a
// file of its own.
//
// It must not know how flow became uniform nor any target, and it never fuses,
// splits or reorders floating-point operations.
package opt

import (
	"slices"

	"github.com/simtc/simtc/vir"
)

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
	{"params", Params},
	{"dead", Dead}, // what was asked of all lanes and found at the ends would hold up what it is made of
	{"redundancy", Redundancy},
	{"atomics", Atomics},
	{"control", Control},
	{"loads", Loads},
	{"redundancy", Redundancy},
	{"thread", Thread},
	{"params", Params},
	{"redundancy", Redundancy},
	{"loads", Loads}, // where a test asked again was in between
	{"interleave", Interleave},
	{"tiles", Tiles},
	{"coalesce", Coalesce},
	{"redundancy", Redundancy},
	{"dead", Dead},
	{"components", Components},
	{"control", Control},
	{"liveouts", Liveouts},
	{"control", Control},
	{"factors", Factors},
	{"countedexits", CountedExits},
	{"redundancy", Redundancy},
	{"dead", Dead},
	{"control", Control},
	{"fills", Fills},
	{"control", Control},
	{"narrow", Narrow},
	{"limits", Limits},
	{"shadows", Shadows},
	{"reductions", Reductions},
	{"gatherlanes", GatherLanes},
	{"gatherreductions", GatherReductions},
	{"packs", Packs},
	{"acrosslanes", AcrossLanes},
	{"anyof", AnyOf},
	{"peel", Peel},
	{"unroll", Unroll},
	{"induction", Induction},
	{"indices", Indices},
	{"subscripts", Subscripts},
	{"ranges", Ranges},
	{"hoist", Hoist},
	{"recurrences", Recurrences},
	{"horner", Horner},
	{"signs", Signs},
	{"dead", Dead},
	{"control", Control},
	{"rotate", Rotate},
	{"latchtests", LatchTests},
	{"lanetests", LaneTests},
	{"choices", Choices},
	{"sink", Sink},
	{"sinkrare", SinkRare},
	{"ahead", Ahead},
	{"countmasks", CountMasks},
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
	{"votes", Votes},
	{"sinkrare", SinkRare},
	{"phaseloops", PhaseLoops},
	{"edgelanes", EdgeLanes},
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
