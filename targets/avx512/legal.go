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
	ShuffleLanes: shuffleLanes,
	HasAtomic:    isel.HasAtomic,
}

// LegalV3 describes processors without AVX-512, with AVX2, F16C and FMA (x86-64-v3), to
// package legalize. It serves one-lane code, where vectors hold contiguous elements of one
// work-item.
var LegalV3 = legalize.Target{
	RegisterBits: 256, Lanes: 16, Has: hasV3, NoMasks: true,
	HasGather: hasNone, HasScatter: hasNone, HasShuffle: hasShuffleV3, HasAtomic: isel.HasAtomic,
}

// elementOps holds an operation's instruction by the log2 of the element size in bytes;
// INVALID if there is none.
type elementOps [4]asm.Op

var vectorInt = map[alu.Op]elementOps{
	alu.Add:  {asm.VPADDB, asm.VPADDW, asm.VPADDD, asm.VPADDQ},
	alu.Sub:  {asm.VPSUBB, asm.VPSUBW, asm.VPSUBD, asm.VPSUBQ},
	alu.Mul:  {0, asm.VPMULLW, asm.VPMULLD, asm.VPMULLQ},
	alu.And:  {asm.VPANDD, asm.VPANDD, asm.VPANDD, asm.VPANDQ},
	alu.Or:   {asm.VPORD, asm.VPORD, asm.VPORD, asm.VPORQ},
	alu.Xor:  {asm.VPXORD, asm.VPXORD, asm.VPXORD, asm.VPXORQ},
	alu.SMin: {asm.VPMINSB, asm.VPMINSW, asm.VPMINSD, asm.VPMINSQ},
	alu.SMax: {asm.VPMAXSB, asm.VPMAXSW, asm.VPMAXSD, asm.VPMAXSQ},
	alu.UMin: {asm.VPMINUB, asm.VPMINUW, asm.VPMINUD, asm.VPMINUQ},
	alu.UMax: {asm.VPMAXUB, asm.VPMAXUW, asm.VPMAXUD, asm.VPMAXUQ},

	alu.UAddSat: {asm.VPADDUSB, asm.VPADDUSW}, alu.SAddSat: {asm.VPADDSB, asm.VPADDSW},
	alu.USubSat: {asm.VPSUBUSB, asm.VPSUBUSW}, alu.SSubSat: {asm.VPSUBSB, asm.VPSUBSW},

	alu.UMulHi: {0, asm.VPMULHUW, 0, 0},
	alu.SMulHi: {0, asm.VPMULHW, 0, 0},
}

var vectorUnaryInt = map[alu.Op]elementOps{
	alu.Abs: {asm.VPABSB, asm.VPABSW, asm.VPABSD, asm.VPABSQ},
	alu.Clz: {0, 0, asm.VPLZCNTD, asm.VPLZCNTQ},
}

// Shifts by a vector of amounts, and by an immediate.
var vectorShift = map[alu.Op][2]elementOps{
	alu.Shl:  {{0, asm.VPSLLVW, asm.VPSLLVD, asm.VPSLLVQ}, {0, asm.VPSLLWI, asm.VPSLLDI, asm.VPSLLQI}},
	alu.LShr: {{0, asm.VPSRLVW, asm.VPSRLVD, asm.VPSRLVQ}, {0, asm.VPSRLWI, asm.VPSRLDI, asm.VPSRLQI}},
	alu.AShr: {{0, asm.VPSRAVW, asm.VPSRAVD, asm.VPSRAVQ}, {0, asm.VPSRAWI, asm.VPSRADI, asm.VPSRAQI}},
	alu.Rotl: {{0, 0, asm.VPROLVD, asm.VPROLVQ}, {0, 0, asm.VPROLDI, asm.VPROLQI}},
}

// Float operations on singles and doubles.
var vectorFloat = map[alu.Op][2]asm.Op{
	alu.FAdd: {asm.VADDPS, asm.VADDPD}, alu.FSub: {asm.VSUBPS, asm.VSUBPD},
	alu.FMul: {asm.VMULPS, asm.VMULPD}, alu.FDiv: {asm.VDIVPS, asm.VDIVPD},
	alu.PMin: {asm.VMINPS, asm.VMINPD}, alu.PMax: {asm.VMAXPS, asm.VMAXPD},
}

