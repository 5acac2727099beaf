package asm

// form is one row of the encoding table: one encoding of an op and the operands it accepts.
// An op's rows are adjacent, with the preferred encoding first; the encoder takes the first
// that fits.
type form struct {
	op   Op
	name string // mnemonic, GNU Intel syntax; conditions are appended
	args args
	enc  enc
}

type args [4]arg

// arg describes one operand: its kind (bits 0-4), whether it may be in memory (bit 5), the
// field that encodes it (bits 6-8) and its role (bits 9-10).
type arg uint16

// kind of operand.
const (
	kNone  arg = iota
	kG         // GPR of Inst.Size
	kG8        // GPR, 8 bits
	kG16       // GPR, 16 bits
	kG32       // GPR, 32 bits
	kG64       // GPR, 64 bits
	kAcc       // rax, of Inst.Size, implied by the opcode
	kCL        // cl, implied by the opcode and not in Inst.Args
	kOne       // the immediate 1, implied by the opcode
	kV         // vector of Inst.VL
	kX         // xmm
	kY         // ymm
	kH         // vector of half Inst.VL, at least xmm
	kQ         // vector of a quarter of Inst.VL, at least xmm
	kE         // vector of an eighth of Inst.VL, at least xmm
	kK         // mask register
	kMem       // memory only
	kVM        // memory with a vector index of Inst.VL
	kVMH       // memory with a vector index of half Inst.VL, at least xmm
	kImm8      // 8 bits, signed or unsigned
	kImm8s     // 8 bits, sign-extended to Inst.Size
	kImmZ      // 8, 16 or 32 bits by Inst.Size, sign-extended for 64
	kImm64     // 64 bits
	kLabel     // label, rel8 or rel32

	kindMask arg = 31
)

// place of an operand in the encoding.
const (
	aMem arg = 1 << 5 // the operand may be in memory

	pReg arg = 1 << 6 // ModRM.reg
	pRM  arg = 2 << 6 // ModRM.rm
	pV   arg = 3 << 6 // VEX/EVEX.vvvv
	pOp  arg = 4 << 6 // low 3 bits of the opcode
	pAll arg = 5 << 6 // ModRM.reg, ModRM.rm and vvvv at once
	pImm arg = 6 << 6 // the upper half of a byte after the address

	placeMask arg = 7 << 6

	aR  = arg(Read) << 9
	aW  = arg(Write) << 9
	aRW = arg(ReadWrite) << 9

	roleShift = 9
)

func (a arg) kind() arg  { return a & kindMask }
func (a arg) place() arg { return a & placeMask }
func (a arg) role() Role { return Role(a >> roleShift & 3) }

// enc packs the properties of a form's encoding.
type enc uint64

const (
	// bits 0-7: opcode
	m0F   enc = 1 << 8
	m0F38 enc = 2 << 8
	m0F3A enc = 3 << 8
	p66   enc = 1 << 10
	pF3   enc = 2 << 10
	pF2   enc = 3 << 10

	digitShift = 12 // bits 12-15: 1 + the opcode extension in ModRM.reg, 0 for none

	w0 enc = 0
	w1 enc = 1 << 16 // W = 1
	ws enc = 2 << 16 // W = 1 if Inst.Size is 64 (legacy forms have it implicitly)

	legacy enc = 0
	vex    enc = 1 << 18
	evex   enc = 2 << 18

	l128 enc = 1 << 20
	l256 enc = 1 << 21
	l512 enc = 1 << 22
	lAll     = l128 | l256 | l512
	lig      = l128 // scalar: L'L is 0

	mkMerge enc = enc(MaskMerge) << 23
	mkZero  enc = enc(MaskZero) << 23
	mkBlend enc = enc(MaskBlend) << 23

	bc  enc = 1 << 25 // embedded broadcast of an element
	er  enc = 1 << 26 // embedded rounding
	sae enc = 1 << 27 // suppress all exceptions

	e1 enc = 0 << 28 // element of 1 byte
	e2 enc = 1 << 28
	e4 enc = 2 << 28
	e8 enc = 3 << 28

	// Size of a memory operand in bytes; also N of disp8*N (SDM 2.7.5).
	tFull    enc = 0 << 30 // the vector length
	tHalf    enc = 1 << 30
	tQuarter enc = 2 << 30
	tEighth  enc = 3 << 30
	tScalar  enc = 4 << 30 // one element
	tX2      enc = 5 << 30
	tX4      enc = 6 << 30
	tX8      enc = 7 << 30
	tM128    enc = 8 << 30  // 16
	tDup     enc = 9 << 30  // 8 for xmm, else the vector length
	tNone    enc = 10 << 30 // no size (lea)

	// An EVEX row may also describe the VEX encoding with the same map, pp and opcode, at 128
	// and 256 bits.
	vx0 enc = 1 << 34 // VEX twin with W = 0 (or ignored)
	vx1 enc = 2 << 34 // VEX twin with W = 1
	vxs enc = 3 << 34 // VEX twin with W = 1 if Inst.Size is 64

	s8   enc = 1 << 36 // operand sizes allowed; none means Inst.Size is not used
	s16  enc = 1 << 37
	s32  enc = 1 << 38
	s64  enc = 1 << 39
	sAll     = s8 | s16 | s32 | s64
	sWDQ     = s16 | s32 | s64
	sDQ      = s32 | s64

	wbit enc = 1 << 40 // the opcode is odd for sizes over 8
	cc   enc = 1 << 41 // Inst.Cond is added to the opcode
	lock enc = 1 << 42 // lock prefix
	n64  enc = 1 << 43 // 64 bits without REX.W
	swap enc = 1 << 44 // VEX register form has a reversed twin, see reversed
	nomr enc = 1 << 45 // no ModRM byte
	vl1  enc = 1 << 46 // VEX.L = 1 without a vector operand
	ones enc = 1 << 47 // an immediate byte 0xFF follows that is not an operand

	propShift = 48 // bits 48-63: Prop
)

