package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Comparisons of scalars leave their result in the flags; setCond moves it to a register.

func (s *selector) setCond(d asm.Reg, c asm.Cond) {
	s.emit(asm.Make(asm.SETCC, d).If(c))
	s.emit(asm.Make(asm.MOVZXB, d, d).Bits(asm.Size32))
}

// signedLoads holds the sign extensions by the type of the operand.
var signedLoads = map[alu.Type]asm.Op{alu.I8: asm.MOVSXB, alu.I16: asm.MOVSXW, alu.I32: asm.MOVSXD}

var intConds = map[alu.Op]asm.Cond{
	alu.Eq: asm.CondE, alu.Ne: asm.CondNE, alu.Slt: asm.CondL, alu.Sle: asm.CondLE, alu.Ult: asm.CondB, alu.Ule: asm.CondBE,
}

// unsignedConds maps conditions to those for operands whose sign bit is clear.
var unsignedConds = map[asm.Cond]asm.Cond{
	asm.CondE: asm.CondE, asm.CondNE: asm.CondNE, asm.CondL: asm.CondB, asm.CondLE: asm.CondBE, asm.CondB: asm.CondB, asm.CondBE: asm.CondBE,
}

// swappedConds maps conditions to those for swapped operands.
var swappedConds = map[asm.Cond]asm.Cond{
	asm.CondE: asm.CondE, asm.CondNE: asm.CondNE, asm.CondL: asm.CondG, asm.CondLE: asm.CondGE, asm.CondB: asm.CondA, asm.CondBE: asm.CondAE,
}

// positive reports whether the sign of the integer v is known to be clear.
func (s *selector) positive(v *vir.Value) bool {
	if v.Op == vir.Const {
		return signedBits(v.Type.Elem, v.Const) >= 0
	}
	return s.known(v) < v.Type.Elem.Bits()
}

// compareInts emits a comparison of scalar integers and returns its condition.
func (s *selector) compareInts(v *vir.Value) asm.Cond {
	a, b := v.Args[0], v.Args[1]
	signed := (v.Op == alu.Slt || v.Op == alu.Sle) && !(s.positive(a) && s.positive(b))
	sz := size(a.Type.Elem)
	cond := intConds[v.Op]
	if !signed {
		cond = unsignedConds[cond]
	}
	if a.Op == vir.Const && b.Op != vir.Const { // only the second operand may be an immediate
		a, b = b, a
		cond = swappedConds[cond]
	}
	own := s.uses[v.ID] == 1 && v.Block == s.block
	if x, y, ok := s.narrowed(v.Op, a, b); own && ok && (s.folds(x) || s.folds(y)) {
		a, b = x, y
	}
	bits := asm.Size(a.Type.Elem.Bits())
	if own && b.Op != vir.Const && bits != asm.Size16 {
		// Operands are not extended if compared in their own size.
		if s.folds(b) {
			s.emit(asm.Make(asm.CMP, s.reg(a), asm.InMem).WithMem(s.address(b.Args[0], b.Disp)).Bits(bits))
			return cond
		}
		if s.folds(a) {
			s.emit(asm.Make(asm.CMP, asm.InMem, s.reg(b)).WithMem(s.address(a.Args[0], a.Disp)).Bits(bits))
			return cond
		}
	}
	if own && !signed && s.compareBytes(a, b) {
		return cond
	}
	if own && (cond == asm.CondE || cond == asm.CondNE) && (s.compareSum(a, b) || s.compareSum(b, a)) {
		return cond
	}
	if c, ok := immediate(b); own && ok && bits != asm.Size16 && s.folds(a) {
		s.emit(asm.Make(asm.CMP, asm.InMem, asm.InImm).WithImm(c).WithMem(s.address(a.Args[0], a.Disp)).Bits(bits))
		return cond
	}
	if own && b.Op == vir.Const && b.Const == 0 && a.Op == alu.And && s.ownOperation(a) && (cond == asm.CondE || cond == asm.CondNE) &&
		a.Type.Elem.Bits() >= 32 && a.Args[0].Op != vir.Const {
		if s.testBit(a, sz) {
			return map[asm.Cond]asm.Cond{asm.CondE: asm.CondAE, asm.CondNE: asm.CondB}[cond]
		}
		// Loads are not folded here, since the register allocator folds reloads.
		if c, ok := immediate(a.Args[1]); ok {
			s.emit(asm.Make(asm.TEST, s.reg(a.Args[0]), asm.InImm).WithImm(c).Bits(sz))
		} else {
			s.emit(asm.Make(asm.TEST, s.reg(a.Args[0]), s.reg(a.Args[1])).Bits(sz))
		}
		return cond
	}
	if bits == asm.Size8 && a.Op != vir.Const && (signed || s.known(a) > 8 || b.Op != vir.Const && s.known(b) > 8) {
		// Bytes are compared without an extension.
		if b.Op == vir.Const {
			s.emit(asm.Make(asm.CMP, s.reg(a), asm.InImm).WithImm(signedBits(alu.I8, b.Const)).Bits(bits))
		} else {
			s.emit(asm.Make(asm.CMP, s.reg(a), s.reg(b)).Bits(bits))
		}
		return cond
	}
	x := s.extended(a, signed)
	if b.Op == vir.Const {
		c := int64(b.Const)
		if signed || b.Type.Elem.Bits() == 64 || b.Type.Elem.Bits() == 32 {
			c = signedBits(b.Type.Elem, b.Const)
		}
		switch {
		case c == 0: // sets the flags of a comparison with 0, except AF
			s.emit(asm.Make(asm.TEST, x, x).Bits(sz))
			return cond
		case c == int64(int32(c)):
			s.emit(asm.Make(asm.CMP, x, asm.InImm).WithImm(c).Bits(sz))
			return cond
		}
	}
	s.emit(asm.Make(asm.CMP, x, s.extended(b, signed)).Bits(sz))
	return cond
}

