package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// under adds a write mask to an instruction, with zeroing or merging into the destination.
func under(in asm.Inst, k asm.Reg, zero bool) asm.Inst {
	if k == asm.NoReg {
		return in
	}
	if zero {
		return in.Zero(k)
	}
	return in.Merge(k)
}

// vectorOp emits a pure operation on vectors into d, under the write mask k unless it is
// NoReg. Scalar float operations without a scalar form are emitted here too.
func (s *selector) vectorOp(v *vir.Value, d, k asm.Reg, zero bool) {
	e := isel.Log2(max(v.Type.Elem.Size(), 1))
	if k == asm.NoReg && s.ternary(v, d) || s.multiply(v, d, k, zero) {
		return
	}
	if ops, ok := isel.VectorInt[v.Op]; ok {
		s.binary(v, ops[e], d, k, zero)
		return
	}
	if ops, ok := isel.VectorUnaryInt[v.Op]; ok {
		s.Emit(under(asm.Make(ops[e], d, s.Reg(v.Args[0])).Len(isel.Length(v.Type)), k, zero))
		return
	}
	if ops, ok := isel.VectorShift[v.Op]; ok {
		s.vectorShift(v, ops, e, d, k, zero)
		return
	}
	if ops, ok := isel.VectorFloat[v.Op]; ok {
		s.binary(v, isel.ByElem(v.Type.Elem, ops[0], ops[1]), d, k, zero)
		return
	}
	switch v.Op {
	case alu.FMA:
		s.fma(v, d)
	case alu.DotUS, alu.DotUSSat:
		s.dotProduct(v, d)
	case alu.FMin, alu.FMax:
		s.minMax(v, d)
	case alu.FNeg, alu.FAbs:
		s.signBit(v, d, k, zero)
	case alu.FSqrt:
		op := isel.ByElem(v.Type.Elem, asm.VSQRTPS, asm.VSQRTPD)
		s.Emit(under(asm.Make(op, d, s.Reg(v.Args[0])).Len(isel.Length(v.Type)), k, zero))
	case alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint:
		op := isel.ByElem(v.Type.Elem, asm.VRNDSCALEPS, asm.VRNDSCALEPD)
		s.Emit(under(asm.Make(op, d, s.Reg(v.Args[0]), asm.InImm).WithImm(isel.Rounding[v.Op]).Len(isel.Length(v.Type)), k, zero))
	case alu.Select:
		s.selectLanes(v, d)
	default:
		s.vectorConvert(v, d)
	}
}

// maskable reports whether vectorOp supports a write mask for op.
func maskable(op vir.Op) bool {
	if _, ok := isel.VectorInt[op]; ok {
		return true
	}
	if _, ok := isel.VectorUnaryInt[op]; ok {
		return true
	}
	if _, ok := isel.VectorFloat[op]; ok {
		return true
	}
	if _, ok := isel.VectorShift[op]; ok {
		return true
	}
	switch op {
	case alu.FNeg, alu.FAbs, alu.FSqrt, alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint:
		return true
	}
	return false
}

// governs reports whether a bit of op's write mask controls one element of type t. Bitwise
// operations have elements of 32 or 64 bits for all types.
func governs(op asm.Op, t alu.Type) bool { return int(op.Info().Elem) == t.Size() }

// memorySource returns a memory operand for v if op can read it from memory: a broadcast
// constant, or a load without other uses, of the whole vector or of a broadcast element.
func (s *selector) memorySource(v *vir.Value, op asm.Op) (asm.Mem, bool) {
	if v.Op == vir.Const && v.Const != 0 && s.repeats(op, v.Type) {
		return s.Pooled(v.Const, v.Type.Elem.Size()).Bcast(), true
	}
	load := s.loadInPlace(v, op)
	if load == nil {
		return asm.Mem{}, false
	}
	m := s.Address(load.Args[0], load.Disp)
	if load != v {
		m = m.Bcast()
	}
	return m, true
}

