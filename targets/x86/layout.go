package x86

import (
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/mach/layout"
	"github.com/simtc/simtc/targets/x86/asm"
)

// Layout describes f's instructions to package layout.
func (f *Func) Layout() *layout.Machine[asm.Inst] {
	return &layout.Machine[asm.Inst]{
		ISA:       &isa,
		Jump:      func(to int) asm.Inst { return asm.Jump(asm.Label(to)) },
		JumpIf:    func(on mach.Cond, to int) asm.Inst { return asm.JumpIf(asm.Cond(on), asm.Label(to)) },
		Return:    func() asm.Inst { return asm.Make(asm.RET) },
		Label:     func(block int) asm.Inst { return asm.Bind(asm.Label(block)) },
		Align:     asm.AlignWithin,
		Bytes:     func(insts []asm.Inst, limit int) int { return bytesOfInsts(insts, f.encoding(), limit) },
		DropTests: func(b *Block) { dropTests(b) },
		Equal:     mach.Cond(asm.CondE), Holds: holds,
		Assignment: assignment, Integers: classGPR,
		Comparison: comparison, TableJump: tableJump,
	}
}

// bytesOfInsts returns the size of the instructions. It stops once the size exceeds
// limit.
func bytesOfInsts(insts []asm.Inst, opt asm.Options, limit int) int {
	n := 0
	var buf [16]byte
	for i := range insts {
		code, err := asm.Encode(buf[:0], &insts[i], opt)
		if err != nil {
			n += 8 // a constant, whose address is not known yet
			continue
		}
		if n += len(code); n > limit {
			break
		}
	}
	return n
}

// assignment describes a 32- or 64-bit move of a constant or a general register to a
// general register.
func assignment(in *asm.Inst) (a layout.Assignment) {
	d, s := in.Args[0], in.Args[1]
	general := func(r asm.Reg) bool { return r.IsPhysical() && r.Class() == asm.ClassGPR }
	if in.Op != asm.MOV || in.Size < asm.Size32 || !general(d) {
		return a
	}
	switch {
	case s == asm.InImm:
		return layout.Assignment{Dst: mach.Reg(d), Value: in.Imm, Bits: int(in.Size)}
	case general(s):
		return layout.Assignment{Dst: mach.Reg(d), Src: mach.Reg(s), Bits: int(in.Size)}
	}
	return a
}

// comparison describes a 32- or 64-bit comparison of a register with a constant.
func comparison(in *asm.Inst) (c layout.Comparison) {
	r := in.Args[0]
	if in.Size < asm.Size32 || !r.IsPhysical() {
		return c
	}
	switch {
	case in.Op == asm.CMP && in.Args[1] == asm.InImm:
		return layout.Comparison{Reg: mach.Reg(r), Value: in.Imm, Bits: int(in.Size)}
	case in.Op == asm.TEST && in.Args[1] == r:
		return layout.Comparison{Reg: mach.Reg(r), Bits: int(in.Size)}
	}
	return c
}

// holds evaluates a condition after the comparison of x with y.
func holds(on mach.Cond, x, y int64) (yes, ok bool) {
	switch asm.Cond(on &^ 1) { // odd conditions are negations
	case asm.CondE:
		yes = x == y
	case asm.CondB:
		yes = uint64(x) < uint64(y)
	case asm.CondBE:
		yes = uint64(x) <= uint64(y)
	case asm.CondL:
		yes = x < y
	case asm.CondLE:
		yes = x <= y
	default:
		return false, false
	}
	return yes != (on&1 != 0), true
}

// tableJump returns the register that indexes a jump table. Such a jump is
// a load from the table, the addition of the table's address, and the jump.
func tableJump(insts []asm.Inst) (index mach.Reg, n int) {
	at := len(insts) - 3
	if at < 0 || insts[at+2].Op != asm.JMPIND {
		return mach.NoReg, 0
	}
	load := &insts[at]
	if load.Op != asm.MOVSXD || load.Args[1] != asm.InMem || load.Mem.Scale != 4 || !load.Mem.Index.IsPhysical() || load.Mem.Index == load.Args[0] {
		return mach.NoReg, 0
	}
	return mach.Reg(load.Mem.Index), 3
}
