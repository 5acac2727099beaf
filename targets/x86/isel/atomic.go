package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// lockedOps holds the read-modify-writes that do not return the old value.
var lockedOps = map[alu.RMW]asm.Op{
	alu.RMWAdd: asm.LOCKADD, alu.RMWSub: asm.LOCKSUB,
	alu.RMWAnd: asm.LOCKAND, alu.RMWOr: asm.LOCKOR, alu.RMWXor: asm.LOCKXOR,
}

// HasAtomic reports whether a read-modify-write is one instruction; used indicates that its
// result is.
func HasAtomic(k alu.RMW, _ alu.Type, used bool) bool {
	switch k {
	case alu.RMWAdd, alu.RMWSub, alu.RMWXchg:
		return true
	}
	return !used && lockedOps[k] != asm.INVALID
}

// atomic emits an atomic access. Its result is unused if it has no register.
func (s *Selector) atomic(v *vir.Value) {
	d := s.regs[v.ID]
	m := s.Address(v.Args[0], v.Disp)
	sz := size(v.Type.Elem)
	x := v.Args[1]
	if v.Op == vir.CmpXchg {
		expected, y := s.Reg(x), s.Reg(v.Args[2])
		s.Move(asm.RAX, expected)
		s.Emit(asm.Make(asm.LOCKCMPXCHG, asm.InMem, y).WithMem(m).Bits(sz))
		if d != asm.NoReg {
			s.Move(d, asm.RAX)
		}
		return
	}
	op, locked := lockedOps[v.RMW()]
	if d == asm.NoReg && locked {
		if c, ok := immediate(x); ok {
			s.Emit(asm.Make(op, asm.InMem, asm.InImm).WithImm(c).WithMem(m).Bits(sz))
		} else {
			s.Emit(asm.Make(op, asm.InMem, s.Reg(x)).WithMem(m).Bits(sz))
		}
		return
	}
	if d == asm.NoReg {
		d = s.NewReg(v.Type)
	}
	switch v.RMW() {
	case alu.RMWAdd:
		s.Move(d, s.Reg(x))
		s.Emit(asm.Make(asm.LOCKXADD, asm.InMem, d).WithMem(m).Bits(sz))
	case alu.RMWSub:
		s.Move(d, s.Reg(x))
		s.Emit(asm.Make(asm.NEG, d).Bits(sz))
		s.Emit(asm.Make(asm.LOCKXADD, asm.InMem, d).WithMem(m).Bits(sz))
	case alu.RMWXchg:
		s.Move(d, s.Reg(x))
		s.Emit(asm.Make(asm.XCHG, asm.InMem, d).WithMem(m).Bits(sz))
	default:
		s.Fail("no atomic %s", vir.FormatValue(v))
	}
}

// fence emits a locked or of zero to the stack. Any locked instruction is a full fence, and
// faster than MFENCE.
func (s *Selector) fence() {
	m := asm.At(asm.RSP, 0)
	s.Emit(asm.Make(asm.LOCKOR, asm.InMem, asm.InImm).WithImm(0).WithMem(m).Bits(asm.Size32))
}
