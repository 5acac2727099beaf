package asm

// Mask registers. The VEX forms keep the width in W and pp: b is 66.W0, w is
// W0, d is 66.W1 and q is W1.

var maskForms = concat(
	[]form{
		{ZEROK, "kxorq", args{kK | pAll | aW}, vex | vl1 | m0F | w1 | 0x47},
		{ONESK, "kxnorq", args{kK | pAll | aW}, vex | vl1 | m0F | w1 | 0x46},
	},
	kmov(KMOVB, "kmovb", p66|w0, p66, rG32, dG32, e1),
	kmov(KMOVW, "kmovw", w0, 0, rG32, dG32, e2),
	kmov(KMOVD, "kmovd", p66|w1, pF2, rG32, dG32, e4),
	kmov(KMOVQ, "kmovq", w1, pF2|w1, rG64, dG64, e8),
	mask3([4]Op{KANDB, KANDW, KANDD, KANDQ}, "kand", 0x41),
	mask3([4]Op{KANDNB, KANDNW, KANDND, KANDNQ}, "kandn", 0x42),
	mask3([4]Op{KORB, KORW, KORD, KORQ}, "kor", 0x45),
	mask3([4]Op{KXNORB, KXNORW, KXNORD, KXNORQ}, "kxnor", 0x46),
	mask3([4]Op{KXORB, KXORW, KXORD, KXORQ}, "kxor", 0x47),
	mask3([4]Op{KADDB, KADDW, KADDD, KADDQ}, "kadd", 0x4A),
	mask2([4]Op{KNOTB, KNOTW, KNOTD, KNOTQ}, "knot", dK, 0x44),
	mask2([4]Op{KORTESTB, KORTESTW, KORTESTD, KORTESTQ}, "kortest", sK, 0x98|fw),
	mask2([4]Op{KTESTB, KTESTW, KTESTD, KTESTQ}, "ktest", sK, 0x99|fw),
	[]form{
		{KUNPCKBW, "kunpckbw", args{dK, nK, rK}, vex | vl1 | p66 | m0F | 0x4B},
		{KUNPCKWD, "kunpckwd", args{dK, nK, rK}, vex | vl1 | m0F | 0x4B},
		{KUNPCKDQ, "kunpckdq", args{dK, nK, rK}, vex | vl1 | m0F | w1 | 0x4B},
		{KSHIFTRB, "kshiftrb", args{dK, rK, imm8}, vex | p66 | m0F3A | w0 | 0x30},
		{KSHIFTRW, "kshiftrw", args{dK, rK, imm8}, vex | p66 | m0F3A | w1 | 0x30},
		{KSHIFTRD, "kshiftrd", args{dK, rK, imm8}, vex | p66 | m0F3A | w0 | 0x31},
		{KSHIFTRQ, "kshiftrq", args{dK, rK, imm8}, vex | p66 | m0F3A | w1 | 0x31},
		{KSHIFTLB, "kshiftlb", args{dK, rK, imm8}, vex | p66 | m0F3A | w0 | 0x32},
		{KSHIFTLW, "kshiftlw", args{dK, rK, imm8}, vex | p66 | m0F3A | w1 | 0x32},
		{KSHIFTLD, "kshiftld", args{dK, rK, imm8}, vex | p66 | m0F3A | w0 | 0x33},
		{KSHIFTLQ, "kshiftlq", args{dK, rK, imm8}, vex | p66 | m0F3A | w1 | 0x33},
	},
)

var (
	maskSuffix = [4]string{"b", "w", "d", "q"}
	maskWidth  = [4]enc{p66 | w0, w0, p66 | w1, w1}
)

// kmov returns the forms of a mask move: width selects those between masks
// and memory, gpr those from and to a general-purpose register.
func kmov(op Op, name string, width, gpr enc, from, to arg, elem enc) []form {
	return []form{
		{op, name, args{dK, mK}, vex | m0F | width | 0x90 | tScalar | elem | mvp},
		{op, name, args{oMem, sK}, vex | m0F | width | 0x91 | tScalar | elem},
		{op, name, args{dK, from}, vex | m0F | gpr | 0x92 | tScalar | elem},
		{op, name, args{to, rK}, vex | m0F | gpr | 0x93 | tScalar | elem},
	}
}

func mask3(ops [4]Op, name string, opcode enc) []form {
	rows := make([]form, 4)
	for i, op := range ops {
		rows[i] = form{op, name + maskSuffix[i], args{dK, nK, rK}, vex | vl1 | m0F | maskWidth[i] | opcode}
	}
	return rows
}

func mask2(ops [4]Op, name string, first arg, opcode enc) []form {
	rows := make([]form, 4)
	for i, op := range ops {
		rows[i] = form{op, name + maskSuffix[i], args{first, rK}, vex | m0F | maskWidth[i] | opcode}
	}
	return rows
}