// repeats reports whether op can broadcast one element of t from memory.
func (s *selector) repeats(op asm.Op, t vir.Type) bool {
	return op.Info().Bcast && governs(op, t.Elem) && t.Lanes > 1
}

// loadInPlace returns the load v, or the load that v broadcasts, if op may read it from
// memory, else nil.
func (s *selector) loadInPlace(v *vir.Value, op asm.Op) *vir.Value {
	switch {
	case v.Op == vir.Splat && s.repeats(op, v.Type) && s.Own(v) && s.Folds(v.Args[0]):
		return v.Args[0]
	case v.Type.Bits() >= 128 && s.FoldsWhole(v):
		return v
	}
	return nil
}

// source completes an instruction with v as its last source, in memory or in a register.
func (s *selector) source(op asm.Op, v *vir.Value, args ...asm.Reg) asm.Inst {
	if m, ok := s.memorySource(v, op); ok {
		return asm.Make(op, append(args, asm.InMem)...).WithMem(m)
	}
	return asm.Make(op, append(args, s.Reg(v))...)
}

func (s *selector) binary(v *vir.Value, op asm.Op, d, k asm.Reg, zero bool) {
	a, b := v.Args[0], v.Args[1]
	if a.Op == vir.Const && alu.InfoOf(v.Op).Commutative {
		a, b = b, a
	}
	if alu.InfoOf(v.Op).Commutative && b.Op != vir.Const && s.loadInPlace(b, op) == nil && (a.Op == vir.Splat || s.loadInPlace(a, op) != nil) {
		a, b = b, a
	}
	in := s.source(op, b, d, s.Reg(a))
	s.Emit(under(in.Len(isel.Length(v.Type)), k, zero))
}

func (s *selector) vectorShift(v *vir.Value, ops [2]isel.ElementOps, e int, d, k asm.Reg, zero bool) {
	a, n := v.Args[0], v.Args[1]
	w := uint64(v.Type.Elem.Bits())
	if n.Op == vir.Const {
		in := asm.Make(ops[1][e], d, s.Reg(a), asm.InImm).WithImm(int64(n.Const & (w - 1)))
		s.Emit(under(in.Len(isel.Length(v.Type)), k, zero))
		return
	}
	s.Emit(under(asm.Make(ops[0][e], d, s.Reg(a), s.Reg(n)).Len(isel.Length(v.Type)), k, zero))
}

func (s *selector) andOp(e int) asm.Op { return isel.VectorInt[alu.And][e] }

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
		s.Emit(in.Len(isel.Length(t)))
		return
	}
	if s.LastUse(a) && !s.LastUse(c) && a != c && a != b {
		x, y, z := s.Reg(a), s.Reg(b), s.Reg(c)
		s.Move(d, x)
		s.Emit(asm.Make(op213, d, y, z).Len(isel.Length(t)))
		return
	}
	if s.loadInPlace(a, op231) != nil && s.loadInPlace(b, op231) == nil {
		a, b = b, a
	}
	in := s.source(op231, b, d, s.Reg(a)) // d = a*b + d
	s.Move(d, s.Reg(c))
	s.Emit(in.Len(isel.Length(t)))
}

// dotOps holds the instructions of dot products, which overwrite the third operand.
var dotOps = map[alu.Op]asm.Op{alu.DotUS: asm.VPDPBUSD, alu.DotUSSat: asm.VPDPBUSDS}

func (s *selector) dotProduct(v *vir.Value, d asm.Reg) {
	in := s.source(dotOps[v.Op], v.Args[1], d, s.Reg(v.Args[0]))
	if c := v.Args[2]; c.Op == vir.Const && c.Const == 0 {
		s.Emit(asm.Make(asm.ZEROV, d))
	} else {
		s.Move(d, s.Reg(c))
	}
	s.Emit(in.Len(isel.Length(v.Type)))
}

