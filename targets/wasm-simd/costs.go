package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
)

// Costs prices vir for package plan: ns of Wasmtime's code on a Zen 4 at 3.7
// GHz. Vectors are lists of v128; masks are lanes of all ones, as wide as what
// was compared, so they cost what vectors do and live in vector registers, of
// which constants take some.
var Costs = plan.Costs{
	Widths:       []int{1, 4, 8, 16},
	RegisterBits: 128, Lanes: 4, Part: 1,
	VectorRegisters: 11, ScalarRegisters: 12,
	Spill: 0.2, Reload: 0.058, Branch: 0.15, MaskBranch: 1.6, Skip: 0.6, BackEdge: 0.44, Mispredict: 7.4, Window: 190,
	Bandwidth: 6, MaskedLoad: 0.34, Near: 1, MaskedStore: 2.5,
	MaxLength: 130_000, // some 28 bytes each; Wasmtime's compiler gave up on 5 MB, other engines do beyond 7.6
	Rows:      costRows,
}

// simple is the row of an operation with one instruction.
func simple(scalar, vector, latency float64) plan.Row {
	return plan.Row{Scalar: plan.Same(scalar), Vector: plan.Same(vector), Mask: vector, Latency: latency, ScalarLatency: latency}
}

// kind says what reports call a row's cost.
func kind(k plan.Kind, r plan.Row) plan.Row {
	r.Kind = k
	return r
}

var (
	integer = plan.Row{Scalar: plan.Same(0.12), Vector: plan.Same(0.093), Mask: 0.09, Latency: 0.42, ScalarLatency: 0.42}
	float   = plan.Row{Scalar: plan.Same(0.23), Vector: plan.Same(0.11), Mask: 0.13, Latency: 0.98, ScalarLatency: 0.76}
	compare = plan.Row{Scalar: plan.Same(0.15), Vector: plan.Same(0.1), Mask: 0.11, Latency: 0.31, ScalarLatency: 0.31}
	extend  = plan.Row{Scalar: plan.Same(0.11), Vector: plan.Same(0.16), Mask: 0.2, Latency: 0.47, ScalarLatency: 0.23}
	convert = plan.Row{Scalar: plan.Same(0.34), Vector: [4]float64{0.3, 0.3, 0.3, 0.9}, Latency: 1.2, ScalarLatency: 1.5}
	shift   = plan.Row{Scalar: plan.Same(0.18), Vector: [4]float64{0.67, 0.56, 0.44, 0.44}, Latency: 0.6, ScalarLatency: 0.33}
	divide  = plan.Row{Scalar: [4]float64{1.3, 1.3, 1.4, 1.9}, Vector: [4]float64{15, 7.2, 2.9, 0}, Lane: [4]float64{3: 2}, Latency: 6, ScalarLatency: 3, Kind: plan.Division}
	choose  = plan.Row{Scalar: plan.Same(0.22), Vector: plan.Same(0.17), Mask: 0.22, Latency: 0.49, ScalarLatency: 0.3}
	ask     = plan.Row{Scalar: plan.Same(0.11), Vector: plan.Same(0.27), Mask: 0.38, Latency: 1.1}
)

