package asm

// Integer vector arithmetic, shifts, compares and blends.

var intForms = concat(
	[]form{
		{VPADDB, "vpaddb", args{dV, nV, mV}, evB | p66 | m0F | 0xFC | vx0},
		{VPADDW, "vpaddw", args{dV, nV, mV}, evW | p66 | m0F | 0xFD | vx0},
		{VPADDD, "vpaddd", args{dV, nV, mV}, evD | p66 | m0F | 0xFE | vx0},
		{VPADDQ, "vpaddq", args{dV, nV, mV}, evQ | p66 | m0F | 0xD4 | vx0},
		{VPSUBB, "vpsubb", args{dV, nV, mV}, evB | p66 | m0F | 0xF8 | vx0},
		{VPSUBW, "vpsubw", args{dV, nV, mV}, evW | p66 | m0F | 0xF9 | vx0},
		{VPSUBD, "vpsubd", args{dV, nV, mV}, evD | p66 | m0F | 0xFA | vx0},
		{VPSUBQ, "vpsubq", args{dV, nV, mV}, evQ | p66 | m0F | 0xFB | vx0},
		{VPADDSB, "vpaddsb", args{dV, nV, mV}, evB | p66 | m0F | 0xEC | vx0},
		{VPADDSW, "vpaddsw", args{dV, nV, mV}, evW | p66 | m0F | 0xED | vx0},
		{VPADDUSB, "vpaddusb", args{dV, nV, mV}, evB | p66 | m0F | 0xDC | vx0},
		{VPADDUSW, "vpaddusw", args{dV, nV, mV}, evW | p66 | m0F | 0xDD | vx0},
		{VPSUBSB, "vpsubsb", args{dV, nV, mV}, evB | p66 | m0F | 0xE8 | vx0},
		{VPSUBSW, "vpsubsw", args{dV, nV, mV}, evW | p66 | m0F | 0xE9 | vx0},
		{VPSUBUSB, "vpsubusb", args{dV, nV, mV}, evB | p66 | m0F | 0xD8 | vx0},
		{VPSUBUSW, "vpsubusw", args{dV, nV, mV}, evW | p66 | m0F | 0xD9 | vx0},
		{VPMULLW, "vpmullw", args{dV, nV, mV}, evW | p66 | m0F | 0xD5 | vx0},
		{VPMULLD, "vpmulld", args{dV, nV, mV}, evD | p66 | m0F38 | 0x40 | vx0},
		{VPMULLQ, "vpmullq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x40},
		{VPMULHW, "vpmulhw", args{dV, nV, mV}, evW | p66 | m0F | 0xE5 | vx0},
		{VPMULHUW, "vpmulhuw", args{dV, nV, mV}, evW | p66 | m0F | 0xE4 | vx0},
		{VPMULHRSW, "vpmulhrsw", args{dV, nV, mV}, evW | p66 | m0F38 | 0x0B | vx0},
		{VPMULDQ, "vpmuldq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x28 | vx0},
		{VPMULUDQ, "vpmuludq", args{dV, nV, mV}, evQ | p66 | m0F | 0xF4 | vx0},
		{VPMADDWD, "vpmaddwd", args{dV, nV, mV}, evW | p66 | m0F | 0xF5 | vx0},
		{VPMADDUBSW, "vpmaddubsw", args{dV, nV, mV}, evB | p66 | m0F38 | 0x04 | vx0},
		{VPDPBUSD, "vpdpbusd", args{bV, nV, mV}, evD | p66 | m0F38 | 0x50 | vnn},
		{VPDPBUSDS, "vpdpbusds", args{bV, nV, mV}, evD | p66 | m0F38 | 0x51 | vnn},
		{VPAVGB, "vpavgb", args{dV, nV, mV}, evB | p66 | m0F | 0xE0 | vx0},
		{VPAVGW, "vpavgw", args{dV, nV, mV}, evW | p66 | m0F | 0xE3 | vx0},
		{VPSADBW, "vpsadbw", args{dV, nV, mV}, evex | lAll | p66 | m0F | 0xF6 | vx0},
		{VDBPSADBW, "vdbpsadbw", args{dV, nV, mV, imm8}, evW | p66 | m0F3A | w0 | 0x42},

		{VPMINSB, "vpminsb", args{dV, nV, mV}, evB | p66 | m0F38 | 0x38 | vx0},
		{VPMINSW, "vpminsw", args{dV, nV, mV}, evW | p66 | m0F | 0xEA | vx0},
		{VPMINSD, "vpminsd", args{dV, nV, mV}, evD | p66 | m0F38 | 0x39 | vx0},
		{VPMINSQ, "vpminsq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x39},
		{VPMINUB, "vpminub", args{dV, nV, mV}, evB | p66 | m0F | 0xDA | vx0},
		{VPMINUW, "vpminuw", args{dV, nV, mV}, evW | p66 | m0F38 | 0x3A | vx0},
		{VPMINUD, "vpminud", args{dV, nV, mV}, evD | p66 | m0F38 | 0x3B | vx0},
		{VPMINUQ, "vpminuq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x3B},
		{VPMAXSB, "vpmaxsb", args{dV, nV, mV}, evB | p66 | m0F38 | 0x3C | vx0},
		{VPMAXSW, "vpmaxsw", args{dV, nV, mV}, evW | p66 | m0F | 0xEE | vx0},
		{VPMAXSD, "vpmaxsd", args{dV, nV, mV}, evD | p66 | m0F38 | 0x3D | vx0},
		{VPMAXSQ, "vpmaxsq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x3D},
		{VPMAXUB, "vpmaxub", args{dV, nV, mV}, evB | p66 | m0F | 0xDE | vx0},
		{VPMAXUW, "vpmaxuw", args{dV, nV, mV}, evW | p66 | m0F38 | 0x3E | vx0},
		{VPMAXUD, "vpmaxud", args{dV, nV, mV}, evD | p66 | m0F38 | 0x3F | vx0},
		{VPMAXUQ, "vpmaxuq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x3F},
		{VPABSB, "vpabsb", args{dV, mV}, evB | p66 | m0F38 | 0x1C | vx0},
		{VPABSW, "vpabsw", args{dV, mV}, evW | p66 | m0F38 | 0x1D | vx0},
		{VPABSD, "vpabsd", args{dV, mV}, evD | p66 | m0F38 | 0x1E | vx0},
		{VPABSQ, "vpabsq", args{dV, mV}, evQ | p66 | m0F38 | 0x1F},
		{VPLZCNTD, "vplzcntd", args{dV, mV}, evD | p66 | m0F38 | 0x44},
		{VPLZCNTQ, "vplzcntq", args{dV, mV}, evQ | p66 | m0F38 | 0x44},
		{VPCONFLICTD, "vpconflictd", args{dV, mV}, evD | p66 | m0F38 | 0xC4},
		{VPCONFLICTQ, "vpconflictq", args{dV, mV}, evQ | p66 | m0F38 | 0xC4},
	},
	bitwise(VPANDD, VPANDQ, "vpand", 0xDB), bitwise(VPANDND, VPANDNQ, "vpandn", 0xDF),
	bitwise(VPORD, VPORQ, "vpor", 0xEB), bitwise(VPXORD, VPXORQ, "vpxor", 0xEF),
	[]form{
		{VPTERNLOGD, "vpternlogd", args{bV, nV, mV, imm8}, evD | p66 | m0F3A | 0x25},
		{VPTERNLOGQ, "vpternlogq", args{bV, nV, mV, imm8}, evQ | p66 | m0F3A | 0x25},

		{VPSLLW, "vpsllw", args{dV, nV, mX}, evW | p66 | m0F | 0xF1 | tM128 | vx0},
		{VPSLLD, "vpslld", args{dV, nV, mX}, ev | e4 | p66 | m0F | w0 | 0xF2 | tM128 | vx0},
		{VPSLLQ, "vpsllq", args{dV, nV, mX}, ev | e8 | p66 | m0F | w1 | 0xF3 | tM128 | vx0},
		{VPSRAW, "vpsraw", args{dV, nV, mX}, evW | p66 | m0F | 0xE1 | tM128 | vx0},
		{VPSRAD, "vpsrad", args{dV, nV, mX}, ev | e4 | p66 | m0F | w0 | 0xE2 | tM128 | vx0},
		{VPSRAQ, "vpsraq", args{dV, nV, mX}, ev | e8 | p66 | m0F | w1 | 0xE2 | tM128},
		{VPSRLW, "vpsrlw", args{dV, nV, mX}, evW | p66 | m0F | 0xD1 | tM128 | vx0},
		{VPSRLD, "vpsrld", args{dV, nV, mX}, ev | e4 | p66 | m0F | w0 | 0xD2 | tM128 | vx0},
		{VPSRLQ, "vpsrlq", args{dV, nV, mX}, ev | e8 | p66 | m0F | w1 | 0xD3 | tM128 | vx0},

		{VPSRAQI, "vpsraq", args{wV, mV, imm8}, evQ | p66 | m0F | 0x72 | digit(4)},
		{VPROLDI, "vprold", args{wV, mV, imm8}, evD | p66 | m0F | 0x72 | digit(1)},
		{VPROLQI, "vprolq", args{wV, mV, imm8}, evQ | p66 | m0F | 0x72 | digit(1)},
		{VPRORDI, "vprord", args{wV, mV, imm8}, evD | p66 | m0F | 0x72 | digit(0)},
		{VPRORQI, "vprorq", args{wV, mV, imm8}, evQ | p66 | m0F | 0x72 | digit(0)},
	},
	shiftImm(VPSLLWI, "vpsllw", evW|0x71|digit(6)), shiftImm(VPSLLDI, "vpslld", evD|0x72|digit(6)),
	shiftImm(VPSLLQI, "vpsllq", evQ|0x73|digit(6)), shiftImm(VPSRAWI, "vpsraw", evW|0x71|digit(4)),
	shiftImm(VPSRADI, "vpsrad", evD|0x72|digit(4)), shiftImm(VPSRLWI, "vpsrlw", evW|0x71|digit(2)),
	shiftImm(VPSRLDI, "vpsrld", evD|0x72|digit(2)), shiftImm(VPSRLQI, "vpsrlq", evQ|0x73|digit(2)),
	shiftImm(VPSLLDQI, "vpslldq", evex|lAll|0x73|digit(7)), shiftImm(VPSRLDQI, "vpsrldq", evex|lAll|0x73|digit(3)),
	[]form{
		{VPSLLVW, "vpsllvw", args{dV, nV, mV}, evW | w1 | p66 | m0F38 | 0x12},
		{VPSLLVD, "vpsllvd", args{dV, nV, mV}, evD | p66 | m0F38 | 0x47 | vx0},
		{VPSLLVQ, "vpsllvq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x47 | vx1},
		{VPSRAVW, "vpsravw", args{dV, nV, mV}, evW | w1 | p66 | m0F38 | 0x11},
		{VPSRAVD, "vpsravd", args{dV, nV, mV}, evD | p66 | m0F38 | 0x46 | vx0},
		{VPSRAVQ, "vpsravq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x46},
		{VPSRLVW, "vpsrlvw", args{dV, nV, mV}, evW | w1 | p66 | m0F38 | 0x10},
		{VPSRLVD, "vpsrlvd", args{dV, nV, mV}, evD | p66 | m0F38 | 0x45 | vx0},
		{VPSRLVQ, "vpsrlvq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x45 | vx1},
		{VPROLVD, "vprolvd", args{dV, nV, mV}, evD | p66 | m0F38 | 0x15},
		{VPROLVQ, "vprolvq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x15},
		{VPRORVD, "vprorvd", args{dV, nV, mV}, evD | p66 | m0F38 | 0x14},
		{VPRORVQ, "vprorvq", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x14},

		// Compares: the mask is and-ed into the result, so the destination is
		// not read.
		{VPCMPB, "vpcmpb", args{dK, nV, mV, imm8}, cmpB | m0F3A | w0 | 0x3F},
		{VPCMPW, "vpcmpw", args{dK, nV, mV, imm8}, cmpW | m0F3A | w1 | 0x3F},
		{VPCMPD, "vpcmpd", args{dK, nV, mV, imm8}, cmpD | m0F3A | 0x1F},
		{VPCMPQ, "vpcmpq", args{dK, nV, mV, imm8}, cmpQ | m0F3A | 0x1F},
		{VPCMPUB, "vpcmpub", args{dK, nV, mV, imm8}, cmpB | m0F3A | w0 | 0x3E},
		{VPCMPUW, "vpcmpuw", args{dK, nV, mV, imm8}, cmpW | m0F3A | w1 | 0x3E},
		{VPCMPUD, "vpcmpud", args{dK, nV, mV, imm8}, cmpD | m0F3A | 0x1E},
		{VPCMPUQ, "vpcmpuq", args{dK, nV, mV, imm8}, cmpQ | m0F3A | 0x1E},
		{VPCMPEQB, "vpcmpeqb", args{dK, nV, mV}, cmpB | m0F | 0x74},
		{VPCMPEQW, "vpcmpeqw", args{dK, nV, mV}, cmpW | m0F | 0x75},
		{VPCMPEQD, "vpcmpeqd", args{dK, nV, mV}, cmpD | m0F | 0x76},
		{VPCMPEQQ, "vpcmpeqq", args{dK, nV, mV}, cmpQ | m0F38 | 0x29},
		{VPCMPGTB, "vpcmpgtb", args{dK, nV, mV}, cmpB | m0F | 0x64},
		{VPCMPGTW, "vpcmpgtw", args{dK, nV, mV}, cmpW | m0F | 0x65},
		{VPCMPGTD, "vpcmpgtd", args{dK, nV, mV}, cmpD | m0F | 0x66},
		{VPCMPGTQ, "vpcmpgtq", args{dK, nV, mV}, cmpQ | m0F38 | 0x37},
		{VPTESTMB, "vptestmb", args{dK, nV, mV}, cmpB | m0F38 | w0 | 0x26},
		{VPTESTMW, "vptestmw", args{dK, nV, mV}, cmpW | m0F38 | w1 | 0x26},
		{VPTESTMD, "vptestmd", args{dK, nV, mV}, cmpD | m0F38 | 0x27},
		{VPTESTMQ, "vptestmq", args{dK, nV, mV}, cmpQ | m0F38 | 0x27},
		{VPTESTNMB, "vptestnmb", args{dK, nV, mV}, cmpB&^pF2 | pF3 | m0F38 | w0 | 0x26},
		{VPTESTNMW, "vptestnmw", args{dK, nV, mV}, cmpW&^pF2 | pF3 | m0F38 | w1 | 0x26},
		{VPTESTNMD, "vptestnmd", args{dK, nV, mV}, cmpD&^pF2 | pF3 | m0F38 | 0x27},
		{VPTESTNMQ, "vptestnmq", args{dK, nV, mV}, cmpQ&^pF2 | pF3 | m0F38 | 0x27},

		{VPBLENDMB, "vpblendmb", args{dV, nV, mV}, evB | mkBlend | p66 | m0F38 | w0 | 0x66},
		{VPBLENDMW, "vpblendmw", args{dV, nV, mV}, evW | mkBlend | p66 | m0F38 | w1 | 0x66},
		{VPBLENDMD, "vpblendmd", args{dV, nV, mV}, evD | mkBlend | p66 | m0F38 | 0x64},
		{VPBLENDMQ, "vpblendmq", args{dV, nV, mV}, evQ | mkBlend | p66 | m0F38 | 0x64},
		{VBLENDMPS, "vblendmps", args{dV, nV, mV}, evD | mkBlend | p66 | m0F38 | 0x65},
		{VBLENDMPD, "vblendmpd", args{dV, nV, mV}, evQ | mkBlend | p66 | m0F38 | 0x65},
		{VPMOVM2B, "vpmovm2b", args{dV, rK}, evex | lAll | pF3 | m0F38 | w0 | 0x28 | e1},
		{VPMOVM2W, "vpmovm2w", args{dV, rK}, evex | lAll | pF3 | m0F38 | w1 | 0x28 | e2},
		{VPMOVM2D, "vpmovm2d", args{dV, rK}, evex | lAll | pF3 | m0F38 | w0 | 0x38 | e4},
		{VPMOVM2Q, "vpmovm2q", args{dV, rK}, evex | lAll | pF3 | m0F38 | w1 | 0x38 | e8},
		{VPMOVB2M, "vpmovb2m", args{dK, rV}, evex | lAll | pF3 | m0F38 | w0 | 0x29 | e1},
		{VPMOVW2M, "vpmovw2m", args{dK, rV}, evex | lAll | pF3 | m0F38 | w1 | 0x29 | e2},
		{VPMOVD2M, "vpmovd2m", args{dK, rV}, evex | lAll | pF3 | m0F38 | w0 | 0x39 | e4},
		{VPMOVQ2M, "vpmovq2m", args{dK, rV}, evex | lAll | pF3 | m0F38 | w1 | 0x39 | e8},
	},
)

const (
	cmpB = evex | lAll | mkMerge | p66 | e1
	cmpW = evex | lAll | mkMerge | p66 | e2
	cmpD = evex | lAll | mkMerge | p66 | e4 | bc | w0
	cmpQ = evex | lAll | mkMerge | p66 | e8 | bc | w1
)

// bitwise returns the forms of a bitwise op: VEX has no element size.
func bitwise(opD, opQ Op, name string, opcode enc) []form {
	return []form{
		{opD, name, args{dV, nV, mV}, vx | p66 | m0F | opcode | e4},
		{opD, name + "d", args{dV, nV, mV}, evD | p66 | m0F | opcode},
		{opQ, name, args{dV, nV, mV}, vx | p66 | m0F | opcode | e8},
		{opQ, name + "q", args{dV, nV, mV}, evQ | p66 | m0F | opcode},
	}
}

// shiftImm returns the forms of a shift by an immediate: VEX has no memory
// operand. The destination is in vvvv.
func shiftImm(op Op, name string, e enc) []form {
	opcode := e & (0xFF | 15<<digitShift)
	return []form{
		{op, name, args{wV, rV, imm8}, vx | p66 | m0F | opcode},
		{op, name, args{wV, mV, imm8}, e | p66 | m0F},
	}
}
