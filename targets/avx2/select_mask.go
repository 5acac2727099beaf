package avx2

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// maskOp emits operations whose result is a mask: comparisons and logic.
func (s *selector) maskOp(v *vir.Value) {
	d, t := s.Reg(v), v.Type
	if !v.Args[0].Type.IsMask() {
		if s.compare(v, d) {
			s.not(t, d, d)
		}
		return
	}
	switch v.Op {
	case alu.And:
		s.maskAnd(v, d)
	case alu.Or, alu.Xor:
		s.emit(t, asm.Make(logic(v.Op), d, s.Reg(v.Args[0]), s.Reg(v.Args[1])))
	default:
		s.Fail("no mask selection for %s", vir.FormatValue(v))
	}
}

// not inverts a mask.
func (s *selector) not(t vir.Type, d, x asm.Reg) {
	ones := s.temp(t)
	s.Emit(asm.Make(asm.ONESV, ones).Len(isel.Length(t)))
	s.emit(t, asm.Make(asm.VPXORD, d, x, ones))
}

// maskOf returns a register with the mask m, or with its complement if negated: that of a mask
// without other uses, or of a comparison that is cheaper to compute negated.
func (s *selector) maskOf(m *vir.Value) (k asm.Reg, negated bool) {
	if x, ok := complement(m); ok && s.Own(m) {
		k, negated = s.maskOf(x)
		return k, !negated
	}
	if s.Own(m) && isComparison(m) {
		k = s.temp(m.Type)
		return k, s.compare(m, k)
	}
	return s.Reg(m), false
}

// isComparison reports whether v is a mask that compare computes.
func isComparison(v *vir.Value) bool {
	return v.Op.Pure() && v.Type.IsMask() && v.Args[0].Type.IsVec()
}

// maskAnd emits a conjunction of masks, one of which may be negated.
func (s *selector) maskAnd(v *vir.Value, d asm.Reg) {
	t := v.Type
	x, notX := s.maskOf(v.Args[0])
	y, notY := s.maskOf(v.Args[1])
	switch {
	case notX && notY:
		s.emit(t, asm.Make(asm.VPORD, d, x, y))
		s.not(t, d, d)
	case notX:
		s.emit(t, asm.Make(asm.VPANDND, d, x, y))
	case notY:
		s.emit(t, asm.Make(asm.VPANDND, d, y, x))
	default:
		s.emit(t, asm.Make(asm.VPANDD, d, x, y))
	}
}

// compare emits a comparison of vectors, or a truncation to a mask, into d. It reports whether d is
// the complement of the result.
func (s *selector) compare(v *vir.Value, d asm.Reg) (negated bool) {
	t := v.Args[0].Type
	switch {
	case v.Op == alu.Trunc:
		// Compare the lowest bit with 0.
		bit, zero := s.temp(t), s.temp(t)
		s.emit(t, s.source(asm.VPANDD, s.F.Const(t, 1), bit, s.Reg(v.Args[0])))
		s.Emit(asm.Make(asm.ZEROV, zero))
		s.emit(t, asm.Make(compareEqual[log(t)], d, bit, zero))
		return true
	case t.Elem.IsFloat():
		x := s.Reg(v.Args[0])
		in := s.source(isel.ByElem(t.Elem, asm.VCMPPSV, asm.VCMPPDV), v.Args[1], d, x)
		in.Args[3] = asm.InImm
		s.emit(t, in.WithImm(isel.FloatPredicates[v.Op]))
		return false
	}
	return s.compareInts(v, d)
}

// compareInts is compare for integers. There are instructions for equal and for signed greater.
func (s *selector) compareInts(v *vir.Value, d asm.Reg) (negated bool) {
	x, y, t := v.Args[0], v.Args[1], v.Args[0].Type
	switch v.Op {
	case alu.Eq, alu.Ne:
		if s.inMemory(x) && !s.inMemory(y) {
			x, y = y, x
		}
		a := s.Reg(x)
		s.emit(t, s.source(compareEqual[log(t)], y, d, a))
		return v.Op == alu.Ne
	case alu.Slt, alu.Sle:
		return s.compareSigned(v.Op, x, y, d)
	}
	return s.compareUnsigned(v.Op, x, y, d)
}

// compareSigned emits x < y or x <= y.
func (s *selector) compareSigned(op alu.Op, x, y *vir.Value, d asm.Reg) (negated bool) {
	t := x.Type
	if op == alu.Sle { // by a strict comparison with the next constant, or the negated opposite one
		most := t.Elem.Mask() >> 1
		switch {
		case y.Op == vir.Const && y.Const != most:
			y = s.F.Const(t, y.Const+1)
		case x.Op == vir.Const && x.Const != most+1:
			x = s.F.Const(t, x.Const-1)
		default:
			x, y, negated = y, x, true
		}
	}
	greater := s.Reg(y) // y > x
	s.emit(t, s.source(compareGreater[log(t)], x, d, greater))
	return negated
}

