package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
)

// Instructions of vector operations. Targets select those that their processors have.

// ElementOps holds an operation's instruction by the log2 of the element size in bytes;
// INVALID if there is none.
type ElementOps [4]asm.Op

var VectorInt = map[alu.Op]ElementOps{
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

var VectorUnaryInt = map[alu.Op]ElementOps{
	alu.Abs: {asm.VPABSB, asm.VPABSW, asm.VPABSD, asm.VPABSQ},
	alu.Clz: {0, 0, asm.VPLZCNTD, asm.VPLZCNTQ},
}

// Shifts by a vector of amounts, and by an immediate.
var VectorShift = map[alu.Op][2]ElementOps{
	alu.Shl:  {{0, asm.VPSLLVW, asm.VPSLLVD, asm.VPSLLVQ}, {0, asm.VPSLLWI, asm.VPSLLDI, asm.VPSLLQI}},
	alu.LShr: {{0, asm.VPSRLVW, asm.VPSRLVD, asm.VPSRLVQ}, {0, asm.VPSRLWI, asm.VPSRLDI, asm.VPSRLQI}},
	alu.AShr: {{0, asm.VPSRAVW, asm.VPSRAVD, asm.VPSRAVQ}, {0, asm.VPSRAWI, asm.VPSRADI, asm.VPSRAQI}},
	alu.Rotl: {{0, 0, asm.VPROLVD, asm.VPROLVQ}, {0, 0, asm.VPROLDI, asm.VPROLQI}},
}

// Float operations on singles and doubles.
var VectorFloat = map[alu.Op][2]asm.Op{
	alu.FAdd: {asm.VADDPS, asm.VADDPD}, alu.FSub: {asm.VSUBPS, asm.VSUBPD},
	alu.FMul: {asm.VMULPS, asm.VMULPD}, alu.FDiv: {asm.VDIVPS, asm.VDIVPD},
	alu.PMin: {asm.VMINPS, asm.VMINPD}, alu.PMax: {asm.VMAXPS, asm.VMAXPD},
}

// Extensions between element sizes, by log2 of both.
var (
	ZeroExtend = [4]ElementOps{{0, asm.VPMOVZXBW, asm.VPMOVZXBD, asm.VPMOVZXBQ}, {0, 0, asm.VPMOVZXWD, asm.VPMOVZXWQ}, {0, 0, 0, asm.VPMOVZXDQ}}
	SignExtend = [4]ElementOps{{0, asm.VPMOVSXBW, asm.VPMOVSXBD, asm.VPMOVSXBQ}, {0, 0, asm.VPMOVSXWD, asm.VPMOVSXWQ}, {0, 0, 0, asm.VPMOVSXDQ}}
)

var BroadcastMem = ElementOps{asm.VPBROADCASTB, asm.VPBROADCASTW, asm.VPBROADCASTD, asm.VPBROADCASTQ}

// ComposedFloat has the float operations without a row in the tables above that vectorOp
// supports, on vectors and on scalars.
var ComposedFloat = []alu.Op{
	alu.FMin, alu.FMax, alu.FMA, alu.FNeg, alu.FAbs, alu.FSqrt, alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint,
}