func digit(n int) enc      { return enc(n+1) << digitShift }
func (e enc) opcode() byte { return byte(e) }
func (e enc) opmap() uint8 { return uint8(e >> 8 & 3) }
func (e enc) pp() uint8    { return uint8(e >> 10 & 3) }
func (e enc) vls() uint8   { return uint8(e >> 20 & 7) }
func (e enc) sizes() uint8 { return uint8(e >> 36 & 15) }
func (e enc) mask() MaskUse {
	return MaskUse(e >> 23 & 3)
}
func (e enc) elem() int { return 1 << (e >> 28 & 3) }

// kindBits masks legacy, vex and evex.
const kindBits enc = 3 << 18

func (e enc) isEVEX() bool { return e&kindBits == evex }
func (e enc) isVEX() bool  { return e&kindBits == vex }

// memBytes returns the size of the form's memory operand without broadcast.
func (e enc) memBytes(v VL) int {
	n := v.Bytes()
	switch e & (15 << 30) {
	case tHalf:
		return n / 2
	case tQuarter:
		return n / 4
	case tEighth:
		return n / 8
	case tScalar:
		return e.elem()
	case tX2:
		return 2 * e.elem()
	case tX4:
		return 4 * e.elem()
	case tX8:
		return 8 * e.elem()
	case tM128:
		return 16
	case tDup:
		if n == 16 {
			return 8
		}
	case tNone:
		return 0
	}
	return n
}

// forms is the whole table, concatenated from the tables in the other files; infos and
// formRange are indexed by op.
var (
	forms     []form
	infos     [numOps]Info
	formRange [numOps][2]uint16 // first row, one past the last
)

func init() {
	for _, rows := range [][]form{gprForms, controlForms, moveForms, intForms, shuffleForms, floatForms, convertForms, maskForms, vectorMaskForms} {
		forms = append(forms, rows...)
	}
	infos[INVALID].Name = "(bad)"
	for i := range forms {
		f := &forms[i]
		if formRange[f.op][1] == 0 {
			formRange[f.op][0] = uint16(i)
		}
		formRange[f.op][1] = uint16(i + 1)
		infos[f.op].add(f)
	}
	for op, fixed := range fixedRegs {
		infos[op].Fixed = fixed
	}
}

// add merges the properties of a row into those of the op: operand roles agree among the
// rows of an op (TestTable checks it), features are united, and the name is that of the EVEX
// row if there is one.
func (in *Info) add(f *form) {
	if in.Name == "" || f.enc.isEVEX() {
		in.Name = f.name
	}
	in.Args = 0
	for i, a := range f.args {
		if a != 0 && a.kind() != kCL {
			in.Args = i + 1
			in.Roles[i] = a.role()
		}
	}
	in.Props |= Prop(f.enc >> propShift)
	in.Mask = max(in.Mask, f.enc.mask())
	in.VLs |= f.enc.vls()
	in.Bcast = in.Bcast || f.enc&bc != 0
	if f.enc&kindBits != legacy {
		in.Elem = uint8(f.enc.elem())
	}
}

// fixedRegs lists the implicit register operands of ops.
var fixedRegs = map[Op][]Fixed{
	IMUL1:       {{RAX, ReadWrite}, {RDX, Write}},
	MUL:         {{RAX, ReadWrite}, {RDX, Write}},
	MULX:        {{RDX, Read}},
	DIV:         {{RAX, ReadWrite}, {RDX, ReadWrite}},
	IDIV:        {{RAX, ReadWrite}, {RDX, ReadWrite}},
	CDQ:         {{RAX, Read}, {RDX, Write}},
	CQO:         {{RAX, Read}, {RDX, Write}},
	SHLCL:       {{RCX, Read}},
	SHRCL:       {{RCX, Read}},
	SARCL:       {{RCX, Read}},
	ROLCL:       {{RCX, Read}},
	RORCL:       {{RCX, Read}},
	LOCKCMPXCHG: {{RAX, ReadWrite}},
}
