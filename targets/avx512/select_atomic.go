package avx512

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

// hasAtomic reports whether a read-modify-write is one instruction; used indicates that its
// result is.
func hasAtomic(k alu.RMW, _ alu.Type, used bool) bool {
	switch k {
	case alu.RMWAdd, alu.RMWSub, alu.RMWXchg:
		return true
	}
	return !used && lockedOps[k] != asm.INVALID
}

// atomic emits an atomic access. Its result is unused if it has no register.
func (s *selector) atomic(v *vir.Value) {
	d := s.regs[v.ID]
	m := s.address(v.Args[0], v.Disp)
	sz := size(v.Type.Elem)
	x := v.Args[1]
	if v.Op == vir.CmpXchg {
		expected, y := s.reg(x), s.reg(v.Args[2])
		s.move(asm.RAX, expected)
		s.emit(asm.Make(asm.LOCKCMPXCHG, asm.InMem, y).WithMem(m).Bits(sz))
		if d != asm.NoReg {
			s.move(d, asm.RAX)
		}
		return
	}
	op, locked := lockedOps[v.RMW()]
	if d == asm.NoReg && locked {
		if c, ok := immediate(x); ok {
			s.emit(asm.Make(op, asm.InMem, asm.InImm).WithImm(c).WithMem(m).Bits(sz))
		} else {
			s.emit(asm.Make(op, asm.InMem, s.reg(x)).WithMem(m).Bits(sz))
		}
		return
	}
	if d == asm.NoReg {
		d = s.newReg(v.Type)
	}
	switch v.RMW() {
	case alu.RMWAdd:
		s.move(d, s.reg(x))
		s.emit(asm.Make(asm.LOCKXADD, asm.InMem, d).WithMem(m).Bits(sz))
	case alu.RMWSub:
		s.move(d, s.reg(x))
		s.emit(asm.Make(asm.NEG, d).Bits(sz))
		s.emit(asm.Make(asm.LOCKXADD, asm.InMem, d).WithMem(m).Bits(sz))
	case alu.RMWXchg:
		s.move(d, s.reg(x))
		s.emit(asm.Make(asm.XCHG, asm.InMem, d).WithMem(m).Bits(sz))
	default:
		s.fail("no atomic %s", vir.FormatValue(v))
	}
}

// rank expands 0, 1, 2, ... into the active lanes.
func (s *selector) rank(v *vir.Value, d asm.Reg) {
	lanes := make([]uint64, v.Type.Lanes)
	for i := range lanes {
		lanes[i] = uint64(i)
	}
	q := s.m.NewReg(asm.ClassVec)
	vl := length(v.Type)
	s.emit(asm.Make(asm.VMOVDQU32, q, asm.InMem).WithMem(s.pooledLanes(4, lanes)).Len(vl))
	s.emit(asm.Make(asm.VPEXPANDD, d, q).Len(vl).Zero(s.reg(v.Args[0])))
}

// fence emits a locked or of zero to the stack. Any locked instruction is a full fence, and
// faster than MFENCE.
func (s *selector) fence() {
	m := asm.At(asm.RSP, 0)
	s.emit(asm.Make(asm.LOCKOR, asm.InMem, asm.InImm).WithImm(0).WithMem(m).Bits(asm.Size32))
}
