package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
)

// Costs is the cost model: ns of Wasmtime's code on a Zen 4 at 3.7 GHz. Vectors are lists
// of v128. Masks are lanes of all ones, with the lane size of the compared values, so that
// they cost the same as vectors and live in vector registers; constants occupy some of
// those. Rows were measured in small loops and then, like all numbers, fitted to measured
// kernels (utest/bench --plan): accesses include cache misses, masked ones also their
// branches.
var Costs = plan.Costs{
	Widths:       []int{1, 4, 8, 16},
	RegisterBits: 128, Lanes: 4, Part: 0.89,
	VectorRegisters: 13, ScalarRegisters: 12,
	Spill: 0.3, Reload: 0.22, Branch: 0.094, MaskBranch: 1.2, MaskExit: 0.46, Skip: 0.6, BackEdge: 0.7, Mispredict: 9, Strips: 1, Window: 52, Overlap: 2.1, ScalarWork: 0.65,
	Bandwidth: 6, MaskedLoad: 0.18, MaskedOnce: 0.23, Near: 0.88, MaskedStore: 5.1, MaskedPrivate: 0.7, LaneShift: 0.3,
	MaxLength: 130_000, // about 28 bytes each; Wasmtime's compiler fails at 5 MB, other engines above 7.6
	Rows:      costRows,
}.WithExpansions(Legal)

// kind sets a row's kind.
func kind(k plan.Kind, r plan.Row) plan.Row {
	r.Kind = k
	return r
}

var (
	integer = plan.Row{Scalar: plan.Same(0.083), Vector: plan.Same(0.089), Mask: 0.12, Latency: 0.9, ScalarLatency: 0.22}
	float   = plan.Row{Scalar: plan.Same(0.21), Vector: plan.Same(0.074), Mask: 0.13, Latency: 0.92, ScalarLatency: 0.79}
	compare = plan.Row{Scalar: plan.Same(0.13), Vector: plan.Same(0.097), Mask: 0.11, Latency: 0.31, ScalarLatency: 0.33}
	extend  = plan.Row{Scalar: plan.Same(0.1), Vector: plan.Same(0.15), Mask: 0.21, Latency: 0.79, ScalarLatency: 0.19}
	convert = plan.Row{Scalar: plan.Same(0.33), Vector: [4]float64{0.55, 0.55, 0.55, 0.9}, Latency: 1.6, ScalarLatency: 2}
	shift   = plan.Row{Scalar: plan.Same(0.16), Vector: [4]float64{0.98, 0.61, 0.25, 0.25}, Latency: 0.4, ScalarLatency: 0.25}
	divide  = plan.Row{Scalar: [4]float64{1.6, 1.6, 1.8, 2.3}, Vector: [4]float64{11, 5.5, 2.7, 0}, Lane: [4]float64{3: 2.3}, Latency: 13, ScalarLatency: 3.2, Kind: plan.Division}
	// There is no 64 by 64 bit product.
	high   = plan.Row{Scalar: [4]float64{0.38, 0.38, 0.38, 2.8}, Vector: [4]float64{0.44, 0.25, 0.38, 3.1}, Latency: 1.8, ScalarLatency: 1.1}
	dot    = plan.Row{Scalar: plan.Same(3.7), Vector: plan.Same(4.4), Latency: 2.5, ScalarLatency: 2.4} // expanded to shifts and products
	choose = plan.Row{Scalar: plan.Same(0.24), Vector: plan.Same(0.22), Mask: 0.22, Latency: 0.54, ScalarLatency: 0.32}
	vote   = plan.Row{Scalar: plan.Same(0.12), Vector: plan.Same(0.28), Mask: 0.41, Latency: 1.1}
)

