package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// VPMULUDQ and VPMULDQ compute the 64-bit products of the low halves of 64-bit elements. They
// cost a third of VPMULLQ, and two of them give the high halves of the products of 32-bit
// elements.

// multiply emits a multiplication by these instructions, or reports false if they do not
// apply.
func (s *selector) multiply(v *vir.Value, d, k asm.Reg, zero bool) bool {
	if !v.Type.IsVec() {
		return false
	}
	switch {
	case v.Op == alu.Mul && v.Type.Elem == alu.I64:
		for _, signed := range [2]bool{false, true} {
			if !isel.FitsHalf(v.Args[0], signed) || !isel.FitsHalf(v.Args[1], signed) {
				continue
			}
			a, b := v.Args[0], v.Args[1]
			if a.Op == vir.Const {
				a, b = b, a
			}
			in := s.source(isel.MulHalves(signed), s.LowHalf(b), d, s.Reg(s.LowHalf(a)))
			s.Emit(under(in.Len(isel.Length(v.Type)), k, zero))
			return true
		}
	case (v.Op == alu.UMulHi || v.Op == alu.SMulHi) && v.Type.Elem == alu.I32 && k == asm.NoReg:
		s.mulHigh32(v, d)
		return true
	}
	return false
}

// mulHigh32 multiplies the even and the odd elements separately and merges the high halves of
// the products.
func (s *selector) mulHigh32(v *vir.Value, d asm.Reg) {
	t := v.Type
	op := isel.MulHalves(v.Op == alu.SMulHi)
	a, b := v.Args[0], v.Args[1]
	if a.Op == vir.Const {
		a, b = b, a
	}
	odd := func(x asm.Reg) asm.Reg {
		r := s.NewReg(t)
		s.Emit(asm.Make(asm.VPSRLQI, r, x, asm.InImm).WithImm(32).Len(isel.Length(t)))
		return r
	}
	evens, odds := s.NewReg(t), s.NewReg(t)
	x := s.Reg(a)
	if b.Op == vir.Const {
		by := s.Pooled(b.Const, 8).Bcast()
		s.Emit(asm.Make(op, evens, x, asm.InMem).WithMem(by).Len(isel.Length(t)))
		s.Emit(asm.Make(op, odds, odd(x), asm.InMem).WithMem(by).Len(isel.Length(t)))
	} else {
		y := s.Reg(b)
		oddX, oddY := odd(x), odd(y)
		s.Emit(asm.Make(op, evens, x, y).Len(isel.Length(t)))
		s.Emit(asm.Make(op, odds, oddX, oddY).Len(isel.Length(t)))
	}
	per := isel.Length(t).Bytes() / 4
	index := make([]uint64, per)
	for i := range index {
		index[i] = uint64(i | 1)
		if i%2 != 0 {
			index[i] += uint64(per)
		}
	}
	order := s.NewReg(t)
	s.Emit(asm.Make(asm.VMOVDQU32, order, asm.InMem).WithMem(s.PooledLanes(4, index)).Len(isel.Length(t)))
	s.Move(d, evens)
	s.Emit(asm.Make(asm.VPERMT2D, d, order, odds).Len(isel.Length(t)))
}
