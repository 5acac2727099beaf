package avx2

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
)

// Costs holds the costs of vir operations for package plan, in ns on a Zen 4 at 3.7 GHz. Scalars
// cost the same as in code with AVX-512. An operation on 256 bits costs half of one on 512 bits
// there, which takes two passes. Masks are vectors: they live in vector registers, of which
// constants occupy some.
var Costs = plan.Costs{
	Widths:       []int{1, 4, 8, 16, 32, 64},
	RegisterBits: registerBits, Lanes: 8, Part: 0.9,
	VectorRegisters: 14, ScalarRegisters: 13,
	Spill: 0.3, Reload: 0.1, FoldsAddresses: true,
	Branch: 0.14, MaskBranch: 1.2, MaskExit: 1.2, Skip: 0.8, BackEdge: 0.19, Mispredict: 8.5, Strips: 1, Window: 200, Overlap: 1.6, ScalarWork: 0.65,
	MaskedLoad: 0.18, MaskedSmall: 0.4, MaskedStore: 1.5, MaskedPrivate: 1.2, Near: 0.45, NearLanes: 0.5, ScatterSize: 4, Bandwidth: 14,
	Rows: costRows,
}.WithExpansions(Legal)

// kind returns r with the kind under which reports list its cost.
func kind(k plan.Kind, r plan.Row) plan.Row {
	r.Kind = k
	return r
}

var (
	integer  = plan.Row{Scalar: plan.Same(0.088), Vector: plan.Same(0.075), Mask: 0.075, Latency: 0.35, ScalarLatency: 0.24, Simple: true}
	short    = plan.Row{Scalar: plan.Same(0.088), Vector: [4]float64{0.075, 0.075, 0.075, 0.2}, Latency: 0.35, ScalarLatency: 0.24, Simple: true}
	float    = plan.Row{Scalar: plan.Same(0.13), Vector: plan.Same(0.13), Latency: 0.9, ScalarLatency: 0.56}
	fma      = plan.Row{Scalar: plan.Same(0.15), Vector: plan.Same(0.14), Latency: 1.1, ScalarLatency: 0.72}
	round    = plan.Row{Scalar: plan.Same(0.22), Vector: plan.Same(0.14), Latency: 1, ScalarLatency: 0.72}
	compare  = plan.Row{Scalar: plan.Same(0.051), Vector: [4]float64{0.09, 0.09, 0.09, 0.12}, Mask: 0.12, Latency: 0.4, ScalarLatency: 0.22}
	unsigned = plan.Row{Scalar: plan.Same(0.051), Vector: [4]float64{0.15, 0.15, 0.15, 0.25}, Mask: 0.12, Latency: 0.8, ScalarLatency: 0.22}
	convert  = plan.Row{Scalar: plan.Same(0.22), Vector: [4]float64{0.2, 0.2, 0.2, 0.35}, Mask: 0.1, Latency: 1.2, ScalarLatency: 1.2}
	shift    = plan.Row{Scalar: plan.Same(0.18), Vector: [4]float64{0.6, 0.35, 0.14, 0.14}, Latency: 0.45, ScalarLatency: 0.22, Simple: true}
	rotate   = plan.Row{Scalar: plan.Same(0.18), Vector: [4]float64{1.2, 0.8, 0.33, 0.33}, Latency: 0.8, ScalarLatency: 0.22, Simple: true}
	multiply = plan.Row{Scalar: plan.Same(0.32), Vector: [4]float64{0.6, 0.14, 0.25, 0.9}, Latency: 1.2, ScalarLatency: 0.61}
	dot      = plan.Row{Scalar: plan.Same(0.88), Vector: plan.Same(2.6), Latency: 3, ScalarLatency: 1.9} // expanded to shifts and products
	high     = plan.Row{Scalar: plan.Same(0.44), Vector: [4]float64{0.5, 0.14, 0.6, 3.6}, Latency: 2.2, ScalarLatency: 0.8}
	divide   = plan.Row{
		Scalar: [4]float64{2.4, 2.4, 2.4, 3}, Vector: [4]float64{12, 6, 4.5, 14}, Latency: 14, ScalarLatency: 2.4, Kind: plan.Division,
	}
	divideFloat = plan.Row{Scalar: [4]float64{0, 0, 1, 1.4}, Vector: [4]float64{0, 0, 1.2, 1.7}, Latency: 4, ScalarLatency: 3.3, Kind: plan.Division}
	extend      = plan.Row{Scalar: plan.Same(0.06), Vector: plan.Same(0.16), Mask: 0.12, Latency: 0.9, ScalarLatency: 0.14}
	vote        = plan.Row{Scalar: plan.Same(0.096), Vector: plan.Same(0.23), Mask: 0.24, Latency: 1.1, ScalarLatency: 0.25}
)

