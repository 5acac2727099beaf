package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
)

// Costs holds the costs of vir operations for package plan, in ns on a Zen 4 at 3.7 GHz,
// whose 512-bit operations occupy a 256-bit unit for two cycles. Throughputs are from the
// vendor's optimization guide, except those of memory and lane operations, which are
// measured; the other values are fitted to measured kernels (utest/bench --plan).
var Costs = plan.Costs{
	Widths:       []int{1, 8, 16, 32, 64},
	RegisterBits: 512, Lanes: 16, LanesOf: maskLanes, Part: 0.52,
	VectorRegisters: 29, ScalarRegisters: 13, MaskRegisters: 6,
	Spill: 0.33, MaskSpill: 0.3, Reload: 0.1, FoldsAddresses: true,
	Branch: 0.14, MaskBranch: 1.3, MaskExit: 1.6, Skip: 0.8, BackEdge: 0.19, Mispredict: 8.5, Strips: 1, Window: 200, Overlap: 1.6, ScalarWork: 0.65,
	MaskedLoad: 0.18, MaskedSmall: 0.5, MaskedStore: 0.32, MaskedPrivate: 0.97, Near: 0.45, NearLanes: 0.5, ScatterSize: 4, Bandwidth: 14,
	Rows: costRows,
}.WithExpansions(Legal)

// kind returns r with the kind under which reports list its cost.
func kind(k plan.Kind, r plan.Row) plan.Row {
	r.Kind = k
	return r
}

var (
	integer  = plan.Row{Scalar: plan.Same(0.088), Vector: plan.Same(0.12), Mask: 0.12, Latency: 0.39, ScalarLatency: 0.24, Simple: true}
	float    = plan.Row{Scalar: plan.Same(0.13), Vector: plan.Same(0.21), Latency: 1.1, ScalarLatency: 0.56}
	fma      = plan.Row{Scalar: plan.Same(0.15), Vector: plan.Same(0.22), Latency: 1.3, ScalarLatency: 0.72}
	round    = plan.Row{Scalar: plan.Same(0.22), Vector: plan.Same(0.23), Latency: 1.2, ScalarLatency: 0.72}
	compare  = plan.Row{Scalar: plan.Same(0.051), Vector: plan.Same(0.17), Mask: 0.37, Latency: 1.9, ScalarLatency: 0.22}
	convert  = plan.Row{Scalar: plan.Same(0.22), Vector: plan.Same(0.32), Mask: 0.5, Latency: 1.5, ScalarLatency: 1.2}
	shift    = plan.Row{Scalar: plan.Same(0.18), Vector: [4]float64{0.93, 0.37, 0.25, 0.25}, Latency: 0.57, ScalarLatency: 0.22, Simple: true}
	multiply = plan.Row{Scalar: plan.Same(0.32), Vector: [4]float64{0.72, 0.27, 0.5, 0.72}, Latency: 1.6, ScalarLatency: 0.61}
	dot      = plan.Row{Scalar: plan.Same(0.88), Vector: plan.Same(0.27), Latency: 1.1, ScalarLatency: 1.9} // scalars move to vectors and back
	high     = plan.Row{Scalar: plan.Same(0.44), Vector: [4]float64{0.58, 0.22, 1.1, 3.6}, Latency: 2.8, ScalarLatency: 0.8}
	divide   = plan.Row{
		Scalar: [4]float64{2.4, 2.4, 2.4, 3}, Vector: [4]float64{10, 10, 6, 9.5}, Latency: 14, ScalarLatency: 2.4, Kind: plan.Division,
	}
	divideFloat = plan.Row{Scalar: [4]float64{0, 0, 1, 1.4}, Vector: [4]float64{0, 0, 2.2, 3.1}, Latency: 5, ScalarLatency: 3.3, Kind: plan.Division}
	mask        = plan.Row{Scalar: plan.Same(0.096), Vector: plan.Same(0.23), Mask: 0.38, Latency: 1, ScalarLatency: 0.25}
)

