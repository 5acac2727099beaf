package avx512

import "github.com/simtc/simtc/plan"

// CostsGoldenCove are those of a Golden Cove, which has two units of 512 bits and gathers by
// instructions, by what they are on a Zen 4. The numbers are those with which measured
// kernels (utest/bench --plan) come out best; wrong guesses stand for what they delay, too.
var CostsGoldenCove = Costs.Times(plan.Factors{
	Vector: 0.69, Mask: 1.35, Moves: 1.55,
	Contiguous: 1.15, Gather: 0.7, NearLanes: 0.74,
	Latency: 1.58, IntegerLatency: 1.15, GatherLatency: 1.14, ScalarLatency: 1.35,
	ScalarWork: 0.64, Part: 0.86, Spill: 0.87, MaskSpill: 1.14,
	Branch: 1.18, MaskBranch: 1.24, Strips: 0.64,
	Bandwidth: 2,
})
