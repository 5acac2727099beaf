package wasmsimd

import "github.com/simtc/simtc/plan"

// CostsGoldenCove are those of a Golden Cove running Wasmtime's code, by what they are on a
// Zen 4: the numbers with which measured kernels (utest/bench --plan) come out best.
var CostsGoldenCove = Costs.Times(plan.Factors{
	Mask: 1.57, Contiguous: 1.18, Division: 0.78,
	Latency: 1.18, GatherLatency: 1.93,
	ScalarWork: 0.85, Spill: 0.74,
	Branch: 0.92, MaskBranch: 1.21, MaskExit: 1.21, BackEdge: 0.74, Mispredict: 0.73, Strips: 0.87,
	Window: 0.55, Overlap: 1.35, Bandwidth: 1.35,
})
