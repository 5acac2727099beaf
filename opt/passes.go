package opt

import (
	"slices"

	"github.com/simtc/simtc/kernel"
)

// Simplify lists the passes that optimize a lowered kernel. All of them are optional.
var Simplify = []Pass{
	{Name: "unreachable", Run: RemoveUnreachable},
	{Name: "promote", Run: Promote},
	{Name: "sroa", Run: SROA},
	{Name: "promote", Run: Promote},
	{Name: "params", Run: RemoveTrivialParams},
	{Name: "fold", Run: Fold},
	{Name: "narrow", Run: Narrow},
	{Name: "control", Run: SimplifyControl},
	{Name: "cse", Run: CSE},
	{Name: "unroll", Run: Unroll},
	{Name: "promote", Run: Promote},
	{Name: "forward", Run: Forward},
	{Name: "fold", Run: Fold},
	{Name: "switch", Run: LowerSwitch},
	{Name: "bounds", Run: Bounds},
	{Name: "control", Run: SimplifyControl},
	{Name: "combineloads", Run: CombineLoads},
	{Name: "recombine", Run: Recombine},
	{Name: "remainders", Run: Remainders},
	{Name: "strength", Run: Strength, After: []string{"remainders"}},
	{Name: "demandedbits", Run: DemandedBits},
	{Name: "constantoffsets", Run: ConstantOffsets},
	{Name: "ifconvert", Run: IfConvert},
	{Name: "quotients", Run: Quotients},
	{Name: "control", Run: SimplifyControl},
	{Name: "fold", Run: Fold},
	{Name: "cse", Run: CSE},
}

// Canonicalize lists the passes that establish the form that linearization requires: no
// switches, one return, canonical loops, and loop-closed SSA.
var Canonicalize = []Pass{
	{Name: "switch", Run: LowerSwitch, Required: true},
	{Name: "returns", Run: MergeReturns, Required: true},
	{Name: "loops", Run: CanonicalizeLoops, Required: true, After: []string{"returns"}},
	{Name: "params", Run: RemoveTrivialParams, Required: true},
	{Name: "lcssa", Run: LCSSA, Required: true, After: []string{"loops"}},
}

// Passes lists all passes over a lowered kernel.
var Passes = slices.Concat(Simplify, Canonicalize)

// Resize lists the passes to run after an operation of a prepared kernel was replaced by a
// constant.
var Resize = append([]Pass{
	{Name: "fold", Run: Fold},
	{Name: "control", Run: SimplifyControl},
	{Name: "unroll", Run: Unroll},
	{Name: "fold", Run: Fold},
	{Name: "control", Run: SimplifyControl},
	{Name: "constantoffsets", Run: ConstantOffsets},
	{Name: "fold", Run: Fold},
	{Name: "cse", Run: CSE},
	{Name: "dead", Run: RemoveDead},
}, Canonicalize...)

// SingleLane lists the passes for a prepared kernel of which one work-item runs at a time.
// Such code exits loops without waiting for other lanes, and the loops that Nest creates
// give it more loop-invariant values.
var SingleLane = append([]Pass{
	{Name: "threadheaders", Run: ThreadHeaders},
	{Name: "nest", Run: Nest},
	{Name: "lcssa", Run: LCSSA},
	{Name: "unswitch", Run: Unswitch, After: []string{"lcssa"}},
	{Name: "params", Run: RemoveTrivialParams},
	{Name: "forward", Run: Forward},
	{Name: "fold", Run: Fold},
	{Name: "cse", Run: CSE},
	{Name: "dead", Run: RemoveDead},
}, Canonicalize...)

// OneLane returns a copy of a prepared kernel with the passes of SingleLane applied, or f
// itself if the first two change nothing. Kernels with barriers are excluded: the phases
// of their work-groups form cycles that are no loops of the source.
func OneLane(f *kernel.Func, st Stats) *kernel.Func {
	if f.Uses(kernel.GroupState) {
		return f
	}
	copied, counts := kernel.Clone(f), Stats{}
	for i, p := range SingleLane {
		if p.Run(copied, counts); i == 1 && len(counts) == 0 {
			return f
		}
	}
	for name, n := range counts {
		st.Add(name, n)
	}
	return copied
}
