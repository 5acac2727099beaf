package asm

// General-purpose instructions.

var gprForms = concat(
	[]form{
		{ZEROR, "xor", args{kG32 | pAll | aW}, 0x31 | fw},

		{MOV, "mov", args{tG, sG}, 0x88 | wbit | sAll | mvp},
		{MOV, "mov", args{dG, mG}, 0x8A | wbit | sAll},
		{MOV, "mov", args{kG | pOp | aW, immZ}, 0xB0 | nomr | s8},
		{MOV, "mov", args{kG | pOp | aW, immZ}, 0xB8 | nomr | s16 | s32},
		{MOV, "mov", args{tG, immZ}, 0xC6 | wbit | digit(0) | sAll},
		{MOV, "movabs", args{kG | pOp | aW, kImm64 | aR}, 0xB8 | nomr | s64},
		{MOVZXB, "movzx", args{dG, mG8}, m0F | 0xB6 | sWDQ},
		{MOVZXW, "movzx", args{dG, mG16}, m0F | 0xB7 | sDQ},
		{MOVSXB, "movsx", args{dG, mG8}, m0F | 0xBE | sWDQ},
		{MOVSXW, "movsx", args{dG, mG16}, m0F | 0xBF | sDQ},
		{MOVSXD, "movsxd", args{dG64, mG32}, 0x63 | w1},
		{LEA, "lea", args{dG, lMem}, 0x8D | sWDQ | tNone},
		{XCHG, "xchg", args{uG, kG | pReg | aRW}, 0x86 | wbit | sAll | fx},
		{BSWAP, "bswap", args{kG | pOp | aRW}, m0F | 0xC8 | nomr | sDQ},
		{CMOVCC, "cmov", args{bG, mG}, m0F | 0x40 | cc | sWDQ | fr},
		{SETCC, "set", args{tG8}, m0F | 0x90 | cc | fr},
	},
	arithmetic(ADD, "add", 0, aRW, fw), arithmetic(OR, "or", 1, aRW, fw),
	arithmetic(ADC, "adc", 2, aRW, fw|fr), arithmetic(SBB, "sbb", 3, aRW, fw|fr),
	arithmetic(AND, "and", 4, aRW, fw), arithmetic(SUB, "sub", 5, aRW, fw),
	arithmetic(XOR, "xor", 6, aRW, fw), arithmetic(CMP, "cmp", 7, aR, fw),
	[]form{
		{TEST, "test", args{mG, sG}, 0x84 | wbit | sAll | fw},
		{TEST, "test", args{kAcc | aR, immZ}, 0xA8 | wbit | nomr | sAll},
		{TEST, "test", args{mG, immZ}, 0xF6 | wbit | digit(0) | sAll},

		{IMUL, "imul", args{bG, mG}, m0F | 0xAF | sWDQ | fw},
		{IMUL3, "imul", args{dG, mG, imm8s}, 0x6B | sWDQ | fw},
		{IMUL3, "imul", args{dG, mG, immZ}, 0x69 | sWDQ},
		{IMUL1, "imul", args{mG}, 0xF7 | digit(5) | sWDQ | fw},
		{MUL, "mul", args{mG}, 0xF7 | digit(4) | sWDQ | fw},
		{MULX, "mulx", args{dG, wG, mG}, vex | pF2 | m0F38 | ws | 0xF6 | sDQ},
		{DIV, "div", args{mG}, 0xF7 | digit(6) | sWDQ | fw | fx},
		{IDIV, "idiv", args{mG}, 0xF7 | digit(7) | sWDQ | fw | fx},
		{CDQ, "cdq", args{}, 0x99 | nomr},
		{CQO, "cqo", args{}, 0x99 | w1 | nomr},
		{NEG, "neg", args{uG}, 0xF6 | wbit | digit(3) | sAll | fw},
		{NOT, "not", args{uG}, 0xF6 | wbit | digit(2) | sAll},
		// INC and DEC do not change CF.
		{INC, "inc", args{uG}, 0xFE | wbit | digit(0) | sAll | fw | fr},
		{DEC, "dec", args{uG}, 0xFE | wbit | digit(1) | sAll | fw | fr},
	},
	shift(ROL, ROLCL, "rol", 0), shift(ROR, RORCL, "ror", 1),
	shift(SHL, SHLCL, "shl", 4), shift(SHR, SHRCL, "shr", 5), shift(SAR, SARCL, "sar", 7),
	[]form{
		{SHLX, "shlx", args{dG, mG, nG}, vex | p66 | m0F38 | ws | 0xF7 | sDQ},
		{SARX, "sarx", args{dG, mG, nG}, vex | pF3 | m0F38 | ws | 0xF7 | sDQ},
		{SHRX, "shrx", args{dG, mG, nG}, vex | pF2 | m0F38 | ws | 0xF7 | sDQ},
		{PDEP, "pdep", args{dG, nG, mG}, vex | pF2 | m0F38 | ws | 0xF5 | sDQ},
		{PEXT, "pext", args{dG, nG, mG}, vex | pF3 | m0F38 | ws | 0xF5 | sDQ},
		{BZHI, "bzhi", args{dG, mG, nG}, vex | m0F38 | ws | 0xF5 | sDQ | fw},
		{RORX, "rorx", args{dG, mG, imm8}, vex | pF2 | m0F3A | ws | 0xF0 | sDQ},
		{SHLDI, "shld", args{uG, sG, imm8}, m0F | 0xA4 | sWDQ | fw},
		{SHRDI, "shrd", args{uG, sG, imm8}, m0F | 0xAC | sWDQ | fw},

		// BSF and BSR do not change the destination if the source is zero.
		{BSF, "bsf", args{bG, mG}, m0F | 0xBC | sWDQ | fw},
		{BSR, "bsr", args{bG, mG}, m0F | 0xBD | sWDQ | fw},
		{LZCNT, "lzcnt", args{dG, mG}, pF3 | m0F | 0xBD | sWDQ | fw},
		{TZCNT, "tzcnt", args{dG, mG}, pF3 | m0F | 0xBC | sWDQ | fw},
		{POPCNT, "popcnt", args{dG, mG}, pF3 | m0F | 0xB8 | sWDQ | fw},
		{ANDN, "andn", args{dG, nG, mG}, vex | m0F38 | ws | 0xF2 | sDQ | fw},
		{BLSR, "blsr", args{wG, mG}, vex | m0F38 | ws | 0xF3 | digit(1) | sDQ | fw},
		{BLSMSK, "blsmsk", args{wG, mG}, vex | m0F38 | ws | 0xF3 | digit(2) | sDQ | fw},
		{BLSI, "blsi", args{wG, mG}, vex | m0F38 | ws | 0xF3 | digit(3) | sDQ | fw},
		{BT, "bt", args{rG, sG}, m0F | 0xA3 | sWDQ | fw},
		{BT, "bt", args{mG, imm8}, m0F | 0xBA | digit(4) | sWDQ},
	},
	bitChange(BTS, "bts", 5), bitChange(BTR, "btr", 6), bitChange(BTC, "btc", 7),
)

