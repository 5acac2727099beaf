package wasmsimd

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

const registerBits = 128

// Legal describes the operations that are selected to package legalize, which expands the others
// and sizes the lanes of masks. Selection itself splits vectors.
var Legal = legalize.Target{Whole: true, RegisterBits: registerBits, VectorMasks: true, Has: has, SimpleShuffles: 8}

// composed has the operations without a row in scalarOps that are selected as several
// instructions, on scalars and on vectors.
var composed = []alu.Op{
	alu.UDiv, alu.SDiv, alu.URem, alu.SRem, alu.UMulHi, alu.SMulHi, alu.SMin, alu.SMax, alu.UMin, alu.UMax, alu.Abs,
	alu.UAddSat, alu.SAddSat, alu.USubSat, alu.SSubSat, alu.DotUS, alu.DotUSSat, alu.FMin, alu.FMax, alu.PMin, alu.PMax, alu.FMA,
}

// has reports whether selection has a rule for op on operands of type t.
func has(op vir.Op, t, to vir.Type) bool {
	switch alu.InfoOf(op).Class {
	case alu.Binary, alu.Unary, alu.Ternary:
		_, scalar := scalarOps[op]
		return scalar || slices.Contains(composed, op) || t.IsVec() && vectorOps[op][laneColumn(t.Elem)] != wasm.Unreachable
	}
	return op != vir.Compress && op != vir.Expand
}

// legalized returns f without operations that selection lacks, and with masks in vectors.
func legalized(f *vir.Func) (*vir.Func, error) {
	lacks := func(v *vir.Value) bool {
		if v.Op == vir.Shuffle && v.Type.Bits() > 2*registerBits {
			return true
		}
		return (v.Op.Pure() || v.Op == vir.Compress || v.Op == vir.Expand) && !has(v.Op, v.Args[len(v.Args)-1].Type, v.Type)
	}
	if !slices.ContainsFunc(f.Blocks, func(b *vir.Block) bool { return slices.ContainsFunc(b.Values, lacks) }) {
		return legalize.VectorMasks(f, registerBits), nil
	}
	return legalize.Func(f, Legal)
}
