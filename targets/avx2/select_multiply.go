package avx2

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// multiply emits multiplications of 64 bits and the high halves of those of 32 bits, which
// VPMULUDQ and VPMULDQ compute: the products of the low halves of 64-bit elements. Some by constants are
// shifts and additions.
func (s *selector) multiply(v *vir.Value, d asm.Reg) bool {
	switch {
	case !v.Type.IsVec():
		return false
	case v.Op == alu.Mul && v.Type.Elem == alu.I32 && v.Args[1].Op == vir.Const:
		return s.shiftAndAdd(v.Type, d, v.Args[0], v.Args[1].Const, 1)
	case v.Op == alu.Mul && v.Type.Elem == alu.I64:
		s.multiply64(v, d)
		return true
	case (v.Op == alu.UMulHi || v.Op == alu.SMulHi) && v.Type.Elem == alu.I32:
		s.multiplyHigh32(v, d)
		return true
	}
	return false
}

// multiply64 multiplies 64 bits: the low halves, plus both products of a low and a high half, which
// contribute only to the high half. Halves that are known to be zero or extensions are omitted.
func (s *selector) multiply64(v *vir.Value, d asm.Reg) {
	t, a, b := v.Type, v.Args[0], v.Args[1]
	if a.Op == vir.Const {
		a, b = b, a
	}
	if b.Op == vir.Const && s.shiftAndAdd(t, d, a, b.Const, 2) {
		return
	}
	for _, signed := range [2]bool{false, true} {
		if isel.FitsHalf(a, signed) && isel.FitsHalf(b, signed) {
			x := s.Reg(s.LowHalf(a))
			s.emit(t, s.source(isel.MulHalves(signed), s.LowHalf(b), d, x))
			return
		}
	}
	x, y := s.Reg(a), s.Reg(b)
	high := func(of asm.Reg) asm.Reg {
		r := s.temp(t)
		s.emit(t, asm.Make(asm.VPSRLQI, r, of, asm.InImm).WithImm(32))
		return r
	}
	cross := asm.NoReg
	for _, p := range [2]struct {
		whole asm.Reg
		of    asm.Reg
		zero  bool
	}{{y, x, isel.FitsHalf(a, false)}, {x, y, isel.FitsHalf(b, false)}} {
		if p.zero {
			continue
		}
		product := s.temp(t)
		s.emit(t, asm.Make(asm.VPMULUDQ, product, high(p.of), p.whole))
		if cross == asm.NoReg {
			cross = product
			continue
		}
		sum := s.temp(t)
		s.emit(t, asm.Make(asm.VPADDQ, sum, cross, product))
		cross = sum
	}
	shifted, low := s.temp(t), s.temp(t)
	s.emit(t, asm.Make(asm.VPSLLQI, shifted, cross, asm.InImm).WithImm(32))
	s.emit(t, asm.Make(asm.VPMULUDQ, low, x, y))
	s.emit(t, asm.Make(asm.VPADDQ, d, low, shifted))
}

// shiftAndAdd multiplies by a constant that is the sum or the difference of two powers of two, if that
// takes at most the given number of shifts. Multiplications of 32 bits have several times the latency of
// a shift.
func (s *selector) shiftAndAdd(t vir.Type, d asm.Reg, v *vir.Value, c uint64, shifts int) bool {
	one := func(x uint64) bool { return bits.OnesCount64(x&t.Elem.Mask()) == 1 }
	low := c & -c
	var first, second uint64
	op := alu.Sub
	switch {
	case one(c - low):
		op, first, second = alu.Add, c-low, low
	case one(c + low):
		first, second = c+low, low
	case one(low - c):
		first, second = low, low-c
	default:
		return false
	}
	if shifts == 1 && first&t.Elem.Mask() != 1 && second&t.Elem.Mask() != 1 {
		return false
	}
	e, x := log(t), s.Reg(v)
	shifted := func(power uint64) asm.Reg {
		n := bits.TrailingZeros64(power & t.Elem.Mask())
		if n == 0 {
			return x
		}
		r := s.temp(t)
		if n == 1 {
			s.emit(t, asm.Make(isel.VectorInt[alu.Add][e], r, x, x))
		} else {
			s.emit(t, asm.Make(isel.VectorShift[alu.Shl][1][e], r, x, asm.InImm).WithImm(int64(n)))
		}
		return r
	}
	a, b := shifted(first), shifted(second)
	s.emit(t, asm.Make(isel.VectorInt[op][e], d, a, b))
	return true
}

// multiplyHigh32 multiplies the even and the odd elements separately and joins the high halves of
// the products.
func (s *selector) multiplyHigh32(v *vir.Value, d asm.Reg) {
	t := v.Type
	op := isel.MulHalves(v.Op == alu.SMulHi)
	x, y := s.Reg(v.Args[0]), s.Reg(v.Args[1])
	high := func(of asm.Reg) asm.Reg {
		r := s.temp(t)
		s.emit(t, asm.Make(asm.VPSRLQI, r, of, asm.InImm).WithImm(32))
		return r
	}
	evens, odds := s.temp(t), s.temp(t)
	oddX := high(x)
	oddY := oddX
	if y != x {
		oddY = high(y)
	}
	s.emit(t, asm.Make(op, evens, x, y))
	s.emit(t, asm.Make(op, odds, oddX, oddY))
	s.emit(t, asm.Make(asm.VPBLENDD, d, high(evens), odds, asm.InImm).WithImm(0xAA))
}