var costRows = map[vir.Op]plan.Row{
	alu.Add: integer, alu.Sub: integer, alu.And: integer, alu.Or: integer, alu.Xor: integer,
	alu.UAddSat: integer, alu.SAddSat: integer, alu.USubSat: integer, alu.SSubSat: integer,
	alu.SMin: short, alu.SMax: short, alu.UMin: short, alu.UMax: short, alu.Abs: short,
	alu.Mul: multiply, alu.UMulHi: high, alu.SMulHi: high,
	alu.UDiv: divide, alu.SDiv: divide, alu.URem: divide, alu.SRem: divide,
	alu.Shl: shift, alu.LShr: shift, alu.AShr: shift, alu.Rotl: rotate,
	alu.Clz:      {Scalar: plan.Same(0.22), Vector: plan.Same(1.9), Latency: 6, ScalarLatency: 0.24},
	alu.Popcount: {Scalar: plan.Same(0.22), Vector: plan.Same(0.9), Latency: 4, ScalarLatency: 0.24},

	alu.DotUS: dot, alu.DotUSSat: dot,

	alu.FAdd: float, alu.FSub: float, alu.FMul: float, alu.FMA: fma,
	alu.FNeg: integer, alu.FAbs: integer,
	alu.FDiv:  divideFloat,
	alu.FSqrt: {Scalar: [4]float64{0, 0, 1.4, 2.5}, Vector: [4]float64{0, 0, 1.8, 2.7}, Latency: 5.5, ScalarLatency: 4.1, Kind: plan.Division},
	alu.PMin:  float, alu.PMax: float,
	alu.FMin:   {Scalar: plan.Same(0.44), Vector: plan.Same(0.32), Latency: 1.6, ScalarLatency: 1.1},
	alu.FMax:   {Scalar: plan.Same(0.44), Vector: plan.Same(0.32), Latency: 1.6, ScalarLatency: 1.1},
	alu.FFloor: round, alu.FCeil: round, alu.FTrunc: round, alu.FRint: round,

	alu.Eq: compare, alu.Ne: compare, alu.Slt: compare, alu.Sle: compare, alu.Ult: unsigned, alu.Ule: unsigned,
	alu.FEq: compare, alu.FNe: compare, alu.FLt: compare, alu.FLe: compare,
	alu.Select: {Scalar: plan.Same(0.21), Vector: plan.Same(0.11), Mask: 0.24, Latency: 0.4, ScalarLatency: 0.23},

	alu.Trunc:   {Scalar: plan.Same(0.021), Vector: plan.Same(0.2), Mask: 0.2, Latency: 1.5, ScalarLatency: 0},
	alu.ZExt:    extend,
	alu.SExt:    extend,
	alu.FPTrunc: convert, alu.FPExt: convert,
	alu.SIToFP: convert, alu.UIToFP: convert, alu.FPToSI: convert, alu.FPToUI: convert,
	alu.Bitcast: {Scalar: plan.Same(0.22), ScalarLatency: 0.4},

	vir.Const: {}, vir.Param: {}, vir.Context: {},
	vir.Splat:   kind(plan.Moves, plan.Row{Vector: plan.Same(0.3), Mask: 0.4, Latency: 1.6}),
	vir.Iota:    kind(plan.Moves, plan.Row{Vector: plan.Same(0.1)}),
	vir.Prefix:  kind(plan.Masks, plan.Row{Scalar: plan.Same(0.23), Mask: 0.4, Latency: 1.9}),
	vir.Any:     kind(plan.Masks, vote),
	vir.All:     kind(plan.Masks, vote),
	vir.Count:   kind(plan.Masks, vote),
	vir.Bits:    kind(plan.Masks, vote),
	vir.Unbits:  kind(plan.Masks, plan.Row{Scalar: plan.Same(0.2), Mask: 0.5, Latency: 2}),
	vir.Extract: kind(plan.Moves, plan.Row{Vector: plan.Same(0.4), Mask: 0.4, Latency: 1.6}),
	vir.Insert:  kind(plan.Moves, plan.Row{Vector: plan.Same(0.4), Latency: 1.2}),
	vir.First:   kind(plan.Moves, plan.Row{Vector: plan.Same(0.9), Latency: 4.1}),
	vir.Rank:    kind(plan.Moves, plan.Row{Vector: plan.Same(1), Latency: 4}),
	// Without instructions that move active lanes together, each step of log2(lanes) is a shuffle and
	// three selects.
	vir.Compress: kind(plan.Moves, plan.Row{Lane: plan.Same(0.5)}),
	vir.Expand:   kind(plan.Moves, plan.Row{Lane: plan.Same(0.5)}),
	vir.Part:     kind(plan.Moves, plan.Row{Vector: plan.Same(0.15), Mask: 0.15, Latency: 0.8}),
	vir.Concat:   kind(plan.Moves, plan.Row{Vector: plan.Same(0.15), Mask: 0.15, Latency: 0.8}),
	vir.Resize:   kind(plan.Masks, plan.Row{Mask: 0.12, Latency: 0.9}),
	vir.Shuffle:  kind(plan.Moves, plan.Row{Vector: [4]float64{0.5, 0.4, 0.25, 0.25}, Latency: 1.3}),

	vir.Load:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.099), ScalarLatency: 1.4}),
	vir.Store:  kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(0.33)}),
	vir.VLoad:  kind(plan.Contiguous, plan.Row{Vector: plan.Same(0.5), Latency: 2.5}),
	vir.VStore: kind(plan.Contiguous, plan.Row{Vector: plan.Same(0.45)}),
	// Full gathers are scalar loads. Scatters are chains of conditional scalar stores.
	vir.Gather: kind(plan.Gathers, plan.Row{
		Vector: plan.Same(0.22), Lane: [4]float64{0.85, 0.85, 0.7, 0.9}, Latency: 11,
	}),
	vir.Scatter: kind(plan.Scatters, plan.Row{
		Vector: plan.Same(0.3), Lane: [4]float64{1.3, 1.1, 0.9, 0.9},
	}),
	// An atomic access of lanes is one scalar access per lane.
	vir.Atomic:   kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.CmpXchg:  kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
	vir.VAtomic:  kind(plan.Scatters, plan.Row{Lane: plan.Same(2.2)}),
	vir.VCmpXchg: kind(plan.Scatters, plan.Row{Lane: plan.Same(4)}),
	vir.Fence:    kind(plan.ScalarMemory, plan.Row{Scalar: plan.Same(2.2)}),
}
