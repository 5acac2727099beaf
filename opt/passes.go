package opt

// Passes bring a kernel as lowered into the form that linearization takes, in
// this order. Those before the last Required may be left out without harm; the
// last establish what package blockip requires.
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
	{Name: "promote", Run: Promote},
	{Name: "forward", Run: Forward},
	{Name: "fold", Run: Fold},
	{Name: "combine", Run: Combine},
	{Name: "remainders", Run: Remainders},
	{Name: "strength", Run: Strength},
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
	{Name: "cse", Run: CSE},
	{Name: "dead", Run: RemoveDead},
}, Passes[len(Passes)-Required:]...)

// Required is how many passes at the end linearization cannot do without.
const Required = 5
