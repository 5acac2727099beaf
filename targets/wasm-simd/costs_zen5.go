package wasmsimd

import "github.com/simtc/simtc/plan"

// CostsZen5 is the cost model of Wasmtime's code on a Zen 5, relative to Zen 4. The factors
// are fitted to measured kernels (utest/bench --plan).
var CostsZen5 = Costs.Times(plan.Factors{
	Vector: 0.82, Mask: 0.91, Moves: 0.81,
	Contiguous: 1.09, Gather: 0.96, Scatter: 1.17, ScalarMemory: 0.87,
	Latency: 1.09, GatherLatency: 1.14,
	Part: 0.84, Spill: 0.81,
	Branch: 0.79, MaskBranch: 1.52, MaskExit: 1.12, BackEdge: 0.75, Mispredict: 0.62,
	MaskedLoad: 1.11, MaskedStore: 1.35, MaskedPrivate: 0.95, Near: 1.03,
	Window: 1.03, Overlap: 0.97, Bandwidth: 1.54,
})
