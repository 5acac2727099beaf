// Package asm is an x86-64 assembler for code generators: general-purpose
// instructions plus AVX-512 (F, BW, DQ, VL, CD) with their shorter AVX, AVX2
// and FMA encodings.
//
// Every instruction has one or more rows of a table that holds its name, its encoding and the
// role of each operand. The register allocator, the encoder and the listing share that table.
// Instructions may have virtual registers until they are encoded.
//
// The package must be free of vir, kernels, launch contexts and calling conventions; it turns
// []Inst into bytes and text.
//
// Source of the encodings: Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 2 ("SDM").
package asm

import "strconv"

// Class is a register file.
type Class uint8

// The register files. ClassNone is the class of NoReg and of the operand
// markers InMem, InImm and InLabel.
const (
	ClassNone Class = iota
	ClassGPR        // rax..r15; the width is Inst.Size or fixed by the op
	ClassVec        // xmm/ymm/zmm 0..31; the width is Inst.VL or fixed by the op
	ClassMask       // k0..k7
)

func (c Class) String() string { return [...]string{"none", "gpr", "vec", "mask"}[c&3] }

// Reg is a register of any class, physical or virtual, or an operand marker.
// The zero value is NoReg.
//
// Layout: bit 31 virtual, bits 28-29 class, bits 0-27 number.
type Reg uint32

const (
	regVirtual   Reg = 1 << 31
	regClassBits     = 28
	regNumber    Reg = 1<<regClassBits - 1

	gprBase  = Reg(ClassGPR) << regClassBits
	vecBase  = Reg(ClassVec) << regClassBits
	maskBase = Reg(ClassMask) << regClassBits
)

// Operand markers: an entry of Inst.Args that is not a register.
const (
	NoReg   Reg = iota // no operand
	InMem              // the operand is Inst.Mem
	InImm              // the operand is Inst.Imm
	InLabel            // the operand is Inst.Target
)

// General-purpose registers.
const (
	RAX Reg = gprBase + iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
)

// Mask registers. K0 cannot be a write mask: its encoding means "unmasked".
const (
	K0 Reg = maskBase + iota
	K1
	K2
	K3
	K4
	K5
	K6
	K7
)

// GPR returns general-purpose register n, 0..15 in encoding order.
func GPR(n int) Reg { return gprBase + Reg(n) }

// Vec returns vector register n, 0..31.
func Vec(n int) Reg { return vecBase + Reg(n) }

// Mask returns mask register n, 0..7.
func Mask(n int) Reg { return maskBase + Reg(n) }

// Virtual returns virtual register n of a class, 0 <= n < 1<<28. Numbers of
// different classes are different registers.
func Virtual(c Class, n int) Reg { return regVirtual | Reg(c)<<regClassBits | Reg(n) }

// IsReg reports whether r is a physical or virtual register, not NoReg or an operand marker.
func (r Reg) IsReg() bool { return r >= gprBase }

// IsVirtual reports whether r is a virtual register.
func (r Reg) IsVirtual() bool { return r&regVirtual != 0 }

// IsPhysical reports whether r is a machine register.
func (r Reg) IsPhysical() bool { return r >= gprBase && r&regVirtual == 0 }

// Class returns the register's file.
func (r Reg) Class() Class { return Class(r >> regClassBits & 3) }

// Num returns the number within the class: the hardware encoding of a physical register, the
// number passed to Virtual for a virtual one.
func (r Reg) Num() int { return int(r & regNumber) }

// String returns the name of the register at its full width (rax, zmm3, k1), or v.gpr7,
// v.vec7, v.mask7 for virtual registers.
func (r Reg) String() string {
	if r.IsVirtual() {
		return "v." + r.Class().String() + strconv.Itoa(r.Num())
	}
	switch r.Class() {
	case ClassGPR:
		return gprName(r.Num(), Size64)
	case ClassVec:
		return "zmm" + strconv.Itoa(r.Num())
	case ClassMask:
		return "k" + strconv.Itoa(r.Num())
	}
	switch r {
	case InMem:
		return "<mem>"
	case InImm:
		return "<imm>"
	case InLabel:
		return "<label>"
	}
	return "<none>"
}
