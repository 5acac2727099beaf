package asm

import "fmt"

// Error reports an instruction that has no encoding.
type Error struct {
	Index int    // position in the list given to Assemble, -1 for Encode
	Text  string // the instruction
	Msg   string
}

func (e *Error) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("asm: %s: %s", e.Text, e.Msg)
	}
	return fmt.Sprintf("asm: instruction %d: %s: %s", e.Index, e.Text, e.Msg)
}

// Options affects the choice among encodings.
type Options struct {
	// ForceEVEX selects the EVEX encoding even if a VEX encoding exists, for tests.
	ForceEVEX bool
	// AvoidEVEX selects the VEX encoding if one exists, even if EVEX has a shorter
	// displacement.
	AvoidEVEX bool
}

// choice is a form and its encoding for a given instruction.
type choice struct {
	f      *form
	asVEX  bool // use the VEX twin of an EVEX row, or the row is VEX
	memory int  // bytes of the memory operand; N of disp8*N in EVEX
}

// level returns the processor level that the encoding requires: EVEX, and VEX with mask
// registers, require AVX-512.
func (c choice) level(in *Inst) int {
	if c.f.enc.isEVEX() && !c.asVEX {
		return V4
	}
	for _, a := range in.Args {
		if a.IsReg() && a.Class() == ClassMask {
			return V4
		}
	}
	return V3
}

// choose returns the first form that accepts in.
func choose(in *Inst, opt Options) (c choice, ok bool) {
	if in.Op >= numOps {
		return c, false
	}
	r := formRange[in.Op]
	for i := r[0]; i < r[1]; i++ {
		f := &forms[i]
		if why := f.reject(in); why != fits {
			continue
		}
		c = choice{f: f, memory: f.memorySize(in)}
		switch f.enc & kindBits {
		case vex:
			if twin := forms[r[1]-1].enc.isEVEX(); twin && (opt.ForceEVEX || !vexOK(in, c.memory, opt)) || !twin && !vexRegs(in) {
				continue
			}
			c.asVEX = true
		case evex:
			if f.enc&(3<<34) != 0 && in.VL != V512 && !opt.ForceEVEX {
				c.asVEX = vexOK(in, c.memory, opt)
			}
		}
		return c, true
	}
	return c, false
}

// vexOK reports whether in, which has a vector length of VEX, should be encoded as VEX: it
// uses no feature of EVEX, including displacements that only EVEX encodes in one byte.
func vexOK(in *Inst, n int, opt Options) bool {
	if in.K != NoReg || in.Round != RoundNone || in.Zeroing {
		return false
	}
	if !vexRegs(in) {
		return false
	}
	for _, a := range in.Args {
		if a != InMem {
			continue
		}
		if in.Mem.Broadcast {
			return false
		}
		if d := in.Mem.Disp; !opt.AvoidEVEX && d != int32(int8(d)) && in.Mem.Kind == MemAddr && in.Mem.Base != NoReg {
			if q := d / int32(n); q*int32(n) == d && q == int32(int8(q)) {
				return false
			}
		}
	}
	return true
}

// vexRegs reports whether VEX can encode the register numbers of in.
func vexRegs(in *Inst) bool {
	for _, a := range in.Args {
		if a >= vecBase+16 && a < maskBase {
			return false
		}
	}
	return true
}

// mismatch is the reason why a form does not accept an instruction. The worst mismatch comes
// first: diagnostics report the reason of the closest form.
type mismatch uint8

const (
	badOperand mismatch = iota
	badVirtual
	badSize
	badVL
	badImm
	badBroadcast
	badMask
	badZeroing
	badRound
	needsMask
	badEVEXReg
	badAddress
	badAlias
	fits
)