var costRows = map[vir.Op]plan.Row{
	alu.Add: integer, alu.Sub: integer, alu.And: integer, alu.Or: integer, alu.Xor: integer,
	alu.UAddSat: integer, alu.SAddSat: integer, alu.USubSat: integer, alu.SSubSat: integer,
	alu.SMin: integer, alu.SMax: integer, alu.UMin: integer, alu.UMax: integer, alu.Abs: integer,
	alu.Mul: multiply, alu.UMulHi: high, alu.SMulHi: high,
	alu.UDiv: divide, alu.SDiv: divide, alu.URem: divide, alu.SRem: divide,
	alu.Shl: shift, alu.LShr: shift, alu.AShr: shift, alu.Rotl: shift,
	alu.Clz:      {Scalar: plan.Same(0.22), Vector: [4]float64{0.94, 0.62, 0.23, 0.23}, Latency: 0.82, ScalarLatency: 0.24},
	alu.Popcount: {Scalar: plan.Same(0.22), Vector: plan.Same(1.6), Latency: 4.4, ScalarLatency: 0.24},

	alu.DotUS: dot, alu.DotUSSat: dot,

	alu.FAdd: float, alu.FSub: float, alu.FMul: float, alu.FMA: fma,
	alu.FNeg: integer, alu.FAbs: integer,
	alu.FDiv:  divideFloat,
	alu.FSqrt: {Scalar: [4]float64{0, 0, 1.4, 2.5}, Vector: [4]float64{0, 0, 3.2, 5}, Latency: 6, ScalarLatency: 4.1, Kind: plan.Division},
	alu.PMin:  float, alu.PMax: float,
	alu.FMin:   {Scalar: plan.Same(0.44), Vector: plan.Same(0.62), Latency: 2.7, ScalarLatency: 1.1},
	alu.FMax:   {Scalar: plan.Same(0.44), Vector: plan.Same(0.62), Latency: 2.7, ScalarLatency: 1.1},
	alu.FFloor: round, alu.FCeil: round, alu.FTrunc: round, alu.FRint: round,

	alu.Eq: compare, alu.Ne: compare, alu.Slt: compare, alu.Sle: compare, alu.Ult: compare, alu.Ule: compare,
	alu.FEq: compare, alu.FNe: compare, alu.FLt: compare, alu.FLe: compare,
	alu.Select: {Scalar: plan.Same(0.21), Vector: plan.Same(0.11), Mask: 0.81, Latency: 1, ScalarLatency: 0.23},

	alu.Trunc:   {Scalar: plan.Same(0.021), Vector: plan.Same(0.52), Mask: 0.71, Latency: 1.5, ScalarLatency: 0},
	alu.ZExt:    {Scalar: plan.Same(0.031), Vector: plan.Same(0.35), Mask: 0.71, Latency: 1.5, ScalarLatency: 0.14},
	alu.SExt:    {Scalar: plan.Same(0.062), Vector: plan.Same(0.35), Mask: 0.71, Latency: 1.5, ScalarLatency: 0.14},
	alu.FPTrunc: convert, alu.FPExt: convert,
	alu.SIToFP: convert, alu.UIToFP: convert, alu.FPToSI: convert, alu.FPToUI: convert,
	alu.Bitcast: {Scalar: plan.Same(0.22), ScalarLatency: 0.4},

	vir.Const: {}, vir.Param: {}, vir.Context: {},
	vir.Splat:   kind(plan.Moves, plan.Row{Vector: plan.Same(0.3), Mask: 0.52, Latency: 1.6}),
	vir.Iota:    kind(plan.Moves, plan.Row{Vector: plan.Same(0.15)}),
	vir.Prefix:  kind(plan.Masks, plan.Row{Scalar: plan.Same(0.23), Mask: 1.3, Latency: 2.3}),
	vir.Any:     kind(plan.Masks, mask),
	vir.All:     kind(plan.Masks, mask),
	vir.Count:   kind(plan.Masks, mask),
	vir.Bits:    kind(plan.Masks, mask),
	vir.Unbits:  kind(plan.Masks, plan.Row{Scalar: plan.Same(0.2), Mask: 0.4, Latency: 2}),
	vir.Extract: kind(plan.Moves, plan.Row{Vector: plan.Same(0.6), Mask: 0.6, Latency: 1.6}),
	vir.Insert:  kind(plan.Moves, plan.Row{Vector: plan.Same(0.5), Latency: 1.2}),
	vir.First:   kind(plan.Moves, plan.Row{Vector: plan.Same(2), Latency: 4.1}),
	vir.Rank:    kind(plan.Moves, plan.Row{Vector: plan.Same(2), Latency: 5}),
	vir.Part:    kind(plan.Moves, plan.Row{Vector: plan.Same(0.3), Mask: 0.4, Latency: 1.2}),
	vir.Concat:  kind(plan.Moves, plan.Row{Vector: plan.Same(0.3), Mask: 0.4, Latency: 1.2}),
	vir.Resize:  kind(plan.Masks, plan.Row{Mask: 0.38, Latency: 1}), // of masks in vectors, which it does not have
	vir.Shuffle: kind(plan.Moves, plan.Row{Vector: [4]float64{0.97, 0.48, 0.4, 0.4}, Latency: 2.1}),

	vir.Compress: kind(plan.Moves, plan.Row{Vector: [4]float64{1.6, 1.6, 0.6, 0.6}, Latency: 2.4}),
	vir.Expand:   kind(plan.Moves, plan.Row{Vector: [4]float64{1.6, 1.6, 0.6, 0.6}, Latency: 2.4}),

	vir.Load:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.099), ScalarLatency: 1.4}),
	vir.Store:  kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.33)}),
	vir.VLoad:  kind(plan.Contiguous, plan.Row{Vector: plan.Same(0.98), Latency: 2.7}),
	vir.VStore: kind(plan.Contiguous, plan.Row{Vector: plan.Same(0.87)}),
	// The cost of a gather does not depend on the mask; gathers of bytes and words gather
	// dwords and extract from them. Scatters of bytes and words are chains of conditional
	// scalar stores.
	vir.Gather: kind(plan.Gathers, plan.Row{
		Vector: plan.Same(0.22), Lane: [4]float64{0.74, 0.76, 0.7, 1.1}, Latency: 11,
	}),
	vir.Scatter: kind(plan.Scatters, plan.Row{
		Vector: plan.Same(0.23), Lane: [4]float64{2.8, 2, 0.86, 0.71},
	}),
	// An atomic access of lanes is one scalar access per lane.
	vir.Atomic:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.CmpXchg:  kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.VAtomic:  kind(plan.Scatters, plan.Row{Lane: plan.Same(2.2)}),
	vir.VCmpXchg: kind(plan.Scatters, plan.Row{Lane: plan.Same(4)}),
	vir.Fence:    kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
}