// controlForms are jumps, atomics and machine state.
var controlForms = concat(
	[]form{
		{LABEL, "label", args{label}, psd},
		{ALIGN, "align", args{imm8}, psd},
		{JMP, "jmp", args{label}, 0xE9 | jmp | end},
		{JMPIND, "jmp", args{mG64}, 0xFF | digit(4) | jmp | end},
		{JCC, "j", args{label}, m0F | 0x80 | cc | fr | jmp},
		{RET, "ret", args{}, 0xC3 | nomr | jmp | end},
		{UD2, "ud2", args{}, m0F | 0x0B | nomr | fx | end},
		{NOP, "nop", args{}, 0x90 | nomr},
		{VZEROUPPER, "vzeroupper", args{}, vex | m0F | 0x77 | nomr | fx},

		{LOCKCMPXCHG, "lock cmpxchg", args{uMem, sG}, lock | m0F | 0xB0 | wbit | sAll | fw | fx},
		{LOCKXADD, "lock xadd", args{uMem, kG | pReg | aRW}, lock | m0F | 0xC0 | wbit | sAll | fw | fx},
	},
	locked(LOCKADD, "lock add", 0), locked(LOCKOR, "lock or", 1), locked(LOCKAND, "lock and", 4),
	locked(LOCKSUB, "lock sub", 5), locked(LOCKXOR, "lock xor", 6),
	[]form{
		{LOCKINC, "lock inc", args{uMem}, lock | 0xFE | wbit | digit(0) | sAll | fw | fx},
		{LOCKDEC, "lock dec", args{uMem}, lock | 0xFE | wbit | digit(1) | sAll | fw | fx},
		{MFENCE, "mfence", args{}, m0F | 0xAE | digit(6) | fx},
		{LDMXCSR, "ldmxcsr", args{lMem}, m0F | 0xAE | digit(2) | tScalar | e4 | fx},
		{STMXCSR, "stmxcsr", args{oMem}, m0F | 0xAE | digit(3) | tScalar | e4 | fx},
	},
)

// arithmetic returns the forms of ALU operation n; role is that of its first
// operand, which cmp only reads.
func arithmetic(op Op, name string, n int, role arg, props enc) []form {
	base := enc(n * 8)
	return []form{
		{op, name, args{kG | pRM | aMem | role, sG}, base | wbit | sAll | props},
		{op, name, args{kG | pReg | role, mG}, base + 2 | wbit | sAll},
		{op, name, args{kG | pRM | aMem | role, imm8s}, 0x83 | digit(n) | sWDQ},
		{op, name, args{kAcc | role, immZ}, base + 4 | wbit | nomr | sAll},
		{op, name, args{kG | pRM | aMem | role, immZ}, 0x80 | wbit | digit(n) | sAll},
	}
}

// locked returns the forms of atomic ALU operation n on memory.
func locked(op Op, name string, n int) []form {
	return []form{
		{op, name, args{uMem, sG}, lock | enc(n*8) | wbit | sAll | fw | fx},
		{op, name, args{uMem, imm8s}, lock | 0x83 | digit(n) | sWDQ},
		{op, name, args{uMem, immZ}, lock | 0x80 | wbit | digit(n) | sAll},
	}
}

// shift returns the forms of shift n: by one, by an immediate and by cl.
func shift(op, byCL Op, name string, n int) []form {
	return []form{
		{op, name, args{uG, kOne | aR}, 0xD0 | wbit | digit(n) | sAll | fw},
		{op, name, args{uG, imm8}, 0xC0 | wbit | digit(n) | sAll},
		{byCL, name, args{uG, kCL | aR}, 0xD2 | wbit | digit(n) | sAll | fw},
	}
}

// bitChange returns the forms of bit test and change n. It omits memory operands with a bit
// number in a register, which access memory beyond the operand.
func bitChange(op Op, name string, n int) []form {
	return []form{
		{op, name, args{kG | pRM | aRW, sG}, m0F | enc(0x83+8*n) | sWDQ | fw},
		{op, name, args{uG, imm8}, m0F | 0xBA | digit(n) | sWDQ},
	}
}

func concat(parts ...[]form) []form {
	var all []form
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}