var costRows = map[vir.Op]plan.Row{
	alu.Add: integer, alu.Sub: integer, alu.And: integer, alu.Or: integer, alu.Xor: integer,
	alu.UAddSat: integer, alu.SAddSat: integer, alu.USubSat: integer, alu.SSubSat: integer,
	alu.SMin: integer, alu.SMax: integer, alu.UMin: integer, alu.UMax: integer, alu.Abs: integer,
	alu.Mul:    {Scalar: plan.Same(0.3), Vector: [4]float64{1.1, 0.19, 0.17, 0.17}, Latency: 0.85, ScalarLatency: 0.84},
	alu.UMulHi: high,
	alu.SMulHi: high,
	alu.UDiv:   divide, alu.SDiv: divide, alu.URem: divide, alu.SRem: divide,
	alu.Shl: shift, alu.LShr: shift, alu.AShr: shift, alu.Rotl: {Scalar: plan.Same(0.18), Vector: [4]float64{1.7, 1, 0.52, 0.52}, Latency: 0.9, ScalarLatency: 0.36},
	alu.Clz:      {Scalar: plan.Same(0.17), Vector: plan.Same(0.9), Latency: 2.7, ScalarLatency: 0.3},
	alu.Popcount: {Scalar: plan.Same(0.23), Vector: plan.Same(0.75), Latency: 3.8, ScalarLatency: 0.34},

	alu.DotUS: dot, alu.DotUSSat: dot,

	alu.FAdd: float, alu.FSub: float, alu.FMul: float,
	// The relaxed multiply-add, if the engine fuses it. Scalars have to be moved into
	// vectors for it, except in sums of products, which stay there and cost less
	// (lanezero.go).
	alu.FMA:  {Scalar: plan.Same(0.41), Vector: plan.Same(0.2), Latency: 1.1, ScalarLatency: 1.2},
	alu.FNeg: integer, alu.FAbs: integer,
	alu.FDiv:  {Scalar: [4]float64{0, 0, 0.97, 1.5}, Vector: [4]float64{0, 0, 0.72, 1.2}, Latency: 5.2, ScalarLatency: 2.9, Kind: plan.Division},
	alu.FSqrt: {Scalar: [4]float64{0, 0, 1.5, 2.6}, Vector: [4]float64{0, 0, 1.1, 2}, Latency: 7.6, ScalarLatency: 3.9, Kind: plan.Division},
	alu.PMin:  {Scalar: plan.Same(0.61), Vector: plan.Same(0.13), Latency: 0.7, ScalarLatency: 1}, alu.PMax: {Scalar: plan.Same(0.61), Vector: plan.Same(0.13), Latency: 0.7, ScalarLatency: 1},
	alu.FMin:   {Scalar: plan.Same(0.78), Vector: plan.Same(0.38), Latency: 1.5, ScalarLatency: 1.5},
	alu.FMax:   {Scalar: plan.Same(0.78), Vector: plan.Same(0.38), Latency: 1.5, ScalarLatency: 1.5},
	alu.FFloor: float, alu.FCeil: float, alu.FTrunc: float, alu.FRint: float,

	alu.Eq: compare, alu.Ne: compare, alu.Slt: compare, alu.Sle: compare, alu.Ult: compare, alu.Ule: compare,
	alu.FEq: compare, alu.FNe: compare, alu.FLt: compare, alu.FLe: compare,
	alu.Select: choose,

	alu.Trunc: extend, alu.ZExt: extend, alu.SExt: extend,
	alu.FPTrunc: convert, alu.FPExt: convert,
	alu.SIToFP: convert, alu.UIToFP: convert, alu.FPToSI: convert, alu.FPToUI: convert,
	alu.Bitcast: {Scalar: plan.Same(0.23), ScalarLatency: 0.5},

	vir.Const: {}, vir.Param: {}, vir.Context: {},
	vir.Splat:   kind(plan.Moves, plan.Row{Vector: plan.Same(0.24), Mask: 0.32, Latency: 0.98}),
	vir.Iota:    kind(plan.Moves, plan.Row{Vector: plan.Same(0.1), Mask: 0.1}),
	vir.Prefix:  kind(plan.Masks, plan.Row{Scalar: plan.Same(0.23), Vector: plan.Same(0.5), Mask: 0.55, Latency: 1.2, ScalarLatency: 1.3}),
	vir.Any:     kind(plan.Masks, vote),
	vir.All:     kind(plan.Masks, vote),
	vir.Count:   kind(plan.Masks, vote),
	vir.Bits:    kind(plan.Masks, vote),
	vir.Unbits:  kind(plan.Masks, plan.Row{Scalar: plan.Same(0.23), Vector: plan.Same(0.5), Mask: 0.5, Latency: 1.2, ScalarLatency: 1.2}),
	vir.Extract: kind(plan.Moves, plan.Row{Vector: plan.Same(0.3), Mask: 0.4, Latency: 1}),
	vir.Insert:  kind(plan.Moves, plan.Row{Vector: plan.Same(0.4), Mask: 0.5, Latency: 1}),
	vir.First:   kind(plan.Moves, plan.Row{Lane: plan.Same(0.6), Latency: 4}),
	vir.Rank:    kind(plan.Moves, plan.Row{Lane: plan.Same(1)}),

	vir.Compress: kind(plan.Moves, plan.Row{Lane: plan.Same(4)}),
	vir.Expand:   kind(plan.Moves, plan.Row{Lane: plan.Same(4)}),

	vir.Part:    kind(plan.Moves, plan.Row{Vector: plan.Same(0.076), Mask: 0.11, Latency: 0.3}),
	vir.Concat:  kind(plan.Moves, plan.Row{Vector: plan.Same(0.076), Mask: 0.11, Latency: 0.3}),
	vir.Resize:  kind(plan.Masks, plan.Row{Mask: 0.21, Latency: 0.79}),
	vir.Shuffle: kind(plan.Moves, plan.Row{Vector: plan.Same(0.23), Mask: 0.3, Latency: 0.3}),

	vir.Load:    kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.15), ScalarLatency: 0.69}),
	vir.Store:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.48)}),
	vir.VLoad:   kind(plan.Contiguous, plan.Row{Vector: plan.Same(0.36), Once: 0.31, Latency: 1.5}),
	vir.VStore:  kind(plan.Contiguous, plan.Row{Vector: plan.Same(0.38), Once: 0.5}),
	vir.Gather:  kind(plan.Gathers, plan.Row{Lane: [4]float64{0.96, 0.78, 0.68, 0.62}, Latency: 8.1}),
	vir.Scatter: kind(plan.Scatters, plan.Row{Lane: [4]float64{0.58, 0.77, 0.41, 1}}),

	vir.Atomic:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.CmpXchg:  kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.VAtomic:  kind(plan.Scatters, plan.Row{Lane: plan.Same(2.4)}),
	vir.VCmpXchg: kind(plan.Scatters, plan.Row{Lane: plan.Same(4)}),
	vir.Fence:    kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
}
