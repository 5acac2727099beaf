package asm

// Widening, narrowing, permutes, shuffles and parts of vectors.

var shuffleForms = concat(
	widen([2]Op{VPMOVZXBW, VPMOVSXBW}, "bw", mH, 0x30, tHalf|e1),
	widen([2]Op{VPMOVZXBD, VPMOVSXBD}, "bd", mQ, 0x31, tQuarter|e1),
	widen([2]Op{VPMOVZXBQ, VPMOVSXBQ}, "bq", mE, 0x32, tEighth|e1),
	widen([2]Op{VPMOVZXWD, VPMOVSXWD}, "wd", mH, 0x33, tHalf|e2),
	widen([2]Op{VPMOVZXWQ, VPMOVSXWQ}, "wq", mQ, 0x34, tQuarter|e2),
	widen([2]Op{VPMOVZXDQ, VPMOVSXDQ}, "dq", mH, 0x35, tHalf|e4),
	narrow([3]Op{VPMOVWB, VPMOVSWB, VPMOVUSWB}, "wb", tH, 0x30, tHalf|e2),
	narrow([3]Op{VPMOVDB, VPMOVSDB, VPMOVUSDB}, "db", tQ, 0x31, tQuarter|e4),
	narrow([3]Op{VPMOVQB, VPMOVSQB, VPMOVUSQB}, "qb", tE, 0x32, tEighth|e8),
	narrow([3]Op{VPMOVDW, VPMOVSDW, VPMOVUSDW}, "dw", tH, 0x33, tHalf|e4),
	narrow([3]Op{VPMOVQW, VPMOVSQW, VPMOVUSQW}, "qw", tQ, 0x34, tQuarter|e8),
	narrow([3]Op{VPMOVQD, VPMOVSQD, VPMOVUSQD}, "qd", tH, 0x35, tHalf|e8),
	[]form{
		{VPERMW, "vpermw", args{dV, nV, mV}, evW | w1 | p66 | m0F38 | 0x8D},
		{VPERMD, "vpermd", args{dV, nV, mV}, evD&^l128 | p66 | m0F38 | 0x36 | vx0},
		{VPERMQ, "vpermq", args{dV, nV, mV}, evQ&^l128 | p66 | m0F38 | 0x36},
		{VPERMPS, "vpermps", args{dV, nV, mV}, evD&^l128 | p66 | m0F38 | 0x16 | vx0},
		{VPERMPD, "vpermpd", args{dV, nV, mV}, evQ&^l128 | p66 | m0F38 | 0x16},
		{VPERMQI, "vpermq", args{dV, mV, imm8}, evQ&^l128 | p66 | m0F3A | 0x00 | vx1},
		{VPERMPDI, "vpermpd", args{dV, mV, imm8}, evQ&^l128 | p66 | m0F3A | 0x01 | vx1},
		{VPERMI2W, "vpermi2w", args{bV, nV, mV}, evW | w1 | p66 | m0F38 | 0x75},
		{VPERMI2D, "vpermi2d", args{bV, nV, mV}, evD | p66 | m0F38 | 0x76},
		{VPERMI2Q, "vpermi2q", args{bV, nV, mV}, evQ | p66 | m0F38 | 0x76},
		{VPERMI2PS, "vpermi2ps", args{bV, nV, mV}, evD | p66 | m0F38 | 0x77},
		{VPERMI2PD, "vpermi2pd", args{bV, nV, mV}, evQ | p66 | m0F38 | 0x77},
		{VPERMT2W, "vpermt2w", args{bV, nV, mV}, evW | w1 | p66 | m0F38 | 0x7D},
		{VPERMT2D, "vpermt2d", args{bV, nV, mV}, evD | p66 | m0F38 | 0x7E},
		{VPERMT2Q, "vpermt2q", args{bV, nV, mV}, evQ | p66 | m0F38 | 0x7E},
		{VPERMT2PS, "vpermt2ps", args{bV, nV, mV}, evD | p66 | m0F38 | 0x7F},
		{VPERMT2PD, "vpermt2pd", args{bV, nV, mV}, evQ | p66 | m0F38 | 0x7F},
		{VPERMILPS, "vpermilps", args{dV, nV, mV}, evD | p66 | m0F38 | 0x0C | vx0},
		{VPERMILPD, "vpermilpd", args{dV, nV, mV}, evQ | p66 | m0F38 | 0x0D | vx0},
		{VPERMILPSI, "vpermilps", args{dV, mV, imm8}, evD | p66 | m0F3A | 0x04 | vx0},
		{VPERMILPDI, "vpermilpd", args{dV, mV, imm8}, evQ | p66 | m0F3A | 0x05 | vx0},
		{VPSHUFB, "vpshufb", args{dV, nV, mV}, evB | p66 | m0F38 | 0x00 | vx0},
		{VPSHUFD, "vpshufd", args{dV, mV, imm8}, evD | p66 | m0F | 0x70 | vx0},
		{VPSHUFLW, "vpshuflw", args{dV, mV, imm8}, evW | pF2 | m0F | 0x70 | vx0},
		{VPSHUFHW, "vpshufhw", args{dV, mV, imm8}, evW | pF3 | m0F | 0x70 | vx0},
		{VSHUFPS, "vshufps", args{dV, nV, mV, imm8}, evD | m0F | 0xC6 | vx0},
		{VSHUFPD, "vshufpd", args{dV, nV, mV, imm8}, evQ | p66 | m0F | 0xC6 | vx0},
		{VSHUFI32X4, "vshufi32x4", args{dV, nV, mV, imm8}, evD&^l128 | p66 | m0F3A | 0x43},
		{VSHUFI64X2, "vshufi64x2", args{dV, nV, mV, imm8}, evQ&^l128 | p66 | m0F3A | 0x43},
		{VSHUFF32X4, "vshuff32x4", args{dV, nV, mV, imm8}, evD&^l128 | p66 | m0F3A | 0x23},
		{VSHUFF64X2, "vshuff64x2", args{dV, nV, mV, imm8}, evQ&^l128 | p66 | m0F3A | 0x23},
		{VPUNPCKLBW, "vpunpcklbw", args{dV, nV, mV}, evB | p66 | m0F | 0x60 | vx0},
		{VPUNPCKLWD, "vpunpcklwd", args{dV, nV, mV}, evW | p66 | m0F | 0x61 | vx0},
		{VPUNPCKLDQ, "vpunpckldq", args{dV, nV, mV}, evD | p66 | m0F | 0x62 | vx0},
		{VPUNPCKLQDQ, "vpunpcklqdq", args{dV, nV, mV}, evQ | p66 | m0F | 0x6C | vx0},
		{VPUNPCKHBW, "vpunpckhbw", args{dV, nV, mV}, evB | p66 | m0F | 0x68 | vx0},
		{VPUNPCKHWD, "vpunpckhwd", args{dV, nV, mV}, evW | p66 | m0F | 0x69 | vx0},
		{VPUNPCKHDQ, "vpunpckhdq", args{dV, nV, mV}, evD | p66 | m0F | 0x6A | vx0},
		{VPUNPCKHQDQ, "vpunpckhqdq", args{dV, nV, mV}, evQ | p66 | m0F | 0x6D | vx0},
		{VUNPCKLPS, "vunpcklps", args{dV, nV, mV}, evD | m0F | 0x14 | vx0},
		{VUNPCKLPD, "vunpcklpd", args{dV, nV, mV}, evQ | p66 | m0F | 0x14 | vx0},
		{VUNPCKHPS, "vunpckhps", args{dV, nV, mV}, evD | m0F | 0x15 | vx0},
		{VUNPCKHPD, "vunpckhpd", args{dV, nV, mV}, evQ | p66 | m0F | 0x15 | vx0},
		{VPACKSSWB, "vpacksswb", args{dV, nV, mV}, evW | p66 | m0F | 0x63 | vx0},
		{VPACKSSDW, "vpackssdw", args{dV, nV, mV}, evD | p66 | m0F | 0x6B | vx0},
		{VPACKUSWB, "vpackuswb", args{dV, nV, mV}, evW | p66 | m0F | 0x67 | vx0},
		{VPACKUSDW, "vpackusdw", args{dV, nV, mV}, evD | p66 | m0F38 | 0x2B | vx0},
		{VPALIGNR, "vpalignr", args{dV, nV, mV, imm8}, evB | p66 | m0F3A | 0x0F | vx0},
		{VALIGND, "valignd", args{dV, nV, mV, imm8}, evD | p66 | m0F3A | 0x03},
		{VALIGNQ, "valignq", args{dV, nV, mV, imm8}, evQ | p66 | m0F3A | 0x03},
	},
	part(VEXTRACTI32X4, VINSERTI32X4, "i32x4", "i128", 0x39, 0x38, tX4|e4),
	part(VEXTRACTI64X2, VINSERTI64X2, "i64x2", "i128", 0x39, 0x38, tX2|e8|w1),
	part(VEXTRACTF32X4, VINSERTF32X4, "f32x4", "f128", 0x19, 0x18, tX4|e4),
	part(VEXTRACTF64X2, VINSERTF64X2, "f64x2", "f128", 0x19, 0x18, tX2|e8|w1),
	half(VEXTRACTI32X8, VINSERTI32X8, "i32x8", 0x3B, 0x3A, tX8|e4),
	half(VEXTRACTI64X4, VINSERTI64X4, "i64x4", 0x3B, 0x3A, tX4|e8|w1),
	half(VEXTRACTF32X8, VINSERTF32X8, "f32x8", 0x1B, 0x1A, tX8|e4),
	half(VEXTRACTF64X4, VINSERTF64X4, "f64x4", 0x1B, 0x1A, tX4|e8|w1),
	[]form{
		{VPEXTRB, "vpextrb", args{tG32, sX, imm8}, elemX | m0F3A | 0x14 | e1 | vx0},
		{VPEXTRW, "vpextrw", args{dG32, rX, imm8}, elemX | m0F | 0xC5 | e2 | vx0},
		{VPEXTRW, "vpextrw", args{oMem, sX, imm8}, elemX | m0F3A | 0x15 | e2 | vx0},
		{VPEXTRD, "vpextrd", args{tG32, sX, imm8}, elemX | m0F3A | 0x16 | e4 | vx0},
		{VPEXTRQ, "vpextrq", args{tG64, sX, imm8}, elemX | m0F3A | 0x16 | w1 | e8 | vx1},
		{VPINSRB, "vpinsrb", args{dX, nX, mG32, imm8}, elemX | m0F3A | 0x20 | e1 | vx0},
		{VPINSRW, "vpinsrw", args{dX, nX, mG32, imm8}, elemX | m0F | 0xC4 | e2 | vx0},
		{VPINSRD, "vpinsrd", args{dX, nX, mG32, imm8}, elemX | m0F3A | 0x22 | e4 | vx0},
		{VPINSRQ, "vpinsrq", args{dX, nX, mG64, imm8}, elemX | m0F3A | 0x22 | w1 | e8 | vx1},
		{VINSERTPS, "vinsertps", args{dX, nX, mX, imm8}, elemX | m0F3A | 0x21 | e4 | vx0},
		{VEXTRACTPS, "vextractps", args{tG32, sX, imm8}, elemX | m0F3A | 0x17 | e4 | vx0},
	},
)

