// Package opt lists and runs the passes over vir, the masked vector IR: from
// linearization to the plan, and before code is generated. The passes are in the packages
// below, by subject; helpers that they share are in opt/analysis and opt/edit.
//
// It must not know how control flow became uniform nor any target, and no pass fuses,
// splits or reorders floating-point operations.
package opt

import (
	"github.com/simtc/simtc/internal/pass"
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

// Pass is a pass over the vector IR. It requires dense IDs and no unreachable blocks, and
// leaves the function so.
type Pass = pass.Pass[*vir.Func]

// Passes lists the passes in their order. Redundancy and Control repeat, as deciding a branch
// exposes redundancy and the other way round, and values hoisted out of a loop may equal
// values before it.
var Passes = []Pass{
	{Name: "unreachable", Run: removeUnreachable, Required: true},
	{Name: "dead", Run: edit.Dead}, // unused votes would keep their operands alive
	{Name: "redundancy", Run: combine.Redundancy},
	{Name: "atomics", Run: memory.Atomics},
	{Name: "control", Run: control.Control},
	{Name: "redundancy", Run: combine.Redundancy},
	{Name: "thread", Run: control.Thread},
	{Name: "redundancy", Run: combine.Redundancy},
	{Name: "pieces", Run: memory.Pieces},
	{Name: "maskedpieces", Run: memory.MaskedPieces},
	{Name: "maskedpiecestores", Run: memory.MaskedPieceStores},
	{Name: "interleave", Run: memory.Interleave},
	{Name: "maskedinterleave", Run: memory.MaskedInterleave},
	{Name: "maskedinterleavestores", Run: memory.MaskedInterleaveStores},
	{Name: "tiles", Run: memory.Tiles},
	{Name: "coalesce", Run: memory.Coalesce},
	{Name: "compact", Run: memory.Compact, After: []string{"redundancy"}},
	{Name: "redundancy", Run: combine.Redundancy},
	{Name: "dead", Run: edit.Dead},
	{Name: "components", Run: memory.Components},
	{Name: "control", Run: control.Control},
	{Name: "liveouts", Run: masks.Liveouts},
	{Name: "control", Run: control.Control},
	{Name: "factors", Run: masks.Factors},
	{Name: "redundancy", Run: combine.Redundancy},
	{Name: "dead", Run: edit.Dead},
	{Name: "control", Run: control.Control},
	{Name: "fillidiom", Run: vectorize.Fills},
	{Name: "control", Run: control.Control},
	{Name: "dotproducts", Run: combine.DotProducts},
	{Name: "narrow", Run: narrow.Narrow},
	{Name: "limits", Run: loops.Limits},
	{Name: "arraycache", Run: memory.ArrayCache},
	{Name: "reductions", Run: vectorize.Reductions},
	{Name: "gatherreductions", Run: vectorize.GatherReductions},
	{Name: "slp", Run: slp.SLP},
	{Name: "acrosslanes", Run: vectorize.AcrossLanes},
	{Name: "peel", Run: loops.Peel},
	{Name: "unroll", Run: loops.Unroll},
	{Name: "induction", Run: induction.Induction},
	{Name: "indices", Run: induction.Indices, After: []string{"induction"}},
	{Name: "ranges", Run: combine.Ranges},
	{Name: "hoist", Run: loops.Hoist, After: []string{"fillidiom", "reductions", "slp", "unroll"}},
	{Name: "recurrences", Run: induction.Recurrences},
	{Name: "horner", Run: induction.Horner},
	{Name: "signs", Run: combine.Signs},
	{Name: "dead", Run: edit.Dead},
	{Name: "control", Run: control.Control},
	{Name: "rotate", Run: loops.Rotate},
	{Name: "latchtests", Run: loops.LatchTests},
	{Name: "sink", Run: control.Sink},
	{Name: "countmasks", Run: masks.CountMasks},
}

// removeUnreachable removes unreachable blocks and makes IDs dense.
//
// requires: a function that verifies
// maintains: what f computes
func removeUnreachable(f *vir.Func, _ Stats) {
	vir.RemoveUnreachable(f)
	f.Renumber()
}

// Run applies all passes to f.
//
// requires: a function that verifies
// maintains: what f computes; a reducible graph stays so
func Run(f *vir.Func, stats map[string]int) {
	for _, p := range Passes {
		p.Run(f, stats)
	}
}

// Final lists the passes that run before code is generated, after the plan has estimated the
// cost: the cost model cannot estimate their results.
var Final = []Pass{
	{Name: "votes", Run: masks.Votes},
	{Name: "phaseloops", Run: loops.PhaseLoops},
	{Name: "edgelanes", Run: masks.EdgeLanes},
}
