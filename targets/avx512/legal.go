package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Legal describes the baseline AVX-512 machine (F, BW, DQ, VL, CD) to package legalize,
// with masks of up to 16 lanes: wider vectors occupy several registers, whose operations
// overlap in latency. See legalOf.
var Legal = legalize.Target{
	RegisterBits: registerBits, Lanes: 16, Has: has,
	HasScatter:   func(value, _ vir.Type) bool { return value.Elem.Size() >= 4 },
	ShuffleLanes: shuffleLanes, SimpleShuffles: 1,
	HasAtomic: isel.HasAtomic,
}

var (
	compareSigned   = isel.ElementOps{asm.VPCMPB, asm.VPCMPW, asm.VPCMPD, asm.VPCMPQ}
	compareUnsigned = isel.ElementOps{asm.VPCMPUB, asm.VPCMPUW, asm.VPCMPUD, asm.VPCMPUQ}
	testZero        = isel.ElementOps{asm.VPTESTNMB, asm.VPTESTNMW, asm.VPTESTNMD, asm.VPTESTNMQ}
	testNonzero     = isel.ElementOps{asm.VPTESTMB, asm.VPTESTMW, asm.VPTESTMD, asm.VPTESTMQ}
	blend           = isel.ElementOps{asm.VPBLENDMB, asm.VPBLENDMW, asm.VPBLENDMD, asm.VPBLENDMQ}
	maskToVector    = isel.ElementOps{asm.VPMOVM2B, asm.VPMOVM2W, asm.VPMOVM2D, asm.VPMOVM2Q}
	moveMem         = isel.ElementOps{asm.VMOVDQU8, asm.VMOVDQU16, asm.VMOVDQU32, asm.VMOVDQU64}
	broadcastGPR    = isel.ElementOps{asm.VPBROADCASTBR, asm.VPBROADCASTWR, asm.VPBROADCASTDR, asm.VPBROADCASTQR}
)

// maskOps holds an operation's instruction on masks by the log2 of their size in bytes.
type maskOps [4]asm.Op

// of returns the instruction for masks with the given number of lanes, of at least 16 bits.
// The bits above the lanes of a mask are clear, so it may operate on them.
func (ops maskOps) of(lanes int) asm.Op { return ops[max(isel.Log2(lanes)-3, 1)] }

// exactly returns the instruction for masks with the given number of lanes, of at least 8 bits,
// which does not operate on bits above the lanes.
func (ops maskOps) exactly(lanes int) asm.Op { return ops[max(isel.Log2(lanes)-3, 0)] }

var (
	maskAnd        = maskOps{asm.KANDB, asm.KANDW, asm.KANDD, asm.KANDQ}
	maskAndNot     = maskOps{asm.KANDNB, asm.KANDNW, asm.KANDND, asm.KANDNQ}
	maskOr         = maskOps{asm.KORB, asm.KORW, asm.KORD, asm.KORQ}
	maskXor        = maskOps{asm.KXORB, asm.KXORW, asm.KXORD, asm.KXORQ}
	maskEqual      = maskOps{asm.KXNORB, asm.KXNORW, asm.KXNORD, asm.KXNORQ}
	maskComplement = maskOps{asm.KNOTB, asm.KNOTW, asm.KNOTD, asm.KNOTQ}
	maskTest       = maskOps{asm.KORTESTB, asm.KORTESTW, asm.KORTESTD, asm.KORTESTQ}
	maskDisjoint   = maskOps{asm.KTESTB, asm.KTESTW, asm.KTESTD, asm.KTESTQ}
	maskMove       = maskOps{asm.KMOVB, asm.KMOVW, asm.KMOVD, asm.KMOVQ}
	maskShiftRight = maskOps{asm.KSHIFTRB, asm.KSHIFTRW, asm.KSHIFTRD, asm.KSHIFTRQ}
	maskJoin       = maskOps{asm.KUNPCKBW, asm.KUNPCKWD, asm.KUNPCKDQ}
)

// truncate holds truncations between element sizes, by log2 of both.
var truncate = [4]isel.ElementOps{{}, {asm.VPMOVWB}, {asm.VPMOVDB, asm.VPMOVDW}, {asm.VPMOVQB, asm.VPMOVQW, asm.VPMOVQD}}

// convertOps converts vectors between integers and floats, by operation, then
// whether the source and the result have 64 bits.
var convertOps = map[alu.Op][2][2]asm.Op{
	alu.SIToFP: {{asm.VCVTDQ2PS, asm.VCVTDQ2PD}, {asm.VCVTQQ2PS, asm.VCVTQQ2PD}},
	alu.UIToFP: {{asm.VCVTUDQ2PS, asm.VCVTUDQ2PD}, {asm.VCVTUQQ2PS, asm.VCVTUQQ2PD}},
	alu.FPToSI: {{asm.VCVTTPS2DQ, asm.VCVTTPS2QQ}, {asm.VCVTTPD2DQ, asm.VCVTTPD2QQ}},
	alu.FPToUI: {{asm.VCVTTPS2UDQ, asm.VCVTTPS2UQQ}, {asm.VCVTTPD2UDQ, asm.VCVTTPD2UQQ}},
}

// has reports whether selection supports a pure operation: those of scalars that package isel
// does, those of vectors with an instruction for the type, and all conversions except between
// f16 and f64.
func has(op vir.Op, t, to vir.Type) bool {
	class := alu.InfoOf(op).Class
	if class == alu.Convert && (t.Elem == alu.F16 && to.Elem == alu.F64 || t.Elem == alu.F64 && to.Elem == alu.F16) {
		return false
	}
	computes := class == alu.Unary || class == alu.Binary || class == alu.Ternary
	switch {
	case op == vir.Rank, t.Lanes == 1 && !computes:
		return true
	case rearranges(op):
		return t.Elem.Size() >= 4
	case t.Elem.IsFloat() && computes:
		return isel.VectorFloat[op] != [2]asm.Op{} || slices.Contains(isel.ComposedFloat, op)
	case t.Lanes == 1:
		return isel.HasInt(op)
	case t.IsMask():
		return op == alu.And || op == alu.Or || op == alu.Xor || op == alu.Eq || op == alu.Ne || op == alu.ZExt || op == alu.SExt
	}
	e := isel.Log2(t.Elem.Size())
	if ops, ok := isel.VectorInt[op]; ok {
		return ops[e] != 0 || (op == alu.UMulHi || op == alu.SMulHi) && t.Elem == alu.I32
	}
	if ops, ok := isel.VectorUnaryInt[op]; ok {
		return ops[e] != 0
	}
	if ops, ok := isel.VectorShift[op]; ok {
		return ops[0][e] != 0
	}
	return !computes && (op != alu.Bitcast || t.Elem != alu.F16 || to.Elem != alu.F16)
}

// rearranges reports whether op is an instruction on elements of 32 and 64 bits.
func rearranges(op vir.Op) bool { return op == vir.Compress || op == vir.Expand }

// hasVNNI is has for processors with AVX512_VNNI.
func hasVNNI(op vir.Op, t, to vir.Type) bool { return isDotProduct(op) || has(op, t, to) }

// isDotProduct reports whether op is an instruction of AVX512_VNNI.
func isDotProduct(op vir.Op) bool { return op == alu.DotUS || op == alu.DotUSSat }