// narrowed returns the operands of the extensions a and b, if comparing those gives the same
// result.
func (s *selector) narrowed(op vir.Op, a, b *vir.Value) (x, y *vir.Value, ok bool) {
	if a.Op != b.Op || !s.ownOperation(a) || !s.ownOperation(b) || a.Args[0].Type != b.Args[0].Type || a.Args[0].Type.Elem != alu.I8 {
		return nil, nil, false
	}
	switch op {
	case alu.Eq, alu.Ne:
		ok = a.Op == alu.ZExt || a.Op == alu.SExt
	case alu.Ult, alu.Ule:
		ok = a.Op == alu.ZExt
	case alu.Slt, alu.Sle:
		ok = a.Op == alu.SExt
	}
	return a.Args[0], b.Args[0], ok
}

// compareSum compares a with the difference b = x - y for equality as a + y with x: a sum
// that preserves its operands is one instruction (LEA), a difference takes two.
func (s *selector) compareSum(a, b *vir.Value) bool {
	if b.Op != alu.Sub || !s.ownOperation(b) || b.Type.Elem.Bits() < 32 || a.Op == vir.Const || b.Args[0].Op == vir.Const || b.Args[1].Op == vir.Const {
		return false
	}
	sz := size(b.Type.Elem)
	sum := s.m.NewReg(asm.ClassGPR)
	s.emit(asm.Make(asm.LEA, sum, asm.InMem).WithMem(asm.Indexed(s.reg(a), s.reg(b.Args[1]), 1, 0)).Bits(sz))
	s.emit(asm.Make(asm.CMP, sum, s.reg(b.Args[0])).Bits(sz))
	return true
}

// compareBytes emits an unsigned comparison of values below 256 as one of the low bytes of
// the operands that they are truncated from, which saves the truncation.
func (s *selector) compareBytes(a, b *vir.Value) bool {
	lowByte := func(v *vir.Value) bool {
		if !s.ownOperation(v) || v.Type.Elem.Bits() < 32 || v.Args[0].Op == vir.Const {
			return false
		}
		return v.Op == alu.And && v.Args[1].Op == vir.Const && v.Args[1].Const == 0xFF ||
			v.Op == alu.ZExt && v.Args[0].Type.Elem == alu.I8 && !s.isExtended(v)
	}
	isByte := func(v *vir.Value) bool { return v.Type.Elem.Bits() >= 32 && (lowByte(v) || s.known(v) <= 8) }
	if !lowByte(a) && !lowByte(b) || !isByte(a) || !isByte(b) {
		return false
	}
	low := func(v *vir.Value) *vir.Value {
		if lowByte(v) {
			return v.Args[0]
		}
		return v
	}
	x := s.reg(low(a))
	if b.Op == vir.Const {
		s.emit(asm.Make(asm.CMP, x, asm.InImm).WithImm(int64(int8(b.Const))).Bits(asm.Size8))
	} else {
		s.emit(asm.Make(asm.CMP, x, s.reg(low(b))).Bits(asm.Size8))
	}
	return true
}