var (
	compareSigned   = elementOps{asm.VPCMPB, asm.VPCMPW, asm.VPCMPD, asm.VPCMPQ}
	compareUnsigned = elementOps{asm.VPCMPUB, asm.VPCMPUW, asm.VPCMPUD, asm.VPCMPUQ}
	testZero        = elementOps{asm.VPTESTNMB, asm.VPTESTNMW, asm.VPTESTNMD, asm.VPTESTNMQ}
	testNonzero     = elementOps{asm.VPTESTMB, asm.VPTESTMW, asm.VPTESTMD, asm.VPTESTMQ}
	blend           = elementOps{asm.VPBLENDMB, asm.VPBLENDMW, asm.VPBLENDMD, asm.VPBLENDMQ}
	maskToVector    = elementOps{asm.VPMOVM2B, asm.VPMOVM2W, asm.VPMOVM2D, asm.VPMOVM2Q}
	moveMem         = elementOps{asm.VMOVDQU8, asm.VMOVDQU16, asm.VMOVDQU32, asm.VMOVDQU64}
	broadcastMem    = elementOps{asm.VPBROADCASTB, asm.VPBROADCASTW, asm.VPBROADCASTD, asm.VPBROADCASTQ}
	broadcastGPR    = elementOps{asm.VPBROADCASTBR, asm.VPBROADCASTWR, asm.VPBROADCASTDR, asm.VPBROADCASTQR}
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

// Extensions and truncations between element sizes, by log2 of both.
var (
	zeroExtend = [4]elementOps{{0, asm.VPMOVZXBW, asm.VPMOVZXBD, asm.VPMOVZXBQ}, {0, 0, asm.VPMOVZXWD, asm.VPMOVZXWQ}, {0, 0, 0, asm.VPMOVZXDQ}}
	signExtend = [4]elementOps{{0, asm.VPMOVSXBW, asm.VPMOVSXBD, asm.VPMOVSXBQ}, {0, 0, asm.VPMOVSXWD, asm.VPMOVSXWQ}, {0, 0, 0, asm.VPMOVSXDQ}}
	truncate   = [4]elementOps{{}, {asm.VPMOVWB}, {asm.VPMOVDB, asm.VPMOVDW}, {asm.VPMOVQB, asm.VPMOVQW, asm.VPMOVQD}}
)

// convertOps converts vectors between integers and floats, by operation, then
// whether the source and the result have 64 bits.
var convertOps = map[alu.Op][2][2]asm.Op{
	alu.SIToFP: {{asm.VCVTDQ2PS, asm.VCVTDQ2PD}, {asm.VCVTQQ2PS, asm.VCVTQQ2PD}},
	alu.UIToFP: {{asm.VCVTUDQ2PS, asm.VCVTUDQ2PD}, {asm.VCVTUQQ2PS, asm.VCVTUQQ2PD}},
	alu.FPToSI: {{asm.VCVTTPS2DQ, asm.VCVTTPS2QQ}, {asm.VCVTTPD2DQ, asm.VCVTTPD2QQ}},
	alu.FPToUI: {{asm.VCVTTPS2UDQ, asm.VCVTTPS2UQQ}, {asm.VCVTTPD2UDQ, asm.VCVTTPD2UQQ}},
}

// composedFloat has the float operations without a row in the tables above that vectorOp
// supports, on vectors and on scalars.
var composedFloat = []alu.Op{
	alu.FMin, alu.FMax, alu.FMA, alu.FNeg, alu.FAbs, alu.FSqrt, alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint,
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
		return vectorFloat[op] != [2]asm.Op{} || slices.Contains(composedFloat, op)
	case t.Lanes == 1:
		return isel.HasInt(op)
	case t.IsMask():
		return op == alu.And || op == alu.Or || op == alu.Xor || op == alu.Eq || op == alu.Ne || op == alu.ZExt || op == alu.SExt
	}
	e := isel.Log2(t.Elem.Size())
	if ops, ok := vectorInt[op]; ok {
		return ops[e] != 0 || (op == alu.UMulHi || op == alu.SMulHi) && t.Elem == alu.I32
	}
	if ops, ok := vectorUnaryInt[op]; ok {
		return ops[e] != 0
	}
	if ops, ok := vectorShift[op]; ok {
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

// hasV3 is has for processors without AVX-512.
func hasV3(op vir.Op, t, to vir.Type) bool {
	if op == vir.Rank || op == vir.Prefix || rearranges(op) || !has(op, t, to) {
		return false
	}
	if t.Lanes == 1 {
		return op != alu.FPToUI && (op != alu.UIToFP || t.Elem != alu.I64)
	}
	switch e := t.Elem.Size(); op {
	case alu.Rotl, alu.Clz, alu.Trunc, alu.FPToUI, alu.UIToFP, alu.SMulHi, alu.UMulHi:
		return false
	case alu.Mul, alu.SMin, alu.SMax, alu.UMin, alu.UMax, alu.Abs:
		return e < 8
	case alu.Shl, alu.LShr:
		return e >= 4
	case alu.AShr:
		return e == 4
	case alu.SIToFP, alu.FPToSI:
		return t.Elem.Bits() == 32 || to.Elem == alu.I32
	}
	return true
}

func hasNone(value, index vir.Type) bool { return false }

// hasShuffleV3 accepts shuffles within 16 bytes, permutations of one register by elements of
// 32 bits or more, and the joins of two registers that take one instruction.
func hasShuffleV3(t vir.Type, lanes []int, one bool) bool {
	size := t.Elem.Size()
	from, to := t.Lanes*size, len(lanes)*size
	if one && size >= 4 || from <= 16 && to <= 16 {
		return true
	}
	op, _, ok := joinOf(lanes, t.Lanes, size, isel.Length(t))
	return ok && op != asm.VSHUFI32X4
}