var costRows = map[vir.Op]plan.Row{
	alu.Add: integer, alu.Sub: integer, alu.And: integer, alu.Or: integer, alu.Xor: integer,
	alu.SMin: integer, alu.SMax: integer, alu.UMin: integer, alu.UMax: integer, alu.Abs: integer,
	alu.Mul:    {Scalar: plan.Same(0.5), Vector: [4]float64{0.75, 0.19, 0.37, 0.75}, Latency: 1.3, ScalarLatency: 0.84},
	alu.UMulHi: {Scalar: plan.Same(0.57), Vector: [4]float64{0.68, 0.38, 0.9, 3}, Latency: 2, ScalarLatency: 1},
	alu.SMulHi: {Scalar: plan.Same(0.57), Vector: [4]float64{0.68, 0.38, 0.9, 3}, Latency: 2, ScalarLatency: 1},
	alu.UDiv:   divide, alu.SDiv: divide, alu.URem: divide, alu.SRem: divide,
	alu.Shl: shift, alu.LShr: shift, alu.AShr: shift, alu.Rotl: shift,
	alu.Clz:      {Scalar: plan.Same(0.2), Lane: plan.Same(0.9), Latency: 4, ScalarLatency: 0.2},
	alu.Popcount: {Scalar: plan.Same(0.23), Vector: plan.Same(0.6), Latency: 1.5, ScalarLatency: 0.3},

	alu.FAdd: float, alu.FSub: float, alu.FMul: float,
	// Vectors have the relaxed multiply-add, where the engine fuses it; scalars are
	// rounded once by other operations.
	alu.FMA:  {Scalar: [4]float64{0, 0, 1.7, 8}, Vector: [4]float64{0, 0, 0.22, 0.22}, Latency: 1.2, ScalarLatency: 2.5},
	alu.FNeg: integer, alu.FAbs: integer,
	alu.FDiv:  {Scalar: [4]float64{0, 0, 1.4, 2}, Vector: [4]float64{0, 0, 1, 1.4}, Latency: 3.9, ScalarLatency: 2.7, Kind: plan.Division},
	alu.FSqrt: {Scalar: [4]float64{0, 0, 2, 3.5}, Vector: [4]float64{0, 0, 1.4, 2.4}, Latency: 5.2, ScalarLatency: 3.6, Kind: plan.Division},
	alu.PMin:  {Scalar: plan.Same(0.5), Vector: plan.Same(0.13), Latency: 0.6, ScalarLatency: 1}, alu.PMax: {Scalar: plan.Same(0.5), Vector: plan.Same(0.13), Latency: 0.6, ScalarLatency: 1},
	alu.FMin:   {Scalar: plan.Same(0.69), Vector: plan.Same(0.38), Latency: 1.5, ScalarLatency: 1.5},
	alu.FMax:   {Scalar: plan.Same(0.69), Vector: plan.Same(0.38), Latency: 1.5, ScalarLatency: 1.5},
	alu.FFloor: float, alu.FCeil: float, alu.FTrunc: float, alu.FRint: float,

	alu.Eq: compare, alu.Ne: compare, alu.Slt: compare, alu.Sle: compare, alu.Ult: compare, alu.Ule: compare,
	alu.FEq: compare, alu.FNe: compare, alu.FLt: compare, alu.FLe: compare,
	alu.Select: choose,

	alu.Trunc: extend, alu.ZExt: extend, alu.SExt: extend,
	alu.FPTrunc: convert, alu.FPExt: convert,
	alu.SIToFP: convert, alu.UIToFP: convert, alu.FPToSI: convert, alu.FPToUI: convert,
	alu.Bitcast: {Scalar: plan.Same(0.23), ScalarLatency: 0.5},

	vir.Const: {}, vir.Param: {}, vir.Context: {},
	vir.Splat:   kind(plan.Moves, simple(0, 0.25, 0.9)),
	vir.Iota:    kind(plan.Moves, simple(0, 0.1, 0)),
	vir.Prefix:  kind(plan.Masks, simple(0.23, 0.5, 1.2)),
	vir.Any:     kind(plan.Masks, ask),
	vir.All:     kind(plan.Masks, ask),
	vir.Count:   kind(plan.Masks, ask),
	vir.Bits:    kind(plan.Masks, ask),
	vir.Unbits:  kind(plan.Masks, simple(0.23, 0.5, 1.2)),
	vir.Extract: kind(plan.Moves, plan.Row{Vector: plan.Same(0.3), Mask: 0.4, Latency: 1}),
	vir.Insert:  kind(plan.Moves, plan.Row{Vector: plan.Same(0.4), Mask: 0.5, Latency: 1}),
	vir.First:   kind(plan.Moves, plan.Row{Lane: plan.Same(0.6), Latency: 4}),
	vir.Rank:    kind(plan.Moves, plan.Row{Lane: plan.Same(1)}),
	vir.Part:    kind(plan.Moves, simple(0, 0.1, 0.3)),
	vir.Concat:  kind(plan.Moves, simple(0, 0.1, 0.3)),
	vir.Shuffle: kind(plan.Moves, simple(0, 0.3, 0.3)),

	vir.Load:    kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.21), ScalarLatency: 1.3}),
	vir.Store:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.48)}),
	vir.VLoad:   kind(plan.Contiguous, plan.Row{Vector: plan.Same(1.5), Latency: 1.5}),
	vir.VStore:  kind(plan.Contiguous, plan.Row{Vector: plan.Same(1.8)}),
	vir.Gather:  kind(plan.Gathers, plan.Row{Lane: [4]float64{1.3, 1.2, 1.1, 1.3}, Latency: 6}),
	vir.Scatter: kind(plan.Scatters, plan.Row{Lane: [4]float64{0.58, 0.92, 0.61, 0.62}}),

	vir.Atomic:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.CmpXchg:  kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.VAtomic:  kind(plan.Scatters, plan.Row{Lane: plan.Same(2.4)}),
	vir.VCmpXchg: kind(plan.Scatters, plan.Row{Lane: plan.Same(4)}),
	vir.Fence:    kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
}
