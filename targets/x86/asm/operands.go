package asm

// Names of the operands in the tables. The first letter is the role and the encoding field,
// the rest the kind:
//
//	d  written, ModRM.reg          n  read, vvvv        m  read, ModRM.rm or memory
//	b  read and written, ModRM.reg w  written, vvvv     r  read, ModRM.rm, register only
//	s  read, ModRM.reg             l  read, memory only t  written, ModRM.rm or memory
//	u  read and written, ModRM.rm or memory             o  written, memory only
//	v  read and written, vvvv
//	i  read, in an immediate byte
const (
	dV = kV | pReg | aW
	dX = kX | pReg | aW
	dH = kH | pReg | aW
	dK = kK | pReg | aW
	dG = kG | pReg | aW

	dG32 = kG32 | pReg | aW
	dG64 = kG64 | pReg | aW

	bV = kV | pReg | aRW
	bX = kX | pReg | aRW
	bH = kH | pReg | aRW
	bG = kG | pReg | aRW

	sV = kV | pReg | aR
	sX = kX | pReg | aR
	sH = kH | pReg | aR
	sK = kK | pReg | aR
	sG = kG | pReg | aR

	nV = kV | pV | aR
	nX = kX | pV | aR
	nK = kK | pV | aR
	nG = kG | pV | aR
	iV = kV | pImm | aR
	wV = kV | pV | aW
	wG = kG | pV | aW
	vV = kV | pV | aRW
	vH = kH | pV | aRW

	mV   = kV | pRM | aR | aMem
	mX   = kX | pRM | aR | aMem
	mY   = kY | pRM | aR | aMem
	mH   = kH | pRM | aR | aMem
	mQ   = kQ | pRM | aR | aMem
	mE   = kE | pRM | aR | aMem
	mK   = kK | pRM | aR | aMem
	mG   = kG | pRM | aR | aMem
	mG8  = kG8 | pRM | aR | aMem
	mG16 = kG16 | pRM | aR | aMem
	mG32 = kG32 | pRM | aR | aMem
	mG64 = kG64 | pRM | aR | aMem

	rV   = kV | pRM | aR
	rX   = kX | pRM | aR
	rK   = kK | pRM | aR
	rG   = kG | pRM | aR
	rG32 = kG32 | pRM | aR
	rG64 = kG64 | pRM | aR

	tV   = kV | pRM | aW | aMem
	tX   = kX | pRM | aW | aMem
	tY   = kY | pRM | aW | aMem
	tH   = kH | pRM | aW | aMem
	tQ   = kQ | pRM | aW | aMem
	tE   = kE | pRM | aW | aMem
	tG   = kG | pRM | aW | aMem
	tG8  = kG8 | pRM | aW | aMem
	tG32 = kG32 | pRM | aW | aMem
	tG64 = kG64 | pRM | aW | aMem

	uG = kG | pRM | aRW | aMem

	lMem  = kMem | pRM | aR | aMem
	oMem  = kMem | pRM | aW | aMem
	uMem  = kMem | pRM | aRW | aMem
	lVM   = kVM | pRM | aR | aMem
	lVMH  = kVMH | pRM | aR | aMem
	oVM   = kVM | pRM | aW | aMem
	oVMH  = kVMH | pRM | aW | aMem
	imm8  = kImm8 | aR
	imm8s = kImm8s | aR
	immZ  = kImmZ | aR
	label = kLabel | aR
)

// Frequent combinations in the tables.
const (
	ev = evex | lAll | mkZero // masked vector op

	evB = ev | e1           // bytes
	evW = ev | e2           // words; W is ignored or zero
	evD = ev | e4 | bc | w0 // dwords or singles with broadcast
	evQ = ev | e8 | bc | w1 // qwords or doubles with broadcast

	evSS = evex | lig | mkZero | tScalar | e4 | w0 // scalar single
	evSD = evex | lig | mkZero | tScalar | e8 | w1 // scalar double

	vx = vex | l128 | l256 // VEX form with its own name or opcode

	vexSS = vex | lig | tScalar | e4
	vexSD = vex | lig | tScalar | e8

	l256512 = l256 | l512
)

const (
	fw  = enc(WritesFlags) << propShift
	fr  = enc(ReadsFlags) << propShift
	mvp = enc(Move) << propShift
	fx  = enc(SideEffect) << propShift
	jmp = enc(Jumps) << propShift
	end = enc(Terminates) << propShift
	gat = enc(NeedsMask|EarlyClobber) << propShift
	sct = enc(NeedsMask|SideEffect) << propShift
	psd = enc(Pseudo) << propShift
	vnn = enc(VNNI) << propShift
)
