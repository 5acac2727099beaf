package asm

// Size is the width in bits of the general-purpose operands of an instruction.
type Size uint8

// Operand sizes. Size0 is for instructions that have no such operand, or for which only
// one width exists.
const (
	Size0  Size = 0
	Size8  Size = 8
	Size16 Size = 16
	Size32 Size = 32
	Size64 Size = 64
)

// VL is the vector length of an instruction. For ops whose operands differ in
// width (conversions, gathers with 64-bit indices) it is the widest operand's.
type VL uint8

// Vector lengths. The zero value means 128; scalar float instructions use it.
const (
	V0   VL = iota // equivalent to V128
	V128           // xmm
	V256           // ymm
	V512           // zmm
)

// Bytes returns 16, 32 or 64.
func (v VL) Bytes() int { return 16 << v.ll() }

// ll is the value of the EVEX L'L field.
func (v VL) ll() uint8 {
	if v == V0 {
		return 0
	}
	return uint8(min(v, V512)) - 1
}

// VLBytes returns the vector length of n bytes, 16, 32 or 64; V128 for less.
func VLBytes(n int) VL {
	switch {
	case n >= 64:
		return V512
	case n >= 32:
		return V256
	}
	return V128
}

// Cond is the condition of JCC, SETCC and CMOVCC, in hardware encoding.
type Cond uint8

// Conditions. After an integer compare a, b: B/AE/BE/A are unsigned, L/GE/LE/G
// signed. After VUCOMISS: B/AE/BE/A order the floats, P is "unordered".
const (
	CondO  Cond = iota // overflow
	CondNO             // no overflow
	CondB              // below, carry
	CondAE             // above or equal, no carry
	CondE              // equal, zero
	CondNE             // not equal, not zero
	CondBE             // below or equal
	CondA              // above
	CondS              // sign
	CondNS             // no sign
	CondP              // parity, unordered
	CondNP             // no parity, ordered
	CondL              // less
	CondGE             // greater or equal
	CondLE             // less or equal
	CondG              // greater
)

var condNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

func (c Cond) String() string { return condNames[c&15] }

// Negate returns the opposite condition.
func (c Cond) Negate() Cond { return c ^ 1 }

// Round is the embedded rounding of an EVEX register form.
type Round uint8

// Embedded rounding. All but RoundNone also suppress exceptions and need
// 512-bit or scalar register operands.
const (
	RoundNone Round = iota // MXCSR's mode
	RoundRN                // {rn-sae} nearest even
	RoundRD                // {rd-sae} down
	RoundRU                // {ru-sae} up
	RoundRZ                // {rz-sae} toward zero
	RoundSAE               // {sae} suppress exceptions only
)

// Integer compare predicates: the immediate of VPCMP and VPCMPU.
const (
	IntEQ = 0
	IntLT = 1
	IntLE = 2
	IntNE = 4
	IntGE = 5 // not less than
	IntGT = 6 // not less or equal
)

// Float compare predicates: the immediate of VCMPPS and its variants. OQ is false and UQ is
// true if an operand is NaN.
const (
	FloatEQ   = 0x00
	FloatUNO  = 0x03 // an operand is NaN
	FloatNEUQ = 0x04
	FloatORD  = 0x07 // no operand is NaN
	FloatEQUQ = 0x08
	FloatNEOQ = 0x0C
	FloatLT   = 0x11
	FloatLE   = 0x12
	FloatGEUQ = 0x15 // not less than, or unordered
	FloatGTUQ = 0x16 // not less or equal, or unordered
	FloatLTUQ = 0x19 // not greater or equal, or unordered
	FloatLEUQ = 0x1A // not greater than, or unordered
	FloatGE   = 0x1D
	FloatGT   = 0x1E
)

// Label identifies a position in the code. The client numbers labels from 0 and binds each
// once with a LABEL instruction.
type Label int32

// MemKind is the addressing form of a memory operand.
type MemKind uint8

// Kinds of memory operands.
const (
	MemAddr  MemKind = iota // base + index*scale + disp
	MemConst                // rip-relative, a constant of the pool, plus disp
	MemLabel                // rip-relative, a label of the code, plus disp
)

// Mem is a memory operand. Base and Index may each be NoReg; if both are, the address is the
// sign-extended Disp. Gathers and scatters have a vector Index.
type Mem struct {
	Base, Index Reg
	Disp        int32   // bytes
	Const       ConstID // for MemConst
	Label       Label   // for MemLabel
	Scale       uint8   // 1, 2, 4 or 8; 0 is 1
	Kind        MemKind
	Broadcast   bool // embedded broadcast of one element
	Volatile    bool // the access is neither removed nor reordered with others
}