var mismatchText = [...]string{
	badOperand:   "no form takes these operands",
	badVirtual:   "it has a virtual register",
	badSize:      "no form has this operand size",
	badVL:        "no form has this vector length",
	badImm:       "the immediate is out of range",
	badBroadcast: "no form has an embedded broadcast here",
	badMask:      "no form has this write mask (it must be k1..k7)",
	badZeroing:   "zero-masking is not possible here (it needs a mask and a vector register destination)",
	badRound:     "embedded rounding is not possible here (it needs 512-bit or scalar registers)",
	needsMask:    "it needs a write mask",
	badEVEXReg:   "the register number does not exist",
	badAddress:   "the memory operand is malformed",
	badAlias:     "the destination, the mask and the index of the address are not all different",
	fits:         "",
}

// reject returns fits if f accepts in, else the reason why it does not.
func (f *form) reject(in *Inst) mismatch {
	e := f.enc
	for i, a := range f.args {
		x := in.Args[i]
		k := a.kind()
		if x.IsVirtual() {
			return badVirtual
		}
		switch {
		case x == InMem:
			if a&aMem == 0 {
				return badOperand
			}
			if why := in.Mem.reject(a, in.VL); why != fits {
				return why
			}
			if in.Mem.Broadcast && (e&bc == 0 || a.role() != Read) {
				return badBroadcast
			}
		case x == InImm:
			if why := immFits(k, in.Imm, in.Size); why != fits {
				return why
			}
		case k <= kOne && k >= kG:
			switch {
			case k == kCL:
				if x != NoReg {
					return badOperand
				}
			case k == kAcc:
				if x != RAX {
					return badOperand
				}
			case x < RAX || x > R15:
				return badOperand
			}
		case k >= kV && k <= kE:
			if x.Class() != ClassVec {
				return badOperand
			}
			if x > Vec(31) {
				return badEVEXReg
			}
		case k == kK:
			if x < K0 || x > K7 {
				return badOperand
			}
		case k == kLabel:
			if x != InLabel {
				return badOperand
			}
		case x != NoReg || k != kNone:
			return badOperand
		}
	}
	if s := e.sizes(); s != 0 && !sizeIn(s, in.Size) {
		return badSize
	}
	if v := e.vls(); v != 0 && (v>>in.VL.ll()&1 == 0 || in.VL > V512) {
		return badVL
	}
	if in.K != NoReg || in.Zeroing {
		if why := f.rejectMask(in); why != fits {
			return why
		}
	} else if Prop(e>>propShift)&NeedsMask != 0 {
		return needsMask
	}
	if in.Round != RoundNone {
		if why := f.rejectRound(in); why != fits {
			return why
		}
	}
	if Prop(e>>propShift)&EarlyClobber != 0 && aliases(in) {
		return badAlias
	}
	return fits
}

// rejectMask checks the write mask and zeroing of in.
func (f *form) rejectMask(in *Inst) mismatch {
	m := f.enc.mask()
	if in.K.IsVirtual() {
		return badVirtual
	}
	if m == MaskNone || in.K < K1 || in.K > K7 {
		return badMask
	}
	if in.Zeroing && (m == MaskMerge || in.Args[0] == InMem) {
		return badZeroing
	}
	return fits
}

// rejectRound checks embedded rounding.
func (f *form) rejectRound(in *Inst) mismatch {
	want := er
	if in.Round == RoundSAE {
		want = sae
	}
	if f.enc&want == 0 || in.Round > RoundSAE {
		return badRound
	}
	if f.enc.vls() != uint8(lig>>20) && in.VL != V512 {
		return badRound
	}
	for _, a := range in.Args {
		if a == InMem {
			return badRound
		}
	}
	if (in.Op == VCVTSI2SD || in.Op == VCVTUSI2SD) && in.Size != Size64 {
		return badRound
	}
	return fits
}

// aliases reports whether the vectors that in writes, the destination and a mask in a vector,
// and the index of its address are not all different, which gathers require.
func aliases(in *Inst) bool {
	if !in.Args[0].IsReg() || in.Mem.Kind != MemAddr {
		return false
	}
	return in.Args[0] == in.Mem.Index || in.Args[2].IsReg() && (in.Args[2] == in.Args[0] || in.Args[2] == in.Mem.Index)
}

