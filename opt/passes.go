package opt

import "github.com/simtc/simtc/kernel"

// Passes transform a lowered kernel into the form that linearization requires. The last
// Required of them establish that form; the ones before are optional.
var Passes = []Pass{
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
	{Name: "scalarpromotion", Run: ScalarPromotion},
	{Name: "promote", Run: Promote},
	{Name: "forward", Run: Forward},
	{Name: "fold", Run: Fold},
	{Name: "switch", Run: LowerSwitch},
	{Name: "bounds", Run: Bounds},
	{Name: "control", Run: SimplifyControl},
	{Name: "combineloads", Run: CombineLoads},
	{Name: "recombine", Run: Recombine},
	{Name: "remainders", Run: Remainders},
	{Name: "strength", Run: Strength},
	{Name: "demandedbits", Run: DemandedBits},
	{Name: "constantoffsets", Run: ConstantOffsets},
	{Name: "ifconvert", Run: IfConvert},
	{Name: "control", Run: SimplifyControl},
	{Name: "fold", Run: Fold},
	{Name: "cse", Run: CSE},
	{Name: "dead", Run: RemoveDead},
	{Name: "switch", Run: LowerSwitch},
	{Name: "returns", Run: MergeReturns},
	{Name: "loops", Run: CanonicalizeLoops},
	{Name: "params", Run: RemoveTrivialParams},
	{Name: "lcssa", Run: LCSSA},
}

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
}, Passes[len(Passes)-Required:]...)

// SingleLane lists the passes for a prepared kernel of which one work-item runs at a time.
// Such code exits loops without waiting for other lanes, and the loops that Nest creates
// give it more loop-invariant values.
var SingleLane = append([]Pass{
	{Name: "threadheaders", Run: ThreadHeaders},
	{Name: "nest", Run: Nest},
	{Name: "lcssa", Run: LCSSA},
	{Name: "unswitch", Run: Unswitch},
	{Name: "params", Run: RemoveTrivialParams},
	{Name: "forward", Run: Forward},
	{Name: "fold", Run: Fold},
	{Name: "cse", Run: CSE},
	{Name: "dead", Run: RemoveDead},
}, Passes[len(Passes)-Required:]...)

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

// Required is the number of passes at the end that linearization requires.
const Required = 5
