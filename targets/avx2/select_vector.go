package avx2

import (
	"math"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// vectorOp emits a pure operation on vectors, or on scalars in vector registers, into d.
func (s *selector) vectorOp(v *vir.Value, d asm.Reg) {
	t := v.Type
	e := log(t)
	if ops, ok := isel.VectorInt[v.Op]; ok {
		switch {
		case s.logic(v, d), s.multiply(v, d):
		default:
			s.binary(v, ops[e], d)
		}
		return
	}
	if ops, ok := isel.VectorUnaryInt[v.Op]; ok {
		s.emit(t, asm.Make(ops[e], d, s.Reg(v.Args[0])))
		return
	}
	if _, ok := isel.VectorShift[v.Op]; ok {
		s.shift(v, d)
		return
	}
	if ops, ok := isel.VectorFloat[v.Op]; ok {
		s.binary(v, isel.ByElem(t.Elem, ops[0], ops[1]), d)
		return
	}
	switch v.Op {
	case alu.FMA:
		s.fma(v, d)
	case alu.FMin, alu.FMax:
		s.minMax(v, d)
	case alu.FNeg, alu.FAbs:
		s.signBit(v, d)
	case alu.FSqrt:
		s.emit(t, asm.Make(isel.ByElem(t.Elem, asm.VSQRTPS, asm.VSQRTPD), d, s.Reg(v.Args[0])))
	case alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint:
		op := isel.ByElem(t.Elem, asm.VROUNDPS, asm.VROUNDPD)
		s.emit(t, asm.Make(op, d, s.Reg(v.Args[0]), asm.InImm).WithImm(isel.Rounding[v.Op]))
	case alu.Select:
		s.selectLanes(v, d)
	default:
		s.convert(v, d)
	}
}

// binary emits an operation of two operands, of which the last may be in memory.
func (s *selector) binary(v *vir.Value, op asm.Op, d asm.Reg) {
	a, b := v.Args[0], v.Args[1]
	if alu.InfoOf(v.Op).Commutative && !s.inMemory(b) && s.inMemory(a) {
		a, b = b, a
	}
	in := s.source(op, b, d, s.Reg(a))
	s.emit(v.Type, in)
}

// logic emits ^x & y as one instruction.
func (s *selector) logic(v *vir.Value, d asm.Reg) bool {
	if v.Op != alu.And {
		return false
	}
	for i, not := range v.Args {
		if x, ok := complement(not); ok && s.Own(not) {
			y := v.Args[1-i]
			in := s.source(asm.VPANDND, y, d, s.Reg(x))
			s.emit(v.Type, in)
			return true
		}
	}
	return false
}

// complement returns x if v is ^x, of a vector or a mask.
func complement(v *vir.Value) (x *vir.Value, ok bool) {
	if v.Op == alu.Xor && v.Type.Lanes > 1 && v.Args[1].Op == vir.Const && v.Args[1].Const == v.Type.Elem.Mask() {
		return v.Args[0], true
	}
	return nil, false
}

// shift emits a shift by a vector of amounts, which are bounded (isel.BoundAmounts), or by a constant;
// of words by one amount.
func (s *selector) shift(v *vir.Value, d asm.Reg) {
	t, a, n := v.Type, v.Args[0], v.Args[1]
	e, w := log(t), uint64(t.Elem.Bits())
	ops := isel.VectorShift[v.Op]
	switch {
	case n.Op == vir.Const && e == 0:
		s.shiftBytes(v, d, n.Const&7)
		return
	case n.Op == vir.Const:
		s.emit(t, asm.Make(ops[1][e], d, s.Reg(a), asm.InImm).WithImm(int64(n.Const&(w-1))))
		return
	}
	if n.Op == vir.Splat && e == 1 {
		count := s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(asm.VMOVD, count, s.Reg(n.Args[0])))
		s.emit(t, asm.Make(wordShifts[v.Op], d, s.Reg(a), count))
		return
	}
	s.emit(t, asm.Make(ops[0][e], d, s.Reg(a), s.Reg(n)))
}

