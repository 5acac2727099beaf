package isel

import (
	"math"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Scalars: integers and i1 are in general-purpose registers. The bits above an i8 or i16 are
// undefined; an i1 is 0 or 1 in the whole register. Floats are in the low element of a
// vector register; an f16 is an i16.

// size returns the operand size of operations on t: small types use 32 bits.
func size(t alu.Type) asm.Size {
	if t.Bits() == 64 {
		return asm.Size64
	}
	return asm.Size32
}

// immediate returns the value of a constant that fits a sign-extended 32-bit
// immediate.
func immediate(v *vir.Value) (int64, bool) {
	if v.Op != vir.Const {
		return 0, false
	}
	c := signedBits(v.Type.Elem, v.Const)
	return c, c == int64(int32(c))
}

// extended returns a register whose low 32 bits (64 for i64) hold the scalar v,
// sign-extended or zero-extended.
func (s *Selector) extended(v *vir.Value, signed bool) asm.Reg {
	t := v.Type.Elem
	if t.Bits() >= 32 || t == alu.I1 {
		return s.Reg(v)
	}
	if n := s.known(v); v.Op != vir.Const && (n < t.Bits() || n == t.Bits() && !signed) {
		return s.Reg(v)
	}
	if v.Op == vir.Const {
		r := s.M.NewReg(asm.ClassGPR)
		c := int64(v.Const)
		if signed {
			c = signedBits(t, v.Const)
		}
		s.Emit(asm.MoveImm(r, c))
		return r
	}
	ops := map[bool][2]asm.Op{true: {asm.MOVSXB, asm.MOVSXW}, false: {asm.MOVZXB, asm.MOVZXW}}[signed]
	r := s.M.NewReg(asm.ClassGPR)
	s.Emit(asm.Make(ops[t.Bits()/16], r, s.Reg(v)).Bits(asm.Size32))
	return r
}

// widened64 returns v extended to 64 bits.
func (s *Selector) widened64(v *vir.Value, signed bool) asm.Reg {
	if v.Type.Elem.Bits() == 64 {
		return s.Reg(v)
	}
	if n := s.known(v); v.Op != vir.Const && (n < v.Type.Elem.Bits() || n == v.Type.Elem.Bits() && !signed) {
		return s.Reg(v)
	}
	x := s.extended(v, signed)
	r := s.M.NewReg(asm.ClassGPR)
	if signed {
		s.Emit(asm.Make(asm.MOVSXD, r, x).Bits(asm.Size64))
	} else {
		s.Emit(asm.Make(asm.MOV, r, x).Bits(asm.Size32))
	}
	return r
}

var intOps = map[alu.Op]asm.Op{
	alu.Add: asm.ADD, alu.Sub: asm.SUB, alu.And: asm.AND, alu.Or: asm.OR, alu.Xor: asm.XOR, alu.Mul: asm.IMUL,
}

func (s *Selector) scalarOp(v *vir.Value) {
	t := v.Type.Elem
	in := alu.InfoOf(v.Op)
	arg := v.Args[0].Type.Elem
	switch {
	case in.Class == alu.Compare && arg.IsFloat():
		s.floatCompareValue(v)
	case in.Class == alu.Compare:
		s.SetCond(s.Reg(v), s.compareInts(v))
	case in.Class == alu.Convert:
		s.scalarConvert(v)
	case v.Op == alu.Select:
		s.scalarSelect(v)
	case t == alu.F32 || t == alu.F64:
		s.scalarFloat(v)
	default:
		s.scalarInt(v)
	}
}

// intRules emits the operations on integers that are selected for general-purpose registers.
var intRules = map[alu.Op]func(s *Selector, v *vir.Value){
	alu.Add: (*Selector).twoAddressOrShorter, alu.Sub: (*Selector).twoAddressOrShorter, alu.Mul: (*Selector).twoAddressOrShorter,
	alu.And: (*Selector).twoAddressOrShorter, alu.Or: (*Selector).twoAddressOrShorter, alu.Xor: (*Selector).twoAddressOrShorter,
	alu.Shl: (*Selector).shift, alu.LShr: (*Selector).shift, alu.AShr: (*Selector).shift, alu.Rotl: (*Selector).rotate,
	alu.UDiv: (*Selector).divide, alu.SDiv: (*Selector).divide, alu.URem: (*Selector).divide, alu.SRem: (*Selector).divide,
	alu.UMulHi: (*Selector).mulHigh, alu.SMulHi: (*Selector).mulHigh,
	alu.SMin: (*Selector).minMax, alu.SMax: (*Selector).minMax, alu.UMin: (*Selector).minMax, alu.UMax: (*Selector).minMax,
	alu.Abs: (*Selector).abs, alu.Clz: (*Selector).countZeros, alu.Popcount: (*Selector).countOnes,
}

// HasInt reports whether op on scalar integers is selected without the target's Vectors.
func HasInt(op alu.Op) bool { return intRules[op] != nil }

func (s *Selector) scalarInt(v *vir.Value) {
	if s.findLowest(v) {
		return
	}
	if rule := intRules[v.Op]; rule != nil {
		rule(s, v)
		return
	}
	s.vectors.Scalar(v, s.Reg(v))
}

func (s *Selector) twoAddressOrShorter(v *vir.Value) {
	d, t := s.Reg(v), v.Type.Elem
	if t == alu.I1 && s.joinBit(v) {
		return
	}
	if !s.changeBit(v, d, size(t)) && !s.bitTrick(v, d, size(t)) {
		s.twoAddress(v)
	}
}

func (s *Selector) minMax(v *vir.Value) {
	d, sz := s.Reg(v), size(v.Type.Elem)
	signed := v.Op == alu.SMin || v.Op == alu.SMax
	x, y := s.extended(v.Args[0], signed), s.extended(v.Args[1], signed)
	cond := map[alu.Op]asm.Cond{alu.SMin: asm.CondG, alu.SMax: asm.CondL, alu.UMin: asm.CondA, alu.UMax: asm.CondB}[v.Op]
	s.Emit(asm.Make(asm.CMP, x, y).Bits(sz))
	s.Move(d, x)
	s.Emit(asm.Make(asm.CMOVCC, d, y).If(cond).Bits(sz))
}

func (s *Selector) abs(v *vir.Value) {
	d, sz := s.Reg(v), size(v.Type.Elem)
	x := s.extended(v.Args[0], true)
	s.Move(d, x)
	s.Emit(asm.Make(asm.NEG, d).Bits(sz))
	s.Emit(asm.Make(asm.CMOVCC, d, x).If(asm.CondS).Bits(sz))
}

func (s *Selector) countZeros(v *vir.Value) {
	d, t := s.Reg(v), v.Type.Elem
	s.Emit(asm.Make(asm.LZCNT, d, s.extended(v.Args[0], false)).Bits(size(t)))
	if n := 32 - t.Bits(); n > 0 {
		s.Emit(asm.Make(asm.SUB, d, asm.InImm).WithImm(int64(n)).Bits(size(t)))
	}
}

func (s *Selector) countOnes(v *vir.Value) {
	s.Emit(asm.Make(asm.POPCNT, s.Reg(v), s.extended(v.Args[0], false)).Bits(size(v.Type.Elem)))
}

// twoAddress emits d = a; d op= b.
func (s *Selector) twoAddress(v *vir.Value) {
	d, sz := s.Reg(v), size(v.Type.Elem)
	a, b := v.Args[0], v.Args[1]
	if a.Op == vir.Const && alu.InfoOf(v.Op).Commutative {
		a, b = b, a
	}
	if v.Op == alu.Mul {
		if k, ok := timesByAddress(v); ok { // 1 or 2 cycles of latency instead of 3
			s.Emit(asm.Make(asm.LEA, d, asm.InMem).WithMem(asm.Indexed(s.Reg(v.Args[0]), s.Reg(v.Args[0]), k, 0)).Bits(sz))
			return
		}
		if c, ok := immediate(b); ok {
			s.Emit(asm.Make(asm.IMUL3, d, s.Reg(a), asm.InImm).WithImm(c).Bits(sz))
			return
		}
	}
	if v.Op == alu.Add && v.Type.Elem != alu.I1 {
		c, ok := immediate(b)
		if k, times := timesByAddress(a); times && ok && s.Own(a) {
			x := s.Reg(a.Args[0])
			s.Emit(asm.Make(asm.LEA, d, asm.InMem).WithMem(asm.Indexed(x, x, k, int32(c))).Bits(sz))
			return
		}
		if ok && a.Op != vir.Const {
			s.Emit(asm.Make(asm.LEA, d, asm.InMem).WithMem(asm.At(s.Reg(a), int32(c))).Bits(sz))
			return
		}
		switch ka, kb := s.ownScaled(a), s.ownScaled(b); {
		case v.Type.Elem.Bits() >= 32 && (s.Folds(a) || s.Folds(b)):
		case kb > 0 && a.Op != vir.Const:
			s.Emit(asm.Make(asm.LEA, d, asm.InMem).WithMem(asm.Indexed(s.Reg(a), s.Reg(b.Args[0]), kb, 0)).Bits(sz))
			return
		case ka > 0 && b.Op != vir.Const:
			s.Emit(asm.Make(asm.LEA, d, asm.InMem).WithMem(asm.Indexed(s.Reg(b), s.Reg(a.Args[0]), ka, 0)).Bits(sz))
			return
		default:
			s.Emit(asm.Make(asm.LEA, d, asm.InMem).WithMem(asm.Indexed(s.Reg(a), s.Reg(b), 1, 0)).Bits(sz))
			return
		}
	}
	if s.Folds(a) && alu.InfoOf(v.Op).Commutative {
		a, b = b, a
	}
	y := s.operand(intOps[v.Op], b, sz, d) // may materialize a constant, before d is written
	s.Move(d, s.Reg(a))
	s.Emit(y)
}

// joinBit emits the and, or or xor of an i1 and a comparison. It sets only the low byte for
// the comparison, because the other bits of the i1's register are zero.
func (s *Selector) joinBit(v *vir.Value) bool {
	a, b := v.Args[0], v.Args[1]
	if s.inFlags(a) && !s.inFlags(b) {
		a, b = b, a
	}
	if v.Op != alu.And && v.Op != alu.Or && v.Op != alu.Xor || a == b || a.Op == vir.Const || !s.inFlags(b) {
		return false
	}
	d, bit := s.Reg(v), s.M.NewReg(asm.ClassGPR)
	cond := s.condition(b)
	s.Emit(asm.Make(asm.SETCC, bit).If(cond))
	s.Move(d, s.Reg(a))
	s.Emit(asm.Make(intOps[v.Op], d, bit).Bits(asm.Size8))
	return true
}

// timesByAddress matches x * (k+1) for a factor of 3, 5 or 9, which LEA computes as
// x + x*k.
func timesByAddress(v *vir.Value) (k uint8, ok bool) {
	if v.Op != alu.Mul || v.Args[0].Op == vir.Const || v.Args[1].Op != vir.Const || v.Type.Elem.Bits() < 8 {
		return 0, false
	}
	if c := v.Args[1].Const; onePlusScale(c) {
		return uint8(c - 1), true
	}
	return 0, false
}

// onePlusScale reports whether c is 1 plus a scale, so that an address can be c times a
// register.
func onePlusScale(c uint64) bool { return c == 3 || c == 5 || c == 9 }

// ownScaled returns the scale of a scaled index that is computed only for the value being
// emitted, or 0.
func (s *Selector) ownScaled(v *vir.Value) uint8 {
	if k, ok := scaledIndex(v); ok && s.Own(v) {
		return k
	}
	return 0
}

// bitTrick emits the logic operations that are BMI1 instructions, which every machine with
// x86-64-v3 has, and those with constants that have shorter forms.
func (s *Selector) bitTrick(v *vir.Value, d asm.Reg, sz asm.Size) bool {
	a, b := v.Args[0], v.Args[1]
	t := v.Type.Elem
	if t.Bits() < 8 {
		return false
	}
	isConst := func(x *vir.Value, c uint64) bool { return x.Op == vir.Const && x.Const == c&t.Mask() }
	all := t.Mask()
	wide := t.Bits() >= 32 // bits above smaller types are undefined
	for range 2 {
		switch {
		case v.Op == alu.And && wide && b.Op == vir.Const && a.Op != vir.Const && !s.Folds(a) && b.Const&(b.Const+1) == 0 && s.known(a) <= bits.Len64(b.Const):
			s.Move(d, s.Reg(a))
		case v.Op == alu.And && isConst(b, 0xFF) && wide && s.Folds(a):
			s.Emit(asm.Make(asm.MOVZXB, d, asm.InMem).WithMem(s.Address(a.Args[0], a.Disp)).Bits(asm.Size32))
		case v.Op == alu.And && isConst(b, 0xFFFF) && wide && s.Folds(a):
			s.Emit(asm.Make(asm.MOVZXW, d, asm.InMem).WithMem(s.Address(a.Args[0], a.Disp)).Bits(asm.Size32))
		case v.Op == alu.And && isConst(b, 0xFF) && a.Op != vir.Const:
			s.Emit(asm.Make(asm.MOVZXB, d, s.Reg(a)).Bits(asm.Size32))
		case v.Op == alu.And && isConst(b, 0xFFFF) && a.Op != vir.Const:
			s.Emit(asm.Make(asm.MOVZXW, d, s.Reg(a)).Bits(asm.Size32))
		case v.Op == alu.And && t == alu.I64 && isConst(b, 0xFFFFFFFF) && a.Op != vir.Const:
			s.Emit(asm.Make(asm.MOV, d, s.Reg(a)).Bits(asm.Size32))
		case v.Op == alu.Sub && a == v.Args[0] && isConst(a, 0) && b.Op != vir.Const && !s.Folds(b):
			s.Move(d, s.Reg(b))
			s.Emit(asm.Make(asm.NEG, d).Bits(sz))
		case v.Op == alu.Xor && isConst(b, all) && a.Op != vir.Const:
			s.Move(d, s.Reg(a))
			s.Emit(asm.Make(asm.NOT, d).Bits(sz))
		case v.Op == alu.And && a.Op == alu.Xor && isConst(a.Args[1], all) && s.Own(a) && b.Op != vir.Const && a.Args[0].Op != vir.Const:
			s.Emit(s.operand(asm.ANDN, b, sz, d, s.Reg(a.Args[0])))
		case v.Op == alu.And && wide && a.Op == alu.Sub && isConst(a.Args[0], 0) && a.Args[1] == b && s.Own(a) && b.Op != vir.Const:
			s.Emit(asm.Make(asm.BLSI, d, s.Reg(b)).Bits(sz))
		case v.Op == alu.And && wide && a.Op == alu.Add && isConst(a.Args[1], all) && a.Args[0] == b && s.Own(a) && b.Op != vir.Const:
			s.Emit(asm.Make(asm.BLSR, d, s.Reg(b)).Bits(sz))
		default:
			a, b = b, a
			continue
		}
		return true
	}
	return false
}

func (s *Selector) shift(v *vir.Value) {
	d, t := s.Reg(v), v.Type.Elem
	sz := size(t)
	a, n := v.Args[0], v.Args[1]
	if n.Op == vir.Const && (s.signExtension(v, d) || s.highShift(v, d)) {
		return
	}
	x := s.Reg(a)
	if s.rotated != nil && s.rotated[v.ID] {
		s.Emit(asm.Make(asm.RORX, d, x, asm.InImm).WithImm(int64(n.Const)).Bits(sz))
		return
	}
	if v.Op != alu.Shl {
		x = s.extended(a, v.Op == alu.AShr)
	}
	if n.Op == vir.Const {
		op := map[alu.Op]asm.Op{alu.Shl: asm.SHL, alu.LShr: asm.SHR, alu.AShr: asm.SAR}[v.Op]
		s.Move(d, x)
		if c := int64(n.Const) & int64(t.Bits()-1); c != 0 {
			s.Emit(asm.Make(op, d, asm.InImm).WithImm(c).Bits(sz))
		}
		return
	}
	op := map[alu.Op]asm.Op{alu.Shl: asm.SHLX, alu.LShr: asm.SHRX, alu.AShr: asm.SARX}[v.Op]
	s.Emit(asm.Make(op, d, x, s.amount(n, t)).Bits(sz))
}

// signExtension emits a left and an arithmetic right shift by the same amount as a sign
// extension of the low bytes.
func (s *Selector) signExtension(v *vir.Value, d asm.Reg) bool {
	a, n := v.Args[0], v.Args[1]
	if v.Op != alu.AShr || a.Op != alu.Shl || a.Args[1].Op != vir.Const || a.Args[1].Const != n.Const || a.Args[0].Op == vir.Const || !s.Own(a) {
		return false
	}
	t := v.Type.Elem
	op, ok := map[int]asm.Op{8: asm.MOVSXB, 16: asm.MOVSXW, 32: asm.MOVSXD}[t.Bits()-int(n.Const)]
	if !ok || t.Bits() < 32 {
		return false
	}
	s.Emit(asm.Make(op, d, s.Reg(a.Args[0])).Bits(size(t)))
	return true
}

// highShift emits a right shift of the upper half of a product, which divisions by constants
// contain, as one shift of the whole product.
func (s *Selector) highShift(v *vir.Value, d asm.Reg) bool {
	a, n := v.Args[0], v.Args[1]
	if v.Op != alu.LShr || a.Op != alu.UMulHi || v.Type.Elem != alu.I32 || n.Const > 31 || !s.Own(a) {
		return false
	}
	s.product64(a, d)
	s.Emit(asm.Make(asm.SHR, d, asm.InImm).WithImm(int64(32 + n.Const)).Bits(asm.Size64))
	return true
}

// amount returns a register with a shift amount modulo the width. For 32 and 64 bits the
// instructions reduce it themselves.
func (s *Selector) amount(n *vir.Value, t alu.Type) asm.Reg {
	if t.Bits() >= 32 {
		return s.Reg(n)
	}
	r := s.M.NewReg(asm.ClassGPR)
	s.Move(r, s.Reg(n))
	s.Emit(asm.Make(asm.AND, r, asm.InImm).WithImm(int64(t.Bits() - 1)).Bits(asm.Size32))
	return r
}

func (s *Selector) rotate(v *vir.Value) {
	d, t := s.Reg(v), v.Type.Elem
	sz, w := size(t), int64(t.Bits())
	a, n := v.Args[0], v.Args[1]
	if n.Op == vir.Const && w >= 32 {
		s.Emit(asm.Make(asm.RORX, d, s.Reg(a), asm.InImm).WithImm((w - int64(n.Const)&(w-1)) & (w - 1)).Bits(sz))
		return
	}
	if n.Op == vir.Const { // ROL of 8 or 16 bits does not change the bits above
		s.Move(d, s.Reg(a))
		if by := int64(n.Const) & (w - 1); by != 0 {
			s.Emit(asm.Make(asm.ROL, d, asm.InImm).WithImm(by).Bits(asm.Size(w)))
		}
		return
	}
	// (a << n) | (a >> -n), amounts modulo the width.
	x := s.extended(a, false)
	amount := s.amount(n, t)
	back := s.M.NewReg(asm.ClassGPR)
	s.Move(back, amount)
	s.Emit(asm.Make(asm.NEG, back).Bits(sz))
	if w < 32 {
		s.Emit(asm.Make(asm.AND, back, asm.InImm).WithImm(w - 1).Bits(sz))
	}
	right := s.M.NewReg(asm.ClassGPR)
	s.Emit(asm.Make(asm.SHLX, d, x, amount).Bits(sz))
	s.Emit(asm.Make(asm.SHRX, right, x, back).Bits(sz))
	s.Emit(asm.Make(asm.OR, d, right).Bits(sz))
}

// divide replaces a divisor of 0 and, for signed 64 bits, of -1, which would trap. Signed
// 32-bit numbers divide in 64 bits, where the quotient cannot overflow, unless it is known
// not to in 32. Of 64-bit numbers that are known to have no upper half, the lower ones are
// divided without signs.
func (s *Selector) divide(v *vir.Value) {
	d, t := s.Reg(v), v.Type.Elem
	signed := v.Op == alu.SDiv || v.Op == alu.SRem
	rem := v.Op == alu.URem || v.Op == alu.SRem
	sz := size(t)
	var x, y asm.Reg
	switch short := s.dividesIn32(v); {
	case short && t.Bits() == 64:
		s.M.Stats.Narrowed++
		x, y, sz, signed = s.Reg(v.Args[0]), s.Reg(v.Args[1]), asm.Size32, false
	case signed && short:
		s.M.Stats.Narrowed++
		x, y, sz = s.extended(v.Args[0], true), s.extended(v.Args[1], true), asm.Size32
	case signed:
		x, y, sz = s.widened64(v.Args[0], true), s.widened64(v.Args[1], true), asm.Size64
	default:
		x, y = s.extended(v.Args[0], false), s.extended(v.Args[1], false)
	}
	by, one := y, asm.NoReg
	minus := signed && t.Bits() == 64
	if zero := !s.nonZero(v.Args[1], knownDepth); zero || minus {
		by, one = s.M.NewReg(asm.ClassGPR), s.M.NewReg(asm.ClassGPR)
		s.Emit(asm.MoveImm(one, 1))
		s.Move(by, y)
		if zero {
			s.Emit(asm.Make(asm.TEST, y, y).Bits(sz))
			s.Emit(asm.Make(asm.CMOVCC, by, one).If(asm.CondE).Bits(asm.Size64))
		}
	}
	if minus {
		s.Emit(asm.Make(asm.CMP, y, asm.InImm).WithImm(-1).Bits(sz))
		s.Emit(asm.Make(asm.CMOVCC, by, one).If(asm.CondE).Bits(asm.Size64))
	}
	s.Move(asm.RAX, x)
	if signed {
		if sz == asm.Size32 {
			s.Emit(asm.Make(asm.CDQ))
		} else {
			s.Emit(asm.Make(asm.CQO))
		}
		s.Emit(asm.Make(asm.IDIV, by).Bits(sz))
	} else {
		s.Emit(asm.Make(asm.ZEROR, asm.RDX))
		s.Emit(asm.Make(asm.DIV, by).Bits(sz))
	}
	if rem {
		s.Move(d, asm.RDX)
		return
	}
	s.Move(d, asm.RAX)
	if minus {
		negated := s.M.NewReg(asm.ClassGPR)
		s.Move(negated, d)
		s.Emit(asm.Make(asm.NEG, negated).Bits(sz))
		s.Emit(asm.Make(asm.CMP, y, asm.InImm).WithImm(-1).Bits(sz))
		s.Emit(asm.Make(asm.CMOVCC, d, negated).If(asm.CondE).Bits(asm.Size64))
	}
}

// dividesIn32 reports whether a division needs no more than 32 bits. In a signed division of 32
// bits, only the least number divided by -1 has a quotient that is too large.
func (s *Selector) dividesIn32(v *vir.Value) bool {
	x, y := v.Args[0], v.Args[1]
	switch bits := v.Type.Elem.Bits(); {
	case bits == 64:
		return s.known(x) <= 32 && s.known(y) <= 32
	case bits < 32, v.Op == alu.UDiv, v.Op == alu.URem:
		return true
	case x.Op == vir.Const && int32(x.Const) != math.MinInt32, y.Op == vir.Const && int32(y.Const) != -1:
		return true
	}
	return s.known(x) < 32 || s.known(y) < 32
}

func (s *Selector) mulHigh(v *vir.Value) {
	d, t := s.Reg(v), v.Type.Elem
	if t.Bits() < 64 {
		s.product64(v, d)
		s.Emit(asm.Make(asm.SHR, d, asm.InImm).WithImm(int64(t.Bits())).Bits(asm.Size64))
		return
	}
	x, y := s.Reg(v.Args[0]), s.Reg(v.Args[1])
	op := asm.MUL
	if v.Op == alu.SMulHi {
		op = asm.IMUL1
	}
	s.Move(asm.RAX, x)
	s.Emit(asm.Make(op, y).Bits(asm.Size64))
	s.Move(d, asm.RDX)
}

// product64 emits the whole 64-bit product whose upper half is v.
func (s *Selector) product64(v *vir.Value, d asm.Reg) {
	signed, bits := v.Op == alu.SMulHi, v.Type.Elem.Bits()
	x, y := s.widened64(v.Args[0], signed), v.Args[1]
	c := int64(y.Const)
	if signed {
		c = c << (64 - bits) >> (64 - bits)
	}
	if y.Op == vir.Const && c == int64(int32(c)) {
		s.Emit(asm.Make(asm.IMUL3, d, x, asm.InImm).WithImm(c).Bits(asm.Size64))
		return
	}
	by := s.widened64(y, signed)
	s.Move(d, x)
	s.Emit(asm.Make(asm.IMUL, d, by).Bits(asm.Size64))
}

// ByElem returns the single- or double-precision form.
func ByElem(t alu.Type, single, double asm.Op) asm.Op {
	if t == alu.F64 {
		return double
	}
	return single
}

func (s *Selector) scalarFloat(v *vir.Value) {
	d, t := s.Reg(v), v.Type.Elem
	reg := func(i int) asm.Reg { return s.Reg(v.Args[i]) }
	binary := map[alu.Op][2]asm.Op{
		alu.FAdd: {asm.VADDSS, asm.VADDSD}, alu.FSub: {asm.VSUBSS, asm.VSUBSD},
		alu.FMul: {asm.VMULSS, asm.VMULSD}, alu.FDiv: {asm.VDIVSS, asm.VDIVSD},
	}
	if ops, ok := binary[v.Op]; ok {
		a, b := v.Args[0], v.Args[1]
		if alu.InfoOf(v.Op).Commutative && s.Folds(a) {
			a, b = b, a
		}
		x := s.Reg(a)
		s.Emit(s.Place(ByElem(t, ops[0], ops[1]), b, d, x))
		return
	}
	switch v.Op {
	case alu.FMA:
		a, b, c, form := s.FMAOperands(v)
		if s.Folds(a) {
			a, b = b, a
		}
		in := s.Place(ByElem(t, form.Scalar[0], form.Scalar[1]), b, d, s.Reg(a))
		s.Move(d, s.Reg(c))
		s.Emit(in)
	case alu.FSqrt:
		x := reg(0)
		s.Emit(asm.Make(ByElem(t, asm.VSQRTSS, asm.VSQRTSD), d, x, x))
	case alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint:
		x := reg(0)
		op := ByElem(t, asm.VRNDSCALESS, asm.VRNDSCALESD)
		if s.M.V3 {
			op = ByElem(t, asm.VROUNDSS, asm.VROUNDSD)
		}
		s.Emit(asm.Make(op, d, x, x, asm.InImm).WithImm(Rounding[v.Op]))
	default: // the vector forms compute the low element too
		s.vectors.Scalar(v, d)
	}
}

// Rounding holds the immediates of rounding instructions. They raise no exceptions.
var Rounding = map[alu.Op]int64{alu.FRint: 8, alu.FFloor: 9, alu.FCeil: 10, alu.FTrunc: 11}

func (s *Selector) scalarConvert(v *vir.Value) {
	d := s.Reg(v)
	from, to := v.Args[0].Type.Elem, v.Type.Elem
	a := v.Args[0]
	if isLowPart(v) || s.isExtended(v) {
		return // v shares the register of its operand, see Reg
	}
	switch v.Op {
	case alu.Trunc:
		s.Move(d, s.Reg(a))
		if to == alu.I1 {
			s.Emit(asm.Make(asm.AND, d, asm.InImm).WithImm(1).Bits(asm.Size32))
		}
	case alu.ZExt:
		if from == alu.I8 || from == alu.I16 {
			s.Emit(asm.Make(map[alu.Type]asm.Op{alu.I8: asm.MOVZXB, alu.I16: asm.MOVZXW}[from], d, s.Reg(a)).Bits(asm.Size32))
			return
		}
		s.Emit(asm.Make(asm.MOV, d, s.Reg(a)).Bits(asm.Size32))
	case alu.SExt:
		if ops, ok := signedLoads[from]; ok && s.Folds(a) {
			sz := size(to)
			if from == alu.I16 {
				sz = max(sz, asm.Size32)
			}
			s.Emit(asm.Make(ops, d, asm.InMem).WithMem(s.Address(a.Args[0], a.Disp)).Bits(sz))
			return
		}
		if from == alu.I1 {
			s.Move(d, s.Reg(a))
			s.Emit(asm.Make(asm.NEG, d).Bits(asm.Size64))
			return
		}
		if op, ok := signedLoads[from]; ok && from != alu.I32 && a.Op != vir.Const {
			s.Emit(asm.Make(op, d, s.Reg(a)).Bits(size(to)))
			return
		}
		x := s.extended(a, true)
		if to.Bits() == 64 {
			s.Emit(asm.Make(asm.MOVSXD, d, x).Bits(asm.Size64))
		} else {
			s.Move(d, x)
		}
	case alu.SIToFP:
		z := s.ZeroVec()
		s.Emit(s.Place(ByElem(to, asm.VCVTSI2SS, asm.VCVTSI2SD), a, d, z).Bits(size(from)))
	case alu.UIToFP:
		z := s.ZeroVec()
		if from == alu.I32 && s.M.V3 {
			s.Emit(asm.Make(ByElem(to, asm.VCVTSI2SS, asm.VCVTSI2SD), d, z, s.widened64(a, false)).Bits(asm.Size64))
			return
		}
		s.Emit(s.Place(ByElem(to, asm.VCVTUSI2SS, asm.VCVTUSI2SD), a, d, z).Bits(size(from)))
	case alu.FPToSI:
		s.Emit(s.Place(ByElem(from, asm.VCVTTSS2SI, asm.VCVTTSD2SI), a, d).Bits(size(to)))
	case alu.FPToUI:
		s.Emit(s.Place(ByElem(from, asm.VCVTTSS2USI, asm.VCVTTSD2USI), a, d).Bits(size(to)))
	case alu.FPExt, alu.FPTrunc:
		s.scalarFloatConvert(v, d)
	case alu.Bitcast:
		s.scalarBitcast(d, s.Reg(a), to)
	default:
		s.Fail("no scalar selection for %s", vir.FormatValue(v))
	}
}

// ZeroVec returns a vector register of zeros, for instructions that keep the upper elements
// of an operand.
func (s *Selector) ZeroVec() asm.Reg {
	z := s.M.NewReg(asm.ClassVec)
	s.Emit(asm.Make(asm.ZEROV, z))
	return z
}

func (s *Selector) scalarFloatConvert(v *vir.Value, d asm.Reg) {
	from, to := v.Args[0].Type.Elem, v.Type.Elem
	x := s.Reg(v.Args[0])
	switch {
	case from == alu.F16 && to == alu.F32:
		s.Emit(asm.Make(asm.VMOVD, d, x))
		s.Emit(asm.Make(asm.VCVTPH2PS, d, d).Len(asm.V128))
	case from == alu.F32 && to == alu.F16:
		t := s.M.NewReg(asm.ClassVec)
		s.Emit(asm.Make(asm.VCVTPS2PH, t, x, asm.InImm).WithImm(0).Len(asm.V128))
		s.Emit(asm.Make(asm.VMOVD, d, t))
	case from == alu.F32:
		s.Emit(asm.Make(asm.VCVTSS2SD, d, x, x))
	case to == alu.F32:
		s.Emit(asm.Make(asm.VCVTSD2SS, d, x, x))
	default:
		s.Fail("no scalar selection for %s", vir.FormatValue(v))
	}
}

// scalarBitcast moves bits between the register files if the classes differ.
func (s *Selector) scalarBitcast(d, x asm.Reg, t alu.Type) {
	switch {
	case d.Class() == x.Class():
		s.Move(d, x)
	case t.Bits() == 64:
		s.Emit(asm.Make(asm.VMOVQ, d, x))
	default:
		s.Emit(asm.Make(asm.VMOVD, d, x))
	}
}
