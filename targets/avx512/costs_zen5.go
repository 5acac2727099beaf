package avx512

import "github.com/simtc/simtc/plan"

// CostsZen5 holds the costs on a Zen 5, whose vector units are 512 bits wide, as factors of
// those on a Zen 4. The factors are fitted to measured kernels (utest/bench --plan); that of
// a misprediction includes the delay of dependent operations.
var CostsZen5 = Costs.Times(plan.Factors{
	Vector: 0.2, Mask: 0.33, Moves: 0.94, Division: 1.39,
	Contiguous: 0.78, Gather: 1.02, Scatter: 1.37, ScatterBytes: 2.59, ScalarMemory: 0.75,
	Latency: 0.74, IntegerLatency: 1.92, GatherLatency: 2.62, ScalarLatency: 2.74,
	ScalarWork: 0.51, Part: 1.25, Spill: 0.86, MaskSpill: 0.52,
	Branch: 0.85, MaskBranch: 0.74, MaskExit: 0.77, BackEdge: 0.8, Mispredict: 1.43,
	MaskedLoad: 1.27, MaskedStore: 1.27, MaskedPrivate: 0.84,
	Window: 0.6, Overlap: 1.49, Bandwidth: 1.88,
})