// elemX is the encoding of moves of one element of an xmm.
const elemX = evex | lig | p66 | tScalar

// widen returns the zero- and sign-extending forms; the opcodes of sign extension are less by
// 0x10.
func widen(ops [2]Op, name string, src arg, opcode, tuple enc) []form {
	e := ev | p66 | m0F38 | w0 | tuple | vx0
	return []form{
		{ops[0], "vpmovzx" + name, args{dV, src}, e | opcode},
		{ops[1], "vpmovsx" + name, args{dV, src}, e | (opcode - 0x10)},
	}
}

// narrow returns the truncating forms and those with signed and unsigned
// saturation.
func narrow(ops [3]Op, name string, dst arg, opcode, tuple enc) []form {
	e := ev | pF3 | m0F38 | w0 | tuple
	return []form{
		{ops[0], "vpmov" + name, args{dst, sV}, e | opcode},
		{ops[1], "vpmovs" + name, args{dst, sV}, e | (opcode - 0x10)},
		{ops[2], "vpmovus" + name, args{dst, sV}, e | (opcode - 0x20)},
	}
}

// part returns the forms that extract and insert 128 bits.
func part(extract, insert Op, name, vexName string, ext, ins, tuple enc) []form {
	e := evex | l256512 | mkZero | p66 | m0F3A | tuple
	v := vex | l256 | p66 | m0F3A | tuple&^w1
	return []form{
		{extract, "vextract" + vexName, args{tX, sV, imm8}, v | ext},
		{extract, "vextract" + name, args{tX, sV, imm8}, e | ext},
		{insert, "vinsert" + vexName, args{dV, nV, mX, imm8}, v | ins},
		{insert, "vinsert" + name, args{dV, nV, mX, imm8}, e | ins},
	}
}

// half returns the forms that extract and insert 256 bits.
func half(extract, insert Op, name string, ext, ins, tuple enc) []form {
	e := evex | l512 | mkZero | p66 | m0F3A | tuple
	return []form{
		{extract, "vextract" + name, args{tY, sV, imm8}, e | ext},
		{insert, "vinsert" + name, args{dV, nV, mY, imm8}, e | ins},
	}
}