// shiftBytes shifts bytes by a constant as words, and clears the bits that come from other bytes.
func (s *selector) shiftBytes(v *vir.Value, d asm.Reg, n uint64) {
	t, x := v.Type, s.Reg(v.Args[0])
	shifted := s.temp(t)
	op, keep := asm.VPSRLWI, uint64(0xFF)>>n
	if v.Op == alu.Shl {
		op, keep = asm.VPSLLWI, 0xFF<<n&0xFF
	}
	s.emit(t, asm.Make(op, shifted, x, asm.InImm).WithImm(int64(n)))
	s.emit(t, asm.Make(asm.VPANDD, d, shifted, asm.InMem).WithMem(s.pooledVector(t, keep)))
	if v.Op == alu.AShr { // extend the sign, which is bit 7-n now
		sign := s.temp(t)
		s.constantInto(sign, t, 0x80>>n)
		s.emit(t, asm.Make(asm.VPXORD, d, d, sign))
		s.emit(t, asm.Make(asm.VPSUBB, d, d, sign))
	}
}

// constantInto materializes a constant.
func (s *selector) constantInto(r asm.Reg, t vir.Type, bits uint64) {
	s.constant(r, s.F.Const(t, bits))
}

// fma emits an FMA, which overwrites one of its operands: the register allocator coalesces
// that operand with the destination if it has its last use here.
func (s *selector) fma(v *vir.Value, d asm.Reg) {
	a, b, c, form := s.FMAOperands(v)
	t := v.Type
	if a.Op == vir.Const {
		a, b = b, a
	}
	op231 := isel.ByElem(t.Elem, form.Op231[0], form.Op231[1])
	op213 := isel.ByElem(t.Elem, form.Op213[0], form.Op213[1])
	if c.Op == vir.Const && a.Op != vir.Const {
		in := s.source(op213, c, d, s.Reg(b)) // d = b*d + c
		s.Move(d, s.Reg(a))
		s.emit(t, in)
		return
	}
	if s.LastUse(a) && !s.LastUse(c) && a != c && a != b {
		x, y, z := s.Reg(a), s.Reg(b), s.Reg(c)
		s.Move(d, x)
		s.emit(t, asm.Make(op213, d, y, z))
		return
	}
	if s.inMemory(a) && !s.inMemory(b) {
		a, b = b, a
	}
	in := s.source(op231, b, d, s.Reg(a)) // d = a*b + d
	s.Move(d, s.Reg(c))
	s.emit(t, in)
}

// minMax emits FMin and FMax, whose result is the other operand if one is NaN. The
// instructions return the second operand if either is NaN, so a replaces the result if b is
// NaN.
func (s *selector) minMax(v *vir.Value, d asm.Reg) {
	t := v.Type
	a, b := s.Reg(v.Args[0]), s.Reg(v.Args[1])
	op := isel.ByElem(t.Elem, asm.VMINPS, asm.VMINPD)
	if v.Op == alu.FMax {
		op = isel.ByElem(t.Elem, asm.VMAXPS, asm.VMAXPD)
	}
	if c := v.Args[1]; c.Op == vir.Const && alu.Eval(alu.FEq, alu.I1, t.Elem, c.Const, c.Const, 0) == 1 {
		s.emit(t, asm.Make(op, d, a, b)) // b is not NaN
		return
	}
	r, unordered := s.temp(t), s.temp(t)
	s.emit(t, asm.Make(op, r, a, b))
	s.emit(t, asm.Make(isel.ByElem(t.Elem, asm.VCMPPSV, asm.VCMPPDV), unordered, b, b, asm.InImm).WithImm(asm.FloatUNO))
	s.emit(t, asm.Make(isel.ByElem(t.Elem, asm.VBLENDVPS, asm.VBLENDVPD), d, r, a, unordered))
}