// fmaUnder emits select(m, v, old), where v is an FMA and old the operand that it overwrites,
// as one masked instruction. It reports false if old is not such an operand.
func (s *selector) fmaUnder(v, old, m *vir.Value, d asm.Reg) bool {
	a, b, c, form := s.FMAOperands(v)
	if old == b {
		a, b = b, a
	}
	if old.Op == vir.Const || old != a && old != c {
		return false
	}
	op, x := form.Op231, a // d = x*b + d
	if old == a {
		op, x = form.Op213, c // d = b*d + x
	}
	k := s.Reg(m)
	var in asm.Inst
	if old == a {
		in = s.source(isel.ByElem(v.Type.Elem, op[0], op[1]), x, d, s.Reg(b))
	} else {
		in = s.source(isel.ByElem(v.Type.Elem, op[0], op[1]), b, d, s.Reg(x))
	}
	s.Move(d, s.Reg(old))
	s.Emit(in.Len(isel.Length(v.Type)).Merge(k))
	return true
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
	s.Emit(asm.Make(op, d, a, b).Len(isel.Length(t)))
	if c := v.Args[1]; c.Op == vir.Const && alu.Eval(alu.FEq, alu.I1, t.Elem, c.Const, c.Const, 0) == 1 {
		return // b is not NaN
	}
	k := s.M.NewReg(asm.ClassMask)
	s.Emit(asm.Make(isel.ByElem(t.Elem, asm.VCMPPS, asm.VCMPPD), k, b, b, asm.InImm).WithImm(asm.FloatUNO).Len(isel.Length(t)))
	move := asm.VMOVAPS
	if t.Elem == alu.F64 {
		move = asm.VMOVAPD
	}
	s.Emit(asm.Make(move, d, a).Len(isel.Length(t)).Merge(k))
}

// signBit clears or flips the sign.
func (s *selector) signBit(v *vir.Value, d, k asm.Reg, zero bool) {
	t := v.Type
	bit := uint64(1) << (t.Elem.Bits() - 1)
	op, bits := isel.ByElem(t.Elem, asm.VPXORD, asm.VPXORQ), bit
	if v.Op == alu.FAbs {
		op, bits = isel.ByElem(t.Elem, asm.VPANDD, asm.VPANDQ), bit-1
	}
	sign := s.Pooled(bits, t.Elem.Size()).Bcast()
	in := asm.Make(op, d, s.Reg(v.Args[0]), asm.InMem).WithMem(sign)
	s.Emit(under(in.Len(isel.Length(t)), k, zero))
}

// selectLanes emits a blend. An operation without other uses runs under the mask itself:
// select(m, op, old) is op{k} on old, select(m, op, 0) is op{k}{z}.
func (s *selector) selectLanes(v *vir.Value, d asm.Reg) {
	m, yes, no := v.Args[0], v.Args[1], v.Args[2]
	if m.Type.Lanes == 1 {
		s.Fail("no selection for a scalar condition over %s", v.Type)
		return
	}
	t := v.Type
	if s.Own(yes) && s.foldable(yes, t) {
		k := s.Reg(m)
		fold := s.vectorOp
		if yes.Op == vir.Splat {
			fold = s.splat
		}
		if no.Op == vir.Const && no.Const == 0 {
			fold(yes, d, k, true)
			return
		}
		old := s.Reg(no)
		fold(yes, d, k, false)
		// Copy old to the destination just before the masked operation, after the
		// instructions that compute its operands.
		last := s.Last()
		for i := 1; i < len(last.Args); i++ {
			if last.Args[i] == old {
				last.Args[i] = d // the same, and old may end here
			}
		}
		s.InsertBeforeLast(x86.Move(d, old))
		return
	}
	if yes.Op == alu.FMA && s.Own(yes) && s.fmaUnder(yes, no, m, d) {
		return
	}
	e := isel.Log2(t.Elem.Size())
	k := s.Reg(m)
	if no.Op == vir.Const && no.Const == 0 {
		op := [4]asm.Op{asm.VMOVDQU8, asm.VMOVDQU16, asm.VMOVDQA32, asm.VMOVDQA64}[e]
		s.Emit(asm.Make(op, d, s.Reg(yes)).Len(isel.Length(t)).Zero(k))
		return
	}
	in := s.source(blend[e], yes, d, s.Reg(no)).Len(isel.Length(t))
	in.K = k
	s.Emit(in)
}

