package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Comparisons of scalars leave their result in the flags; SetCond moves it to a register.

// SetCond moves a condition from the flags to the register of an i1.
func (s *Selector) SetCond(d asm.Reg, c asm.Cond) {
	s.Emit(asm.Make(asm.SETCC, d).If(c))
	s.Emit(asm.Make(asm.MOVZXB, d, d).Bits(asm.Size32))
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
func (s *Selector) positive(v *vir.Value) bool {
	if v.Op == vir.Const {
		return signedBits(v.Type.Elem, v.Const) >= 0
	}
	return s.known(v) < v.Type.Elem.Bits()
}

// compareInts emits a comparison of scalar integers and returns its condition.
func (s *Selector) compareInts(v *vir.Value) asm.Cond {
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
	if x, y, ok := s.narrowed(v.Op, a, b); own && ok && (s.Folds(x) || s.Folds(y)) {
		a, b = x, y
	}
	bits := asm.Size(a.Type.Elem.Bits())
	if own && b.Op != vir.Const && bits != asm.Size16 {
		// Operands are not extended if compared in their own size.
		if s.Folds(b) {
			s.Emit(asm.Make(asm.CMP, s.Reg(a), asm.InMem).WithMem(s.Address(b.Args[0], b.Disp)).Bits(bits))
			return cond
		}
		if s.Folds(a) {
			s.Emit(asm.Make(asm.CMP, asm.InMem, s.Reg(b)).WithMem(s.Address(a.Args[0], a.Disp)).Bits(bits))
			return cond
		}
	}
	if own && !signed && s.compareBytes(a, b) {
		return cond
	}
	if own && (cond == asm.CondE || cond == asm.CondNE) && (s.compareSum(a, b) || s.compareSum(b, a)) {
		return cond
	}
	if c, ok := immediate(b); own && ok && bits != asm.Size16 && s.Folds(a) {
		s.Emit(asm.Make(asm.CMP, asm.InMem, asm.InImm).WithImm(c).WithMem(s.Address(a.Args[0], a.Disp)).Bits(bits))
		return cond
	}
	if own && b.Op == vir.Const && b.Const == 0 && a.Op == alu.And && s.Own(a) && (cond == asm.CondE || cond == asm.CondNE) &&
		a.Type.Elem.Bits() >= 32 && a.Args[0].Op != vir.Const {
		if s.testBit(a, sz) {
			return map[asm.Cond]asm.Cond{asm.CondE: asm.CondAE, asm.CondNE: asm.CondB}[cond]
		}
		// Loads are not folded here, since the register allocator folds reloads.
		if c, ok := immediate(a.Args[1]); ok {
			s.Emit(asm.Make(asm.TEST, s.Reg(a.Args[0]), asm.InImm).WithImm(c).Bits(sz))
		} else {
			s.Emit(asm.Make(asm.TEST, s.Reg(a.Args[0]), s.Reg(a.Args[1])).Bits(sz))
		}
		return cond
	}
	if bits == asm.Size8 && a.Op != vir.Const && (signed || s.known(a) > 8 || b.Op != vir.Const && s.known(b) > 8) {
		// Bytes are compared without an extension.
		if b.Op == vir.Const {
			s.Emit(asm.Make(asm.CMP, s.Reg(a), asm.InImm).WithImm(signedBits(alu.I8, b.Const)).Bits(bits))
		} else {
			s.Emit(asm.Make(asm.CMP, s.Reg(a), s.Reg(b)).Bits(bits))
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
			s.Emit(asm.Make(asm.TEST, x, x).Bits(sz))
			return cond
		case c == int64(int32(c)):
			s.Emit(asm.Make(asm.CMP, x, asm.InImm).WithImm(c).Bits(sz))
			return cond
		}
	}
	s.Emit(asm.Make(asm.CMP, x, s.extended(b, signed)).Bits(sz))
	return cond
}

// narrowed returns the operands of the extensions a and b, if comparing those gives the same
// result.
func (s *Selector) narrowed(op vir.Op, a, b *vir.Value) (x, y *vir.Value, ok bool) {
	if a.Op != b.Op || !s.Own(a) || !s.Own(b) || a.Args[0].Type != b.Args[0].Type || a.Args[0].Type.Elem != alu.I8 {
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
func (s *Selector) compareSum(a, b *vir.Value) bool {
	if b.Op != alu.Sub || !s.Own(b) || b.Type.Elem.Bits() < 32 || a.Op == vir.Const || b.Args[0].Op == vir.Const || b.Args[1].Op == vir.Const {
		return false
	}
	sz := size(b.Type.Elem)
	sum := s.M.NewReg(asm.ClassGPR)
	s.Emit(asm.Make(asm.LEA, sum, asm.InMem).WithMem(asm.Indexed(s.Reg(a), s.Reg(b.Args[1]), 1, 0)).Bits(sz))
	s.Emit(asm.Make(asm.CMP, sum, s.Reg(b.Args[0])).Bits(sz))
	return true
}

// compareBytes emits an unsigned comparison of values below 256 as one of the low bytes of
// the operands that they are truncated from, which saves the truncation.
func (s *Selector) compareBytes(a, b *vir.Value) bool {
	lowByte := func(v *vir.Value) bool {
		if !s.Own(v) || v.Type.Elem.Bits() < 32 || v.Args[0].Op == vir.Const {
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
	x := s.Reg(low(a))
	if b.Op == vir.Const {
		s.Emit(asm.Make(asm.CMP, x, asm.InImm).WithImm(int64(int8(b.Const))).Bits(asm.Size8))
	} else {
		s.Emit(asm.Make(asm.CMP, x, s.Reg(low(b))).Bits(asm.Size8))
	}
	return true
}

// compareFloats emits FLt or FLe and returns its condition. The operands are swapped because
// "above" is false for NaN.
func (s *Selector) compareFloats(v *vir.Value) asm.Cond {
	op := asm.VUCOMISS
	if v.Args[0].Type.Elem == alu.F64 {
		op = asm.VUCOMISD
	}
	x, y := s.Reg(v.Args[0]), s.Reg(v.Args[1])
	s.Emit(asm.Make(op, y, x))
	if v.Op == alu.FLt {
		return asm.CondA
	}
	return asm.CondAE
}

func (s *Selector) floatCompareValue(v *vir.Value) {
	if v.Op == alu.FLt || v.Op == alu.FLe {
		s.SetCond(s.Reg(v), s.compareFloats(v))
		return
	}
	if s.M.V3 {
		ones := s.NewReg(v.Args[0].Type)
		s.floatCompareOnes(v, ones)
		s.Emit(asm.Make(asm.VMOVD, s.Reg(v), ones))
		s.Emit(asm.Make(asm.AND, s.Reg(v), asm.InImm).WithImm(1).Bits(asm.Size32))
		return
	}
	k := s.M.NewReg(asm.ClassMask)
	s.floatCompareMask(v, k)
	s.Emit(asm.Make(asm.KMOVB, s.Reg(v), k))
}

// floatCompareOnes emits a comparison of scalar floats whose result is all ones or zero.
func (s *Selector) floatCompareOnes(v *vir.Value, d asm.Reg) {
	op := ByElem(v.Args[0].Type.Elem, asm.VCMPSSV, asm.VCMPSDV)
	s.Emit(asm.Make(op, d, s.Reg(v.Args[0]), s.Reg(v.Args[1]), asm.InImm).WithImm(FloatPredicates[v.Op]))
}

// floatCompareMask emits a comparison of scalar floats into the low bit of k.
func (s *Selector) floatCompareMask(v *vir.Value, k asm.Reg) {
	op := ByElem(v.Args[0].Type.Elem, asm.VCMPSS, asm.VCMPSD)
	s.Emit(asm.Make(op, k, s.Reg(v.Args[0]), s.Reg(v.Args[1]), asm.InImm).WithImm(FloatPredicates[v.Op]))
}

// FloatPredicates holds the immediates of float comparisons.
var FloatPredicates = map[alu.Op]int64{
	alu.FEq: asm.FloatEQ, alu.FNe: asm.FloatNEUQ, alu.FLt: asm.FloatLT, alu.FLe: asm.FloatLE,
}

func (s *Selector) scalarSelect(v *vir.Value) {
	d := s.Reg(v)
	if Class(v.Type) == asm.ClassVec {
		c := v.Args[0]
		own := s.Own(c) && alu.InfoOf(c.Op).Class == alu.Compare && c.Args[0].Type.Elem.IsFloat()
		if s.M.V3 {
			s.scalarBlend(v, d, own && c.Args[0].Type == v.Type)
			return
		}
		k := s.M.NewReg(asm.ClassMask)
		if own {
			s.floatCompareMask(c, k)
		} else {
			s.Emit(asm.Make(asm.KMOVD, k, s.Reg(c)))
		}
		op := asm.VBLENDMPS
		if v.Type.Elem == alu.F64 {
			op = asm.VBLENDMPD
		}
		in := asm.Make(op, d, s.Reg(v.Args[2]), s.Reg(v.Args[1])).Len(asm.V128)
		in.K = k
		s.Emit(in)
		return
	}
	yes, no := s.Reg(v.Args[1]), s.Reg(v.Args[2])
	cond := s.condition(v.Args[0])
	s.Move(d, no) // just before CMOV, which may be inverted to take yes in d
	s.Emit(asm.Make(asm.CMOVCC, d, yes).If(cond).Bits(size(v.Type.Elem)))
}

// scalarBlend selects floats by a vector of ones or zeros. A comparison of floats of the same
// type that has no other use gives that vector directly.
func (s *Selector) scalarBlend(v *vir.Value, d asm.Reg, compares bool) {
	c, ones := v.Args[0], s.NewReg(v.Type)
	if compares {
		s.floatCompareOnes(c, ones)
	} else {
		bits := s.M.NewReg(asm.ClassGPR)
		s.Move(bits, s.Reg(c))
		s.Emit(asm.Make(asm.NEG, bits).Bits(asm.Size64))
		s.Emit(asm.Make(asm.VMOVQ, ones, bits))
	}
	op := ByElem(v.Type.Elem, asm.VBLENDVPS, asm.VBLENDVPD)
	s.Emit(asm.Make(op, d, s.Reg(v.Args[2]), s.Reg(v.Args[1]), ones).Len(asm.V128))
}
