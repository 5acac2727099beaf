package avx512

import "github.com/simtc/simtc/targets/avx512/asm"

// polish replaces instructions by shorter or faster ones that do the same, or by
// none, once registers are known: sums into one of their own operands are additions where
// no flags are needed, and addresses have as base a register that needs no
// displacement, and copies are as short as all vectors. (Zeros are not made by xor: where
// tried, loops were slower.)
func polish(f *machineFunc) {
	narrowCopies(f)
	for _, b := range f.blocks {
		dropTests(b)
		flags := b.term.cond // whether those before the instruction are needed behind it
		for i := len(b.insts) - 1; i >= 0; i-- {
			in := &b.insts[i]
			if !flags {
				plainForm(in)
			}
			swapBase(in)
			info := in.Op.Info()
			if info.Props&asm.WritesFlags != 0 {
				flags = false
			}
			if info.Props&asm.ReadsFlags != 0 {
				flags = true
			}
		}
	}
}

// plainForm turns in into a shorter instruction that clobbers the flags.
func plainForm(in *asm.Inst) {
	d, m := in.Args[0], in.Mem
	if in.Op != asm.LEA || m.Kind != asm.MemAddr || m.Disp != 0 || m.Scale > 1 || m.Base == asm.NoReg || m.Index == asm.NoReg {
		return
	}
	switch d {
	case m.Base:
		*in = asm.Make(asm.ADD, d, m.Index).Bits(in.Size).AtLine(in.Line)
	case m.Index:
		*in = asm.Make(asm.ADD, d, m.Base).Bits(in.Size).AtLine(in.Line)
	}
}

// swapBase makes rbp and r13 indices rather than bases where the other register
// may be the base: as bases they take a displacement, with which the sum is one
// of three and takes a cycle more.
func swapBase(in *asm.Inst) {
	m := &in.Mem
	if m.Kind != asm.MemAddr || m.Disp != 0 || m.Scale > 1 || m.Index == asm.NoReg || m.Index.Class() != asm.ClassGPR {
		return
	}
	long := func(r asm.Reg) bool { return r == asm.RBP || r == asm.R13 }
	if long(m.Base) && !long(m.Index) {
		m.Base, m.Index = m.Index, m.Base
	}
}

// narrowCopies makes copies of vector registers as long as the longest vectors of the
// function, with a shorter encoding than those of all 64 bytes.
func narrowCopies(f *machineFunc) {
	var copies []*asm.Inst
	longest := asm.V128
	for _, b := range f.blocks {
		for i := range b.insts {
			in := &b.insts[i]
			if !in.IsCopy() {
				longest = max(longest, in.VL)
			} else if in.Args[0].Class() == asm.ClassVec {
				copies = append(copies, in)
			}
		}
	}
	for _, in := range copies {
		in.VL = longest
	}
}
