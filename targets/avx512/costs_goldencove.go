package avx512

import "github.com/simtc/simtc/plan"

// CostsGoldenCove holds the costs on a Golden Cove, as factors of those on a Zen 4. It has
// two 512-bit units and gather instructions that are faster than scalar loads. The factors
// are fitted to measured kernels (utest/bench --plan); that of a misprediction includes the
// delay of dependent operations.
var CostsGoldenCove = Costs.Times(plan.Factors{
	Vector: 0.69, Mask: 1.35, Moves: 1.55,
	Contiguous: 1.15, Gather: 0.7, NearLanes: 0.74,
	Latency: 1.58, IntegerLatency: 1.15, GatherLatency: 1.14, ScalarLatency: 1.35,
	ScalarWork: 0.64, Part: 0.86, Spill: 0.87, MaskSpill: 1.14,
	Branch: 1.18, MaskBranch: 1.24, Strips: 0.64,
	Bandwidth: 2,
})