// foldable reports whether a blend may run v under its mask.
func (s *selector) foldable(v *vir.Value, t vir.Type) bool {
	if v.Op == vir.Splat {
		return v.Type.IsVec() && !(s.splatsInPlace(v) && !v.Args[0].Invariant) // the load must not move to the blend
	}
	if !v.Op.Pure() || !maskable(v.Op) {
		return false
	}
	e := isel.Log2(t.Elem.Size())
	if ops, ok := isel.VectorInt[v.Op]; ok {
		return governs(ops[e], t.Elem)
	}
	return true
}

func (s *selector) vectorConvert(v *vir.Value, d asm.Reg) {
	a := v.Args[0]
	from, to := a.Type.Elem, v.Type.Elem
	wide := func(t alu.Type) int { return t.Bits() / 64 }
	widest := isel.Length(v.Type)
	if l := isel.Length(a.Type); l > widest {
		widest = l
	}
	ef, et := isel.Log2(max(from.Size(), 1)), isel.Log2(max(to.Size(), 1))
	if ops, ok := convertOps[v.Op]; ok {
		s.Emit(asm.Make(ops[wide(from)][wide(to)], d, s.Reg(a)).Len(widest))
		return
	}
	switch v.Op {
	case alu.ZExt, alu.SExt:
		if from == alu.I1 {
			s.fromMask(v, d, et)
			return
		}
		ops := isel.ZeroExtend
		if v.Op == alu.SExt {
			ops = isel.SignExtend
		}
		if v.Type.Bits() >= 128 && s.FoldsWhole(a) {
			s.Emit(asm.Make(ops[ef][et], d, asm.InMem).WithMem(s.Address(a.Args[0], a.Disp)).Len(widest))
			return
		}
		s.Emit(asm.Make(ops[ef][et], d, s.Reg(a)).Len(widest))
	case alu.Trunc:
		s.Emit(asm.Make(truncate[ef][et], d, s.Reg(a)).Len(widest))
	case alu.FPExt:
		if from == alu.F16 {
			s.Emit(asm.Make(asm.VCVTPH2PS, d, s.Reg(a)).Len(widest))
			return
		}
		s.Emit(asm.Make(asm.VCVTPS2PD, d, s.Reg(a)).Len(widest))
	case alu.FPTrunc:
		if to == alu.F16 {
			s.Emit(asm.Make(asm.VCVTPS2PH, d, s.Reg(a), asm.InImm).WithImm(0).Len(widest))
			return
		}
		s.Emit(asm.Make(asm.VCVTPD2PS, d, s.Reg(a)).Len(widest))
	case alu.Bitcast:
		s.Move(d, s.Reg(a))
	default:
		s.Fail("no vector selection for %s", vir.FormatValue(v))
	}
}

// fromMask extends a mask to elements of 0 and 1, or 0 and -1 if signed.
func (s *selector) fromMask(v *vir.Value, d asm.Reg, e int) {
	k := s.Reg(v.Args[0])
	if v.Op == alu.SExt {
		s.Emit(asm.Make(maskToVector[e], d, k).Len(isel.Length(v.Type)))
		return
	}
	one := s.Pooled(1, v.Type.Elem.Size())
	s.Emit(asm.Make(isel.BroadcastMem[e], d, asm.InMem).WithMem(one).Len(isel.Length(v.Type)).Zero(k))
}

// maskOp emits operations whose result is a mask: comparisons and logic.
func (s *selector) maskOp(v *vir.Value) {
	d := s.Reg(v)
	in := alu.InfoOf(v.Op)
	switch {
	case v.Args[0].Type.IsMask():
		s.maskLogic(v, d)
	case v.Op == alu.Trunc || in.Class == alu.Compare:
		s.compareLanes(v, d, asm.NoReg, false)
	default:
		s.Fail("no mask selection for %s", vir.FormatValue(v))
	}
}

// The write mask of a comparison zeroes: the result is the conjunction of that mask and the
// comparison.

