package avx2

import "github.com/simtc/simtc/plan"

// Factors of Zen 5 are those that were fitted for AVX-512, with vectors of half the size; the
// others are estimates from vendors' optimization guides and were not measured.

// CostsZen5 holds the costs on a Zen 5, as factors of those on a Zen 4.
var CostsZen5 = Costs.Times(plan.Factors{
	Vector: 0.7, Mask: 0.7, Division: 1.39,
	Contiguous: 0.9, Gather: 1.02, Scatter: 1.37, ScatterBytes: 1.37, ScalarMemory: 0.75,
	Latency: 0.9, IntegerLatency: 1.5, GatherLatency: 2.62, ScalarLatency: 2.74,
	ScalarWork: 0.51, Spill: 0.86,
	Branch: 0.85, MaskBranch: 0.74, MaskExit: 0.77, BackEdge: 0.8, Mispredict: 1.43,
	MaskedLoad: 1.27, MaskedStore: 1.27, MaskedPrivate: 0.84,
	Window: 0.6, Overlap: 1.49, Bandwidth: 1.88,
})

// CostsGoldenCove holds the costs on a Golden Cove, as factors of those on a Zen 4. It has fast
// gather instructions and masked stores, but blends take three operations.
var CostsGoldenCove = Costs.Times(plan.Factors{
	Vector: 0.9, Mask: 0.9, Moves: 1.3,
	Contiguous: 1.15, Gather: 0.7, NearLanes: 0.74,
	Latency: 1.4, IntegerLatency: 1.15, GatherLatency: 1.14, ScalarLatency: 1.35,
	ScalarWork: 0.64, Spill: 0.87,
	Branch: 1.18, MaskBranch: 1.24, Strips: 0.64,
	MaskedStore: 0.3, MaskedPrivate: 0.5, Bandwidth: 2,
})

// CostsZen3 holds the costs on a Zen 3, whose gathers and branches on masks cost more.
var CostsZen3 = Costs.Times(plan.Factors{Gather: 1.15, MaskBranch: 1.1, MaskedStore: 1.3, MaskedPrivate: 1.2, Bandwidth: 0.8})

// CostsGracemont holds the costs on a Gracemont, which executes 256-bit operations in two passes and
// has slow gathers, blends and masked stores.
var CostsGracemont = Costs.Times(plan.Factors{
	Vector: 2.2, Mask: 2.2, Moves: 2, Division: 1.5,
	Contiguous: 1.6, Gather: 1.6, Scatter: 1.3, ScatterBytes: 1.3,
	Latency: 1.3, ScalarLatency: 1.2, ScalarWork: 1.1,
	MaskBranch: 1.2, MaskedLoad: 3, MaskedStore: 2, MaskedPrivate: 1.5, Window: 0.5, Bandwidth: 0.6,
})