// signBit clears or flips the sign.
func (s *selector) signBit(v *vir.Value, d asm.Reg) {
	op, bits := asm.VPXORD, uint64(1)<<(v.Type.Elem.Bits()-1)
	if v.Op == alu.FAbs {
		op, bits = asm.VPANDD, bits-1
	}
	s.emit(v.Type, asm.Make(op, d, s.Reg(v.Args[0]), asm.InMem).WithMem(s.pooledVector(v.Type, bits)))
}

// selectLanes emits a blend, or logic if an arm is constant.
func (s *selector) selectLanes(v *vir.Value, d asm.Reg) {
	m, yes, no := v.Args[0], v.Args[1], v.Args[2]
	t := v.Type
	if m.Type.Lanes == 1 {
		s.Fail("no selection for a scalar condition over %s", t)
		return
	}
	isConst := func(x *vir.Value, bits uint64) bool { return x.Op == vir.Const && x.Const == bits }
	ones := t.Elem.Mask()
	blends := !slices.ContainsFunc(v.Args[1:], func(x *vir.Value) bool { return isConst(x, 0) || isConst(x, ones) && t.Elem.IsInt() })
	k, negated, ok := asm.NoReg, false, false
	if blends {
		k, negated, ok = s.signOf(m)
	}
	if ok {
		s.M.Stats.Signs++
	} else {
		k, negated = s.maskOf(m)
	}
	if negated {
		yes, no = no, yes
	}
	switch {
	case isConst(no, 0):
		s.emit(t, s.source(asm.VPANDD, yes, d, k))
	case isConst(yes, 0):
		s.emit(t, s.source(asm.VPANDND, no, d, k))
	case isConst(yes, ones) && t.Elem.IsInt():
		s.emit(t, s.source(asm.VPORD, no, d, k))
	default:
		x := s.Reg(no)
		in := s.source(blendVariable[log(t)], yes, d, x)
		in.Args[3] = k
		s.emit(t, in)
	}
}

// signOf returns a register whose signs are the lanes of the mask m, or their complement if negated,
// where it takes fewer instructions than the mask: for tests of signs and of single bits. Blends read
// only the signs, of each byte for lanes of 16 bits.
func (s *selector) signOf(m *vir.Value) (k asm.Reg, negated, ok bool) {
	if !s.Own(m) || !isComparison(m) || !m.Args[0].Type.Elem.IsInt() || m.Type.LaneBits() == 16 {
		return asm.NoReg, false, false
	}
	x := m.Args[0]
	t := x.Type
	constant := func(i int, bits uint64) bool {
		return m.Args[i].Op == vir.Const && m.Args[i].Const == bits&t.Elem.Mask()
	}
	top := t.Elem.Bits() - 1
	switch {
	case m.Op == alu.Slt && constant(1, 0), m.Op == alu.Sle && constant(1, math.MaxUint64):
		return s.Reg(x), false, true
	case m.Op == alu.Sle && constant(0, 0), m.Op == alu.Slt && constant(0, math.MaxUint64):
		return s.Reg(m.Args[1]), true, true
	case m.Op == alu.Trunc:
		return s.bitAsSign(x, top), false, true
	case (m.Op == alu.Eq || m.Op == alu.Ne) && x.Op == alu.And && x.Args[1].Op == vir.Const:
		bit := x.Args[1].Const
		if bits.OnesCount64(bit) != 1 || !constant(1, 0) && !constant(1, bit) {
			break
		}
		return s.bitAsSign(x.Args[0], top-bits.TrailingZeros64(bit)), constant(1, 0) == (m.Op == alu.Eq), true
	}
	return asm.NoReg, false, false
}

// bitAsSign shifts x so that the bit that is n below the sign becomes the sign. Bytes are shifted as words.
func (s *selector) bitAsSign(x *vir.Value, n int) asm.Reg {
	if n == 0 {
		return s.Reg(x)
	}
	r := s.temp(x.Type)
	op := isel.VectorShift[alu.Shl][1][max(log(x.Type), 1)]
	s.emit(x.Type, asm.Make(op, r, s.Reg(x), asm.InImm).WithImm(int64(n)))
	return r
}