func sizeIn(sizes uint8, s Size) bool {
	switch s {
	case Size8:
		return sizes&1 != 0
	case Size16:
		return sizes&2 != 0
	case Size32:
		return sizes&4 != 0
	case Size64:
		return sizes&8 != 0
	}
	return false
}

// reject checks an address: the classes of its registers, its scale, and that its index is
// not rsp.
func (m *Mem) reject(a arg, vl VL) mismatch {
	vsib := a.kind() == kVM || a.kind() == kVMH
	if m.Kind != MemAddr {
		if vsib || m.Base != NoReg || m.Index != NoReg || m.Kind > MemLabel {
			return badAddress
		}
		return fits
	}
	if m.Base.IsVirtual() || m.Index.IsVirtual() {
		return badVirtual
	}
	if m.Base != NoReg && (m.Base < RAX || m.Base > R15) {
		return badAddress
	}
	switch {
	case vsib:
		if m.Index < Vec(0) || m.Index > Vec(31) {
			return badAddress
		}
	case m.Index != NoReg:
		if m.Index < RAX || m.Index > R15 || m.Index == RSP {
			return badAddress
		}
	}
	switch m.Scale {
	case 0, 1, 2, 4, 8:
		return fits
	}
	return badAddress
}

// immFits returns fits if v can be an immediate of kind k, else the mismatch.
func immFits(k arg, v int64, s Size) mismatch {
	ok := false
	switch k {
	case kImm8:
		ok = v >= -128 && v <= 255
	case kImm8s:
		ok = v == int64(int8(v)) || s == Size16 && v <= 0xFFFF && v >= 0xFF80 || s == Size32 && v <= 0xFFFFFFFF && v >= 0xFFFFFF80
	case kImmZ:
		switch s {
		case Size8:
			ok = v >= -1<<7 && v < 1<<8
		case Size16:
			ok = v >= -1<<15 && v < 1<<16
		case Size32:
			ok = v >= -1<<31 && v < 1<<32
		default:
			ok = v == int64(int32(v))
		}
	case kImm64:
		ok = true
	case kOne:
		ok = v == 1
	default:
		return badOperand
	}
	if !ok {
		return badImm
	}
	return fits
}

// memorySize returns the size in bytes of the memory operand of in under f, which is also the
// N of disp8*N if f is encoded as EVEX; 1 if there is none.
func (f *form) memorySize(in *Inst) int {
	for i, x := range in.Args {
		if x != InMem {
			continue
		}
		if in.Mem.Broadcast {
			return f.enc.elem()
		}
		return max(f.operandBytes(f.args[i], in), 1)
	}
	return 1
}

// operandBytes returns the size of memory operand a without broadcast, 0 if it has none
// (lea).
func (f *form) operandBytes(a arg, in *Inst) int {
	if f.enc&kindBits == legacy || f.enc.vls() == 0 && f.enc.sizes() != 0 {
		switch a.kind() {
		case kG8:
			return 1
		case kG16:
			return 2
		case kG32:
			return 4
		case kG64:
			return 8
		}
		if f.enc.sizes() != 0 && f.enc&(15<<30) != tNone {
			return int(in.Size) / 8
		}
		return f.enc.memBytes(in.VL)
	}
	if a.kind() == kG {
		return int(in.Size) / 8
	}
	return f.enc.memBytes(in.VL)
}

// explain returns the error for an instruction that no form accepts.
func explain(in *Inst, index int) error {
	err := &Error{Index: index, Text: Format(in)}
	if in.Op >= numOps || in.Op == INVALID {
		err.Msg = "no such instruction"
		return err
	}
	closest := badOperand
	r := formRange[in.Op]
	for i := r[0]; i < r[1]; i++ {
		closest = max(closest, forms[i].reject(in))
	}
	if closest == fits {
		closest = badEVEXReg // only VEX forms exist, which cannot encode the registers
	}
	err.Msg = mismatchText[closest]
	return err
}
