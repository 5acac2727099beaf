package opt

import "github.com/simtc/simtc/kernel"

// Passes bring a kernel as lowered into the form that linearization takes, in
// this order. Those before the last Required may be left out without harm; the
// last establish what linearization requires.
var Passes = []Pass{
	{Name: "unreachable", Run: RemoveUnreachable},
	{Name: "promote", Run: Promote},
	{Name: "split", Run: Split},
	{Name: "promote", Run: Promote},
	{Name: "params", Run: RemoveTrivialParams},
	{Name: "fold", Run: Fold},
	{Name: "narrow", Run: Narrow},
	{Name: "control", Run: SimplifyControl},
	{Name: "cse", Run: CSE},
	{Name: "unroll", Run: Unroll},
	{Name: "registers", Run: Registers},
	{Name: "promote", Run: Promote},
	{Name: "forward", Run: Forward},
	{Name: "fold", Run: Fold},
	{Name: "switch", Run: LowerSwitch},
	{Name: "bounds", Run: Bounds},
	{Name: "control", Run: SimplifyControl},
	{Name: "combine", Run: Combine},
	{Name: "rejoin", Run: Rejoin},
	{Name: "remainders", Run: Remainders},
	{Name: "strength", Run: Strength},
	{Name: "demand", Run: Demand},
	{Name: "displace", Run: Displace},
	{Name: "convert", Run: IfConvert},
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

// Resize are the passes for a prepared kernel in which an operation was replaced
// by a constant.
var Resize = append([]Pass{
	{Name: "fold", Run: Fold},
	{Name: "control", Run: SimplifyControl},
	{Name: "unroll", Run: Unroll},
	{Name: "fold", Run: Fold},
	{Name: "control", Run: SimplifyControl},
	{Name: "displace", Run: Displace},
	{Name: "fold", Run: Fold},
	{Name: "cse", Run: CSE},
	{Name: "dead", Run: RemoveDead},
}, Passes[len(Passes)-Required:]...)

// Single are the passes for a prepared kernel of which one work-item runs at a
// time: it leaves loops at once, and of what changes in every round of a loop, some stays
// the same in the rounds of those that Nest makes.
var Single = append([]Pass{
	{Name: "flags", Run: Flags},
	{Name: "nest", Run: Nest},
	{Name: "lcssa", Run: LCSSA},
	{Name: "unswitch", Run: Unswitch},
	{Name: "params", Run: RemoveTrivialParams},
	{Name: "forward", Run: Forward},
	{Name: "fold", Run: Fold},
	{Name: "cse", Run: CSE},
	{Name: "dead", Run: RemoveDead},
}, Passes[len(Passes)-Required:]...)

// OneLane returns a prepared kernel with the passes of Single applied; f itself,
// which stays as it is, where the first two find nothing. The phases of a kernel that waits
// at barriers are no loops to look into.
func OneLane(f *kernel.Func, st Stats) *kernel.Func {
	if f.Uses(kernel.GroupState) {
		return f
	}
	made, own := kernel.Clone(f), Stats{}
	for i, p := range Single {
		if p.Run(made, own); i == 1 && len(own) == 0 {
			return f
		}
	}
	for name, n := range own {
		st.Add(name, n)
	}
	return made
}

// Required is how many passes at the end linearization cannot do without.
const Required = 5
