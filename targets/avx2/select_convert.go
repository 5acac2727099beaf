package avx2

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// convert emits conversions between vectors.
func (s *selector) convert(v *vir.Value, d asm.Reg) {
	a, t := v.Args[0], v.Type
	from := a.Type
	wide := t // the wider of both
	if from.Bits() > t.Bits() {
		wide = from
	}
	direct := func(op asm.Op) { s.emit(wide, asm.Make(op, d, s.Reg(a))) }
	switch v.Op {
	case alu.ZExt, alu.SExt:
		s.extend(v, d)
	case alu.Trunc:
		s.truncate(d, s.Reg(a), from, t.Elem.Bits())
	case alu.FPExt:
		if from.Elem == alu.F16 {
			direct(asm.VCVTPH2PS)
		} else {
			direct(asm.VCVTPS2PD)
		}
	case alu.FPTrunc:
		if t.Elem == alu.F16 {
			s.emit(wide, asm.Make(asm.VCVTPS2PH, d, s.Reg(a), asm.InImm).WithImm(0))
		} else {
			direct(asm.VCVTPD2PS)
		}
	case alu.SIToFP:
		direct(isel.ByElem(t.Elem, asm.VCVTDQ2PS, asm.VCVTDQ2PD))
	case alu.FPToSI:
		direct(isel.ByElem(from.Elem, asm.VCVTTPS2DQ, asm.VCVTTPD2DQ))
	case alu.Bitcast:
		s.Move(d, s.Reg(a))
	default:
		s.Fail("no vector selection for %s", vir.FormatValue(v))
	}
}

// extend emits extensions of integers, and of masks, which are 0 and -1 already.
func (s *selector) extend(v *vir.Value, d asm.Reg) {
	a, t := v.Args[0], v.Type
	if a.Type.IsMask() {
		k := s.Reg(a)
		if v.Op == alu.SExt {
			s.Move(d, k)
		} else {
			s.emit(t, asm.Make(asm.VPANDD, d, k, asm.InMem).WithMem(s.pooledVector(t, 1)))
		}
		return
	}
	ops := isel.ZeroExtend
	if v.Op == alu.SExt {
		ops = isel.SignExtend
	}
	op := ops[log(a.Type)][log(t)]
	if t.Bits() >= 128 && s.FoldsWhole(a) {
		s.emit(t, asm.Make(op, d, asm.InMem).WithMem(s.Address(a.Args[0], a.Disp)))
		return
	}
	s.emit(t, asm.Make(op, d, s.Reg(a)))
}

// truncate keeps the low bits of the lanes of x, which has type t. In each 16 bytes they move to the
// lowest bytes; those of both halves of a register are then joined.
func (s *selector) truncate(d, x asm.Reg, t vir.Type, bits int) {
	size, to := t.LaneBits()/8, bits/8
	if size == 8 && to == 4 && t.Bits() == registerBits {
		high := s.temp(t)
		s.Emit(asm.Make(asm.VEXTRACTI32X4, high, x, asm.InImm).WithImm(1).Len(asm.V256))
		s.Emit(asm.Make(asm.VSHUFPS, d, x, high, asm.InImm).WithImm(0x88).Len(asm.V128))
		return
	}
	packed := d
	if t.Bits() == registerBits {
		packed = s.temp(t)
	}
	const none = 0x80
	index := make([]uint64, isel.Length(t).Bytes())
	for i := range index {
		index[i] = none
		if at := i % 16; at < 16/size*to {
			index[i] = uint64(at/to*size + at%to)
		}
	}
	s.emit(t, asm.Make(asm.VPSHUFB, packed, x, asm.InMem).WithMem(s.PooledLanes(1, index)))
	if t.Bits() < registerBits {
		return
	}
	s.joinLow(d, packed, 16/size*to)
}

// joinLow joins the low n bytes, 2 to 8, of both halves of x.
func (s *selector) joinLow(d, x asm.Reg, n int) {
	if n == 8 {
		s.Emit(asm.Make(asm.VPERMQI, d, x, asm.InImm).WithImm(0x08).Len(asm.V256))
		return
	}
	high := s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.VEXTRACTI32X4, high, x, asm.InImm).WithImm(1).Len(asm.V256))
	op := asm.VPUNPCKLDQ
	if n == 2 {
		op = asm.VPUNPCKLWD
	}
	s.Emit(asm.Make(op, d, x, high).Len(asm.V128))
}

// resize changes the size of the lanes of a mask, which are all ones or all zeros.
func (s *selector) resize(v *vir.Value, d asm.Reg) {
	a := v.Args[0]
	from, to := a.Type, v.Type
	x := s.Reg(a)
	if to.LaneBits() > from.LaneBits() {
		s.emit(to, asm.Make(isel.SignExtend[log(from)][log(to)], d, x))
		return
	}
	s.truncate(d, x, from, to.LaneBits())
}