// compareFloats emits FLt or FLe and returns its condition. The operands are swapped because
// "above" is false for NaN.
func (s *selector) compareFloats(v *vir.Value) asm.Cond {
	op := asm.VUCOMISS
	if v.Args[0].Type.Elem == alu.F64 {
		op = asm.VUCOMISD
	}
	x, y := s.reg(v.Args[0]), s.reg(v.Args[1])
	s.emit(asm.Make(op, y, x))
	if v.Op == alu.FLt {
		return asm.CondA
	}
	return asm.CondAE
}

func (s *selector) floatCompareValue(v *vir.Value) {
	if v.Op == alu.FLt || v.Op == alu.FLe {
		s.setCond(s.reg(v), s.compareFloats(v))
		return
	}
	if s.m.V3 {
		ones := s.newReg(v.Args[0].Type)
		s.floatCompareOnes(v, ones)
		s.emit(asm.Make(asm.VMOVD, s.reg(v), ones))
		s.emit(asm.Make(asm.AND, s.reg(v), asm.InImm).WithImm(1).Bits(asm.Size32))
		return
	}
	k := s.m.NewReg(asm.ClassMask)
	s.floatCompareMask(v, k)
	s.emit(asm.Make(asm.KMOVB, s.reg(v), k))
}

// floatCompareOnes emits a comparison of scalar floats whose result is all ones or zero.
func (s *selector) floatCompareOnes(v *vir.Value, d asm.Reg) {
	op := byElem(v.Args[0].Type.Elem, asm.VCMPSSV, asm.VCMPSDV)
	s.emit(asm.Make(op, d, s.reg(v.Args[0]), s.reg(v.Args[1]), asm.InImm).WithImm(floatPredicates[v.Op]))
}

// floatCompareMask emits a comparison of scalar floats into the low bit of k.
func (s *selector) floatCompareMask(v *vir.Value, k asm.Reg) {
	op := byElem(v.Args[0].Type.Elem, asm.VCMPSS, asm.VCMPSD)
	s.emit(asm.Make(op, k, s.reg(v.Args[0]), s.reg(v.Args[1]), asm.InImm).WithImm(floatPredicates[v.Op]))
}

var floatPredicates = map[alu.Op]int64{
	alu.FEq: asm.FloatEQ, alu.FNe: asm.FloatNEUQ, alu.FLt: asm.FloatLT, alu.FLe: asm.FloatLE,
}

func (s *selector) scalarSelect(v *vir.Value) {
	d := s.reg(v)
	if class(v.Type) == asm.ClassVec {
		c := v.Args[0]
		own := s.ownOperation(c) && alu.InfoOf(c.Op).Class == alu.Compare && c.Args[0].Type.Elem.IsFloat()
		if s.m.V3 {
			s.scalarBlend(v, d, own && c.Args[0].Type == v.Type)
			return
		}
		k := s.m.NewReg(asm.ClassMask)
		if own {
			s.floatCompareMask(c, k)
		} else {
			s.emit(asm.Make(asm.KMOVD, k, s.reg(c)))
		}
		op := asm.VBLENDMPS
		if v.Type.Elem == alu.F64 {
			op = asm.VBLENDMPD
		}
		in := asm.Make(op, d, s.reg(v.Args[2]), s.reg(v.Args[1])).Len(asm.V128)
		in.K = k
		s.emit(in)
		return
	}
	yes, no := s.reg(v.Args[1]), s.reg(v.Args[2])
	cond := s.condition(v.Args[0])
	s.move(d, no) // just before CMOV, which may be inverted to take yes in d
	s.emit(asm.Make(asm.CMOVCC, d, yes).If(cond).Bits(size(v.Type.Elem)))
}

// scalarBlend selects floats by a vector of ones or zeros. A comparison of floats of the same
// type that has no other use gives that vector directly.
func (s *selector) scalarBlend(v *vir.Value, d asm.Reg, compares bool) {
	c, ones := v.Args[0], s.newReg(v.Type)
	if compares {
		s.floatCompareOnes(c, ones)
	} else {
		bits := s.m.NewReg(asm.ClassGPR)
		s.move(bits, s.reg(c))
		s.emit(asm.Make(asm.NEG, bits).Bits(asm.Size64))
		s.emit(asm.Make(asm.VMOVQ, ones, bits))
	}
	op := byElem(v.Type.Elem, asm.VBLENDVPS, asm.VBLENDVPD)
	s.emit(asm.Make(op, d, s.reg(v.Args[2]), s.reg(v.Args[1]), ones).Len(asm.V128))
}
