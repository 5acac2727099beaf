package x86

import "github.com/simtc/simtc/targets/x86/asm"

// peephole replaces instructions by shorter or faster equivalents, or
// removes them, after register allocation. LEA of a sum into one of its operands becomes
// ADD where the flags are dead, addresses use base registers that need no
// displacement, and vector copies have the function's vector length. (Zeroing general
// registers by XOR made measured loops slower.)
func peephole(f *Func) {
	narrowCopies(f)
	for _, b := range f.Blocks {
		dropTests(b)
		flags := b.Term.Cond // whether the flags are live after the instruction
		for i := len(b.Insts) - 1; i >= 0; i-- {
			in := &b.Insts[i]
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

// plainForm turns in into a shorter instruction that overwrites the flags.
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

// swapBase makes rbp and r13 indices instead of bases if the other register
// can be the base. As bases they need a displacement, which turns the address into a sum
// of three terms with one more cycle of latency.
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

// narrowCopies gives copies of vector registers the longest vector length of the
// function, whose encoding is shorter than that of 64-byte vectors.
func narrowCopies(f *Func) {
	var copies []*asm.Inst
	longest := asm.V128
	for _, b := range f.Blocks {
		for i := range b.Insts {
			in := &b.Insts[i]
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