// At returns the memory operand [base + disp].
func At(base Reg, disp int32) Mem { return Mem{Base: base, Disp: disp} }

// Indexed returns the memory operand [base + index*scale + disp].
func Indexed(base, index Reg, scale uint8, disp int32) Mem {
	return Mem{Base: base, Index: index, Scale: scale, Disp: disp}
}

// ConstMem returns the memory operand that reads a pool constant.
func ConstMem(c ConstID) Mem { return Mem{Kind: MemConst, Const: c} }

// LabelMem returns the memory operand at a label, for LEA of a code address.
func LabelMem(l Label) Mem { return Mem{Kind: MemLabel, Label: l} }

// Bcast returns m as an embedded broadcast.
func (m Mem) Bcast() Mem {
	m.Broadcast = true
	return m
}

// Inst is one instruction. Args holds the operands in Intel order (destination
// first): registers, or InMem, InImm, InLabel standing for the fields Mem, Imm
// and Target. x86 has at most one of each.
type Inst struct {
	Op      Op
	Size    Size
	VL      VL
	Cond    Cond
	Round   Round
	Zeroing bool // with K: masked-off elements become zero instead of being merged
	Args    [4]Reg
	K       Reg // write mask (k1..k7, or virtual), NoReg for none
	Mem     Mem
	Imm     int64
	Target  Label
	Line    int32 // source line, 0 for none; only for listings
}

// Make returns an instruction with operands in Intel order.
func Make(op Op, args ...Reg) Inst {
	in := Inst{Op: op}
	copy(in.Args[:], args)
	return in
}

// Bits returns in with the operand size s.
func (in Inst) Bits(s Size) Inst { in.Size = s; return in }

// Len returns in with the vector length v.
func (in Inst) Len(v VL) Inst { in.VL = v; return in }

// WithMem returns in with the memory operand m; InMem must be among its Args.
func (in Inst) WithMem(m Mem) Inst { in.Mem = m; return in }

// WithImm returns in with the immediate v; InImm must be among its Args.
func (in Inst) WithImm(v int64) Inst { in.Imm = v; return in }

// Merge returns in under the write mask k; other elements of the destination
// keep their value, so the destination is read too.
func (in Inst) Merge(k Reg) Inst { in.K, in.Zeroing = k, false; return in }

// Zero returns in under the write mask k; other elements become zero.
func (in Inst) Zero(k Reg) Inst { in.K, in.Zeroing = k, true; return in }

// If returns in with the condition c.
func (in Inst) If(c Cond) Inst { in.Cond = c; return in }

// Rounded returns in with embedded rounding r.
func (in Inst) Rounded(r Round) Inst { in.Round = r; return in }

// AtLine returns in with a source line for listings.
func (in Inst) AtLine(line int32) Inst { in.Line = line; return in }

// Jump returns an unconditional jump to l.
func Jump(l Label) Inst { return Inst{Op: JMP, Args: [4]Reg{InLabel}, Target: l} }

// JumpIf returns a conditional jump to l.
func JumpIf(c Cond, l Label) Inst {
	return Inst{Op: JCC, Cond: c, Args: [4]Reg{InLabel}, Target: l}
}

// Bind returns the pseudo-instruction that places label l here.
func Bind(l Label) Inst { return Inst{Op: LABEL, Args: [4]Reg{InLabel}, Target: l} }

// Align returns the pseudo-instruction that pads with no-operations to a
// multiple of n bytes, a power of two up to 64.
func Align(n int) Inst { return Inst{Op: ALIGN, Args: [4]Reg{InImm}, Imm: int64(n)} }

// AlignWithin is Align without padding if it would take more than limit bytes.
func AlignWithin(n, limit int) Inst {
	in := Align(n)
	in.Mem.Disp = int32(limit)
	return in
}

// MoveImm returns the shortest move of v into all 64 bits of dst that preserves the flags.
func MoveImm(dst Reg, v int64) Inst {
	in := Inst{Op: MOV, Size: Size64, Args: [4]Reg{dst, InImm}, Imm: v}
	if v >= 0 && v <= 1<<32-1 {
		in.Size = Size32 // a 32-bit write clears the upper half
	}
	return in
}
