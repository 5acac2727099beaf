package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Address folds a scalar address and a displacement into a memory operand,
// base + index*scale + disp, from additions and shifts without other uses.
func (s *Selector) Address(a *vir.Value, disp int64) asm.Mem {
	m := asm.Mem{}
	for a.Op == alu.Add && a.Args[1].Op == vir.Const && fits(disp+int64(a.Args[1].Const)) {
		disp += int64(a.Args[1].Const)
		a = a.Args[0]
	}
	if !fits(disp) {
		t, big := s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
		s.Emit(asm.MoveImm(big, disp))
		s.Emit(asm.Make(asm.LEA, t, asm.InMem).WithMem(asm.Indexed(s.Reg(a), big, 1, 0)).Bits(asm.Size64))
		return asm.At(t, 0)
	}
	m.Disp = int32(disp)
	if a.Op == vir.Const {
		t := s.M.NewReg(asm.ClassGPR)
		s.Emit(asm.MoveImm(t, int64(a.Const)))
		m.Base = t
		return m
	}
	if a.Op == alu.Add && (s.uses[a.ID] == 1 || s.onlyAddress(a)) {
		base, index := a.Args[0], a.Args[1]
		if _, ok := scaledIndex(base); ok {
			base, index = index, base
		}
		if base.Op != vir.Const && index.Op != vir.Const {
			m.Base, m.Scale = s.base(base), 1
			if k, ok := scaledIndex(index); ok {
				index, m.Scale = index.Args[0], k
			}
			if x, c, ok := s.smallSum(index); ok && fits(disp+c*int64(m.Scale)) {
				index, m.Disp = x, int32(disp+c*int64(m.Scale))
			}
			m.Index = s.Reg(index)
			return m
		}
	}
	m.Base = s.base(a)
	return m
}

// base returns the base register for a: for private memory R14, which always holds its
// Address because spill slots are below it.
func (s *Selector) base(a *vir.Value) asm.Reg {
	if vir.IsPrivateBase(a) {
		s.M.Private = true
		return asm.R14
	}
	return s.Reg(a)
}

// smallSum returns x and c if v is x + c, extended from 32 bits without overflow, and the
// register of x holds its extension.
func (s *Selector) smallSum(v *vir.Value) (x *vir.Value, c int64, ok bool) {
	if v.Op != alu.ZExt && v.Op != alu.SExt || !s.isExtended(v) {
		return nil, 0, false
	}
	sum := v.Args[0]
	if sum.Op != alu.Add || sum.Type.Elem != alu.I32 || sum.Args[1].Op != vir.Const || sum.Args[0].Op == vir.Const {
		return nil, 0, false
	}
	x, c = sum.Args[0], int64(sum.Args[1].Const)
	return x, c, s.known(x) < 31 && c < 1<<30
}

func fits(x int64) bool { return x == int64(int32(x)) }

// scaledIndex matches x*2, x*4, x*8 and the equivalent shifts.
func scaledIndex(v *vir.Value) (uint8, bool) {
	if len(v.Args) != 2 || v.Args[1].Op != vir.Const || v.Args[0].Op == vir.Const {
		return 0, false
	}
	c := v.Args[1].Const
	switch {
	case v.Op == alu.Mul && (c == 2 || c == 4 || c == 8):
		return uint8(c), true
	case v.Op == alu.Shl && c >= 1 && c <= 3:
		return 1 << c, true
	}
	return 0, false
}

func (s *Selector) load(v *vir.Value) {
	d := s.Reg(v)
	m := s.Address(v.Args[0], v.Disp)
	var in asm.Inst
	switch v.Type.Elem {
	case alu.F32:
		in = asm.Make(asm.VMOVSS, d, asm.InMem)
	case alu.F64:
		in = asm.Make(asm.VMOVSD, d, asm.InMem)
	case alu.I8:
		in = asm.Make(asm.MOVZXB, d, asm.InMem).Bits(asm.Size32)
	case alu.I16, alu.F16:
		in = asm.Make(asm.MOVZXW, d, asm.InMem).Bits(asm.Size32)
	default:
		in = asm.Make(asm.MOV, d, asm.InMem).Bits(size(v.Type.Elem))
	}
	s.Emit(in.WithMem(m))
}

func (s *Selector) store(v *vir.Value) {
	m := s.Address(v.Args[0], v.Disp)
	x := v.Args[1]
	t := x.Type.Elem
	var in asm.Inst
	if op, y, ok := s.updated(v); ok {
		if c, ok := immediate(y); ok {
			in = asm.Make(op, asm.InMem, asm.InImm).WithImm(c)
		} else {
			in = asm.Make(op, asm.InMem, s.Reg(y))
		}
		s.Emit(in.Bits(asm.Size(t.Bits())).WithMem(m))
		return
	}
	if c, ok := immediate(x); ok && t.Bits() >= 8 {
		s.Emit(asm.Make(asm.MOV, asm.InMem, asm.InImm).WithImm(c).Bits(asm.Size(t.Bits())).WithMem(m))
		return
	}
	switch {
	case t == alu.F32:
		in = asm.Make(asm.VMOVSS, asm.InMem, s.Reg(x))
	case t == alu.F64:
		in = asm.Make(asm.VMOVSD, asm.InMem, s.Reg(x))
	default:
		in = asm.Make(asm.MOV, asm.InMem, s.Reg(x)).Bits(asm.Size(t.Bits()))
	}
	s.Emit(in.WithMem(m))
}

// AllLanes reports whether a mask is known to be full.
func AllLanes(mask *vir.Value) bool { return mask.Op == vir.Const && mask.Const == 1 }
