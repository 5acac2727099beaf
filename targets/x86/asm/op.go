package asm

// Op is an instruction: one mnemonic with one set of operand roles. Forms of a mnemonic with
// different operands are different Ops (IMUL, IMUL3, IMUL1; VPSLLD by a vector count, VPSLLDI
// by an immediate).
type Op uint16

// Role is the access of an instruction to an operand.
type Role uint8

// Roles.
const (
	Read      Role = 1
	Write     Role = 2
	ReadWrite Role = Read | Write
)

// Fixed is an implicit register operand of an op.
type Fixed struct {
	Reg  Reg
	Role Role
}

// Prop is a set of properties of an op.
type Prop uint16

// Properties of ops.
const (
	ReadsFlags   Prop = 1 << iota // its result depends on rflags
	WritesFlags                   // it changes or clobbers rflags
	Move                          // unmasked with two registers of one class: a plain copy
	EarlyClobber                  // the vectors it writes must not be the index of its address (gather)
	NeedsMask                     // it must have a write mask, and clears it (gather, scatter)
	Jumps                         // it may transfer control
	Terminates                    // control never falls through to the next instruction
	Pseudo                        // a label or an alignment, not an instruction
	SideEffect                    // it has effects beyond its operands, traps, or is atomic: neither removed nor reordered
	VNNI                          // it requires AVX512_VNNI in addition to x86-64-v4
)

// MaskUse is the way in which an op uses a write mask.
type MaskUse uint8

// Uses of the write mask.
const (
	MaskNone  MaskUse = iota
	MaskMerge         // merging only (stores, compares into a mask)
	MaskZero          // merging or zeroing
	MaskBlend         // the mask selects between sources; the destination is never read
)

// Info holds the properties of an op for clients. Roles refer to values: an 8- or 16-bit
// write is a Write although the rest of the register is unchanged. The role of a memory
// operand is that of the memory, so a store has the role Write there.
type Info struct {
	Name  string
	Args  int // number of operands in Inst.Args
	Roles [4]Role
	Fixed []Fixed
	Props Prop
	Mask  MaskUse
	Elem  uint8 // bytes of an element of the source, and of Mem.Broadcast; 0 if none
	VLs   uint8 // bit 0: 128, bit 1: 256, bit 2: 512 allowed; 0 for ops without vectors
	Bcast bool  // its memory operand may be an embedded broadcast
}

// Info returns the properties of op.
func (op Op) Info() *Info {
	if int(op) >= len(infos) {
		op = INVALID
	}
	return &infos[op]
}

// Is reports whether op has every property of p.
func (op Op) Is(p Prop) bool { return op.Info().Props&p == p }

// String returns the mnemonic.
func (op Op) String() string { return op.Info().Name }

// Regs calls f for every register operand with its role: the explicit
// operands, the base and index of the memory operand (read) and the write mask
// (read; written too by gathers and scatters). A destination that is merged
// under a mask is ReadWrite. f may replace *r. Fixed registers are not
// visited; see Info.Fixed. Reads come before pure writes.
func (in *Inst) Regs(f func(r *Reg, role Role)) {
	info := in.Op.Info()
	for i := 0; i < info.Args; i++ {
		if r := &in.Args[i]; r.IsReg() {
			if role := in.role(info, i); role&Read != 0 {
				f(r, role)
			}
		} else if *r == InMem && in.Mem.Kind == MemAddr {
			if in.Mem.Base.IsReg() {
				f(&in.Mem.Base, Read)
			}
			if in.Mem.Index.IsReg() {
				f(&in.Mem.Index, Read)
			}
		}
	}
	if in.K.IsReg() {
		if info.Props&NeedsMask != 0 {
			f(&in.K, ReadWrite)
		} else {
			f(&in.K, Read)
		}
	}
	for i := 0; i < info.Args; i++ {
		if r := &in.Args[i]; r.IsReg() && in.role(info, i) == Write {
			f(r, Write)
		}
	}
}

// role returns the role of register operand i of in.
func (in *Inst) role(info *Info, i int) Role {
	role := info.Roles[i]
	if role == Write && in.K != NoReg && !in.Zeroing && info.Mask != MaskBlend && in.Args[i].Class() == ClassVec {
		role = ReadWrite
	}
	return role
}

// RoleOf returns the role of operand i of in, which includes merging. A memory operand has the
// role of the memory; its address registers are always read.
func (in *Inst) RoleOf(i int) Role { return in.role(in.Op.Info(), i) }

// IsCopy reports whether in only copies one whole register to another of its class, so that
// it can be removed if both are the same. A 32-bit move is not a copy, because it clears the
// upper half.
func (in *Inst) IsCopy() bool {
	if !in.Op.Is(Move) || in.K != NoReg || !in.Args[0].IsReg() || !in.Args[1].IsReg() {
		return false
	}
	c := in.Args[0].Class()
	switch {
	case c != in.Args[1].Class():
		return false
	case c == ClassGPR:
		return in.Size == Size64
	case c == ClassVec:
		return in.VL == V512
	}
	return in.Op == KMOVQ
}