// negatedFloat holds the predicates of negated comparisons.
var negatedFloat = map[alu.Op]int64{
	alu.FEq: asm.FloatNEUQ, alu.FNe: asm.FloatEQ, alu.FLt: asm.FloatGEUQ, alu.FLe: asm.FloatGTUQ,
}

var intPredicates = map[alu.Op]int64{
	alu.Eq: asm.IntEQ, alu.Ne: asm.IntNE, alu.Slt: asm.IntLT, alu.Sle: asm.IntLE, alu.Ult: asm.IntLT, alu.Ule: asm.IntLE,
}

// compareLanes emits a comparison of vectors, or a truncation to a mask, into d: negated if
// negate is set, and only in the lanes of k unless k is NoReg.
func (s *selector) compareLanes(v *vir.Value, d, k asm.Reg, negate bool) {
	t := v.Args[0].Type
	emit := func(in asm.Inst) { s.Emit(under(in.Len(isel.Length(t)), k, false)) }
	switch {
	case v.Op == alu.Trunc:
		test := testNonzero
		if negate {
			test = testZero
		}
		one := s.F.Const(t, 1)
		emit(s.source(test[isel.Log2(t.Elem.Size())], one, d, s.Reg(v.Args[0])))
	case t.Elem.IsFloat():
		predicate := isel.FloatPredicates[v.Op]
		if negate {
			predicate = negatedFloat[v.Op]
		}
		x := s.Reg(v.Args[0])
		cmp := s.source(isel.ByElem(t.Elem, asm.VCMPPS, asm.VCMPPD), v.Args[1], d, x)
		cmp.Args[3] = asm.InImm
		emit(cmp.WithImm(predicate))
	default:
		emit(s.compareIntLanes(v, d, negate))
	}
	if k == asm.NoReg { // k has no bits above the lanes
		s.trim(d, t)
	}
}

// compareIntLanes returns a comparison of integers or a test for zero.
func (s *selector) compareIntLanes(v *vir.Value, d asm.Reg, negate bool) asm.Inst {
	x, y := v.Args[0], v.Args[1]
	t := x.Type
	e := isel.Log2(t.Elem.Size())
	predicate := intPredicates[v.Op]
	op := compareSigned[e]
	if v.Op == alu.Ult || v.Op == alu.Ule {
		op = compareUnsigned[e]
	}
	if x.Op == vir.Const && y.Op != vir.Const {
		x, y = y, x
		predicate = map[int64]int64{asm.IntEQ: asm.IntEQ, asm.IntNE: asm.IntNE, asm.IntLT: asm.IntGT, asm.IntLE: asm.IntGE}[predicate]
	}
	if negate {
		predicate ^= 4 // the negated predicates: NE is 4, NLT 5, NLE 6
	}
	if y.Op == vir.Const && y.Const == 0 && (predicate == asm.IntEQ || predicate == asm.IntNE) {
		test := testZero[e]
		if predicate == asm.IntNE {
			test = testNonzero[e]
		}
		// x & mask == 0 is one test.
		if x.Op == alu.And && s.Own(x) {
			return s.source(test, x.Args[1], d, s.Reg(x.Args[0]))
		}
		r := s.Reg(x)
		return asm.Make(test, d, r, r)
	}
	in := s.source(op, y, d, s.Reg(x))
	in.Args[3] = asm.InImm
	return in.WithImm(predicate)
}

// trim clears the bits of a mask above the lanes if vectors of t fill only part of a register.
func (s *selector) trim(d asm.Reg, t vir.Type) {
	if t.Bits() >= 128 {
		return
	}
	s.clearAbove(d, t.Lanes)
}

func (s *selector) clearAbove(d asm.Reg, lanes int) {
	if lanes == 8 {
		s.Emit(asm.Make(asm.KMOVB, d, d))
		return
	}
	k := s.M.NewReg(asm.ClassMask)
	s.maskInto(k, lanes, true)
	s.Emit(asm.Make(asm.KANDW, d, d, k))
}