// compareUnsigned emits x < y or x <= y of unsigned integers: x <= y if x is the lesser of both.
// Numbers of 64 bits have their signs inverted.
func (s *selector) compareUnsigned(op alu.Op, x, y *vir.Value, d asm.Reg) (negated bool) {
	t := x.Type
	if t.Elem.Size() == 8 {
		flip := func(v *vir.Value) *vir.Value {
			if v.Op == vir.Const {
				return s.F.Const(t, v.Const^1<<63)
			}
			return nil
		}
		reg := func(v *vir.Value) asm.Reg {
			if c := flip(v); c != nil {
				return s.Reg(c)
			}
			r := s.temp(t)
			s.emit(t, asm.Make(asm.VPXORD, r, s.Reg(v), asm.InMem).WithMem(s.pooledVector(t, 1<<63)))
			return r
		}
		if op == alu.Ule { // the negation of y < x
			x, y, negated = y, x, true
		}
		a, b := reg(y), reg(x)
		s.emit(t, asm.Make(asm.VPCMPGTQV, d, a, b))
		return negated
	}
	// x <= y is min(x, y) == x, and also max(x, y) == y. The comparison is with the operand that
	// is not constant.
	if op == alu.Ult {
		switch {
		case y.Op == vir.Const && y.Const != 0:
			y = s.F.Const(t, y.Const-1)
		case x.Op == vir.Const && x.Const != t.Elem.Mask():
			x = s.F.Const(t, x.Const+1)
		default: // the negation of y <= x
			x, y, negated = y, x, true
		}
	}
	which := alu.UMin
	if x.Op == vir.Const {
		x, y, which = y, x, alu.UMax
	}
	a, r := s.Reg(x), s.temp(t)
	s.emit(t, s.source(isel.VectorInt[which][log(t)], y, r, a))
	s.emit(t, asm.Make(compareEqual[log(t)], d, r, a))
	return negated
}

// maskBits moves the lanes of a mask, as bits, to d. Lanes of bits above the mask are not cleared:
// it returns the number of bits set in d for all lanes. Words have two bits per lane.
func (s *selector) maskBits(d asm.Reg, m *vir.Value) (perLane int) {
	t, x := m.Type, s.Reg(m)
	switch t.LaneBits() {
	case 64:
		s.emit(t, asm.Make(asm.VMOVMSKPD, d, x))
	case 32:
		s.emit(t, asm.Make(asm.VMOVMSKPS, d, x))
	case 16:
		s.emit(t, asm.Make(asm.VPMOVMSKB, d, x))
		return 2
	default:
		s.emit(t, asm.Make(asm.VPMOVMSKB, d, x))
	}
	return 1
}

// allBits returns the bits of n lanes.
func allBits(n int) int64 { return 1<<n - 1 }

// exactBits is maskBits with the other bits cleared.
func (s *selector) exactBits(d asm.Reg, m *vir.Value) (perLane int) {
	per := s.maskBits(d, m)
	if m.Type.Bits() < 128 {
		s.Emit(asm.Make(asm.AND, d, asm.InImm).WithImm(allBits(per * m.Type.Lanes)).Bits(asm.Size32))
	}
	return per
}

// testAny sets ZF when the mask is empty.
func (s *selector) testAny(m *vir.Value) {
	r := s.M.NewReg(asm.ClassGPR)
	per := s.maskBits(r, m)
	if m.Type.Bits() < 128 {
		s.Emit(asm.Make(asm.TEST, r, asm.InImm).WithImm(allBits(per * m.Type.Lanes)).Bits(asm.Size32))
		return
	}
	s.Emit(asm.Make(asm.TEST, r, r).Bits(asm.Size32))
}

// testAll sets the flags and returns the condition that holds if all lanes are set.
func (s *selector) testAll(m *vir.Value) asm.Cond {
	r := s.M.NewReg(asm.ClassGPR)
	per := s.exactBits(r, m)
	s.Emit(asm.Make(asm.CMP, r, asm.InImm).WithImm(int64(int32(allBits(per * m.Type.Lanes)))).Bits(asm.Size32))
	return asm.CondE
}

// laneBits sets d to the lanes of a mask, one bit each.
func (s *selector) laneBits(d asm.Reg, m *vir.Value) {
	t := m.Type
	if t.LaneBits() != 16 {
		s.exactBits(d, m)
		return
	}
	// Narrow the lanes to bytes.
	x, low := s.Reg(m), s.temp(t)
	if t.Bits() == registerBits {
		high := s.temp(t)
		s.Emit(asm.Make(asm.VEXTRACTI32X4, high, x, asm.InImm).WithImm(1).Len(asm.V256))
		s.Emit(asm.Make(asm.VPACKSSWB, low, x, high).Len(asm.V128))
	} else {
		s.Emit(asm.Make(asm.VPACKSSWB, low, x, x).Len(asm.V128))
	}
	s.Emit(asm.Make(asm.VPMOVMSKB, d, low).Len(asm.V128))
	if t.Lanes < 16 {
		s.Emit(asm.Make(asm.AND, d, asm.InImm).WithImm(allBits(t.Lanes)).Bits(asm.Size32))
	}
}

// onlyLanes returns a mask whose bits above its lanes are clear, for instructions on whole
// registers. A constant mask is made so.
func (s *selector) onlyLanes(m *vir.Value) asm.Reg {
	t := m.Type
	if t.Bits() >= 128 {
		return s.Reg(m)
	}
	r := s.temp(t)
	if m.Op == vir.Const {
		lanes := make([]uint64, 128/t.LaneBits())
		for i := range t.Lanes {
			lanes[i] = -m.Const & (1<<t.LaneBits() - 1)
		}
		s.Emit(asm.Make(asm.VMOVDQU32, r, asm.InMem).WithMem(s.PooledLanes(t.LaneBits()/8, lanes)).Len(asm.V128))
		return r
	}
	// A lane has at least 32 bits.
	s.Emit(asm.Make(asm.VMOVQ, r, s.Reg(m)))
	return r
}
