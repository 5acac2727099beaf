package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
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
	e := log2(max(v.Type.Elem.Size(), 1))
	if k == asm.NoReg && !s.m.V3 && s.ternary(v, d) || s.multiply(v, d, k, zero) {
		return
	}
	if ops, ok := vectorInt[v.Op]; ok {
		s.binary(v, ops[e], d, k, zero)
		return
	}
	if ops, ok := vectorUnaryInt[v.Op]; ok {
		s.emit(under(asm.Make(ops[e], d, s.reg(v.Args[0])).Len(length(v.Type)), k, zero))
		return
	}
	if ops, ok := vectorShift[v.Op]; ok {
		s.vectorShift(v, ops, e, d, k, zero)
		return
	}
	if ops, ok := vectorFloat[v.Op]; ok {
		s.binary(v, byElem(v.Type.Elem, ops[0], ops[1]), d, k, zero)
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
		op := byElem(v.Type.Elem, asm.VSQRTPS, asm.VSQRTPD)
		s.emit(under(asm.Make(op, d, s.reg(v.Args[0])).Len(length(v.Type)), k, zero))
	case alu.FFloor, alu.FCeil, alu.FTrunc, alu.FRint:
		op := byElem(v.Type.Elem, asm.VRNDSCALEPS, asm.VRNDSCALEPD)
		if s.m.V3 {
			op = byElem(v.Type.Elem, asm.VROUNDPS, asm.VROUNDPD)
		}
		s.emit(under(asm.Make(op, d, s.reg(v.Args[0]), asm.InImm).WithImm(rounding[v.Op]).Len(length(v.Type)), k, zero))
	case alu.Select:
		s.selectLanes(v, d)
	default:
		s.vectorConvert(v, d)
	}
}

// maskable reports whether vectorOp supports a write mask for op.
func maskable(op vir.Op) bool {
	if _, ok := vectorInt[op]; ok {
		return true
	}
	if _, ok := vectorUnaryInt[op]; ok {
		return true
	}
	if _, ok := vectorFloat[op]; ok {
		return true
	}
	if _, ok := vectorShift[op]; ok {
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
		return s.pooled(v.Const, v.Type.Elem.Size()).Bcast(), true
	}
	load := s.loadInPlace(v, op)
	if load == nil {
		return asm.Mem{}, false
	}
	m := s.address(load.Args[0], load.Disp)
	if load != v {
		m = m.Bcast()
	}
	return m, true
}

// repeats reports whether op can broadcast one element of t from memory.
func (s *selector) repeats(op asm.Op, t vir.Type) bool {
	return !s.m.V3 && op.Info().Bcast && governs(op, t.Elem) && t.Lanes > 1
}

// loadInPlace returns the load v, or the load that v broadcasts, if op may read it from
// memory, else nil.
func (s *selector) loadInPlace(v *vir.Value, op asm.Op) *vir.Value {
	switch {
	case v.Op == vir.Splat && s.repeats(op, v.Type) && s.ownOperation(v) && s.folds(v.Args[0]):
		return v.Args[0]
	case v.Type.Bits() >= 128 && s.foldsWhole(v):
		return v
	}
	return nil
}

// source completes an instruction with v as its last source, in memory or in a register.
func (s *selector) source(op asm.Op, v *vir.Value, args ...asm.Reg) asm.Inst {
	if m, ok := s.memorySource(v, op); ok {
		return asm.Make(op, append(args, asm.InMem)...).WithMem(m)
	}
	return asm.Make(op, append(args, s.reg(v))...)
}

func (s *selector) binary(v *vir.Value, op asm.Op, d, k asm.Reg, zero bool) {
	a, b := v.Args[0], v.Args[1]
	if a.Op == vir.Const && alu.InfoOf(v.Op).Commutative {
		a, b = b, a
	}
	if alu.InfoOf(v.Op).Commutative && b.Op != vir.Const && s.loadInPlace(b, op) == nil && (a.Op == vir.Splat || s.loadInPlace(a, op) != nil) {
		a, b = b, a
	}
	in := s.source(op, b, d, s.reg(a))
	s.emit(under(in.Len(length(v.Type)), k, zero))
}

func (s *selector) vectorShift(v *vir.Value, ops [2]elementOps, e int, d, k asm.Reg, zero bool) {
	a, n := v.Args[0], v.Args[1]
	w := uint64(v.Type.Elem.Bits())
	if n.Op == vir.Const {
		in := asm.Make(ops[1][e], d, s.reg(a), asm.InImm).WithImm(int64(n.Const & (w - 1)))
		s.emit(under(in.Len(length(v.Type)), k, zero))
		return
	}
	amount := s.reg(n)
	if v.Op != alu.Rotl && !boundedAmount(n, w) { // rotations take the amount modulo w
		r := s.newReg(n.Type)
		mask := s.f.Const(n.Type, w-1)
		in := s.source(s.andOp(e), mask, r, amount)
		s.emit(in.Len(length(n.Type)))
		amount = r
	}
	s.emit(under(asm.Make(ops[0][e], d, s.reg(a), amount).Len(length(v.Type)), k, zero))
}

// boundedAmount reports whether the amounts are known to be less than w.
func boundedAmount(n *vir.Value, w uint64) bool {
	return n.Op == alu.And && n.Args[1].Op == vir.Const && n.Args[1].Const < w
}

func (s *selector) andOp(e int) asm.Op { return vectorInt[alu.And][e] }

// fusedForm holds the instructions of a*b+c with the product or the addend negated, for
// singles and doubles: d = ±(b*d) ± c, d = ±(a*b) ± d, and the latter for scalars.
type fusedForm struct{ op213, op231, scalar [2]asm.Op }

var fusedForms = [2][2]fusedForm{
	{
		fusedForm{[2]asm.Op{asm.VFMADD213PS, asm.VFMADD213PD}, [2]asm.Op{asm.VFMADD231PS, asm.VFMADD231PD}, [2]asm.Op{asm.VFMADD231SS, asm.VFMADD231SD}},
		fusedForm{[2]asm.Op{asm.VFMSUB213PS, asm.VFMSUB213PD}, [2]asm.Op{asm.VFMSUB231PS, asm.VFMSUB231PD}, [2]asm.Op{asm.VFMSUB231SS, asm.VFMSUB231SD}},
	},
	{
		fusedForm{[2]asm.Op{asm.VFNMADD213PS, asm.VFNMADD213PD}, [2]asm.Op{asm.VFNMADD231PS, asm.VFNMADD231PD}, [2]asm.Op{asm.VFNMADD231SS, asm.VFNMADD231SD}},
		fusedForm{[2]asm.Op{asm.VFNMSUB213PS, asm.VFNMSUB213PD}, [2]asm.Op{asm.VFNMSUB231PS, asm.VFNMSUB231PD}, [2]asm.Op{asm.VFNMSUB231SS, asm.VFNMSUB231SD}},
	},
}

// fmaOperands removes negations without other uses from the operands of an FMA and returns
// the form that includes them. Negation is exact, except for the sign of a NaN.
func (s *selector) fmaOperands(v *vir.Value) (a, b, c *vir.Value, form fusedForm) {
	negated := func(x *vir.Value) (*vir.Value, int) {
		if x.Op == alu.FNeg && x.Block == s.block && s.uses[x.ID] == 1 && s.regs[x.ID] == asm.NoReg {
			return x.Args[0], 1
		}
		return x, 0
	}
	a, na := negated(v.Args[0])
	b, nb := negated(v.Args[1])
	c, nc := negated(v.Args[2])
	return a, b, c, fusedForms[na^nb][nc]
}

// fma emits an FMA, which overwrites one of its operands: the register allocator coalesces
// that operand with the destination if it has its last use here.
func (s *selector) fma(v *vir.Value, d asm.Reg) {
	a, b, c, form := s.fmaOperands(v)
	t := v.Type
	if a.Op == vir.Const {
		a, b = b, a
	}
	op231 := byElem(t.Elem, form.op231[0], form.op231[1])
	op213 := byElem(t.Elem, form.op213[0], form.op213[1])
	if c.Op == vir.Const && a.Op != vir.Const {
		in := s.source(op213, c, d, s.reg(b)) // d = b*d + c
		s.move(d, s.reg(a))
		s.emit(in.Len(length(t)))
		return
	}
	if s.lastUse(a) && !s.lastUse(c) && a != c && a != b {
		x, y, z := s.reg(a), s.reg(b), s.reg(c)
		s.move(d, x)
		s.emit(asm.Make(op213, d, y, z).Len(length(t)))
		return
	}
	if s.loadInPlace(a, op231) != nil && s.loadInPlace(b, op231) == nil {
		a, b = b, a
	}
	in := s.source(op231, b, d, s.reg(a)) // d = a*b + d
	s.move(d, s.reg(c))
	s.emit(in.Len(length(t)))
}

// dotOps holds the instructions of dot products, which overwrite the third operand.
var dotOps = map[alu.Op]asm.Op{alu.DotUS: asm.VPDPBUSD, alu.DotUSSat: asm.VPDPBUSDS}

func (s *selector) dotProduct(v *vir.Value, d asm.Reg) {
	in := s.source(dotOps[v.Op], v.Args[1], d, s.reg(v.Args[0]))
	if c := v.Args[2]; c.Op == vir.Const && c.Const == 0 {
		s.emit(asm.Make(asm.ZEROV, d))
	} else {
		s.move(d, s.reg(c))
	}
	s.emit(in.Len(length(v.Type)))
}

// fmaUnder emits select(m, v, old), where v is an FMA and old the operand that it overwrites,
// as one masked instruction. It reports false if old is not such an operand.
func (s *selector) fmaUnder(v, old, m *vir.Value, d asm.Reg) bool {
	a, b, c, form := s.fmaOperands(v)
	if old == b {
		a, b = b, a
	}
	if old.Op == vir.Const || old != a && old != c {
		return false
	}
	op, x := form.op231, a // d = x*b + d
	if old == a {
		op, x = form.op213, c // d = b*d + x
	}
	k := s.reg(m)
	var in asm.Inst
	if old == a {
		in = s.source(byElem(v.Type.Elem, op[0], op[1]), x, d, s.reg(b))
	} else {
		in = s.source(byElem(v.Type.Elem, op[0], op[1]), b, d, s.reg(x))
	}
	s.move(d, s.reg(old))
	s.emit(in.Len(length(v.Type)).Merge(k))
	return true
}

// lastUse reports whether the operation being emitted is likely the last use of v.
func (s *selector) lastUse(v *vir.Value) bool {
	return v.Op != vir.Const && v.Op != vir.Param && v.Block == s.block && s.uses[v.ID] == 1
}

// minMax emits FMin and FMax, whose result is the other operand if one is NaN. The
// instructions return the second operand if either is NaN, so a replaces the result if b is
// NaN.
func (s *selector) minMax(v *vir.Value, d asm.Reg) {
	t := v.Type
	a, b := s.reg(v.Args[0]), s.reg(v.Args[1])
	op := byElem(t.Elem, asm.VMINPS, asm.VMINPD)
	if v.Op == alu.FMax {
		op = byElem(t.Elem, asm.VMAXPS, asm.VMAXPD)
	}
	s.emit(asm.Make(op, d, a, b).Len(length(t)))
	if c := v.Args[1]; c.Op == vir.Const && alu.Eval(alu.FEq, alu.I1, t.Elem, c.Const, c.Const, 0) == 1 {
		return // b is not NaN
	}
	if s.m.V3 {
		unordered := s.newReg(t)
		s.emit(asm.Make(byElem(t.Elem, asm.VCMPPSV, asm.VCMPPDV), unordered, b, b, asm.InImm).WithImm(asm.FloatUNO).Len(length(t)))
		s.emit(asm.Make(byElem(t.Elem, asm.VBLENDVPS, asm.VBLENDVPD), d, d, a, unordered).Len(length(t)))
		return
	}
	k := s.m.NewReg(asm.ClassMask)
	s.emit(asm.Make(byElem(t.Elem, asm.VCMPPS, asm.VCMPPD), k, b, b, asm.InImm).WithImm(asm.FloatUNO).Len(length(t)))
	move := asm.VMOVAPS
	if t.Elem == alu.F64 {
		move = asm.VMOVAPD
	}
	s.emit(asm.Make(move, d, a).Len(length(t)).Merge(k))
}

// signBit clears or flips the sign.
func (s *selector) signBit(v *vir.Value, d, k asm.Reg, zero bool) {
	t := v.Type
	bit := uint64(1) << (t.Elem.Bits() - 1)
	op, bits := byElem(t.Elem, asm.VPXORD, asm.VPXORQ), bit
	if v.Op == alu.FAbs {
		op, bits = byElem(t.Elem, asm.VPANDD, asm.VPANDQ), bit-1
	}
	sign := s.pooled(bits, t.Elem.Size()).Bcast()
	if s.m.V3 {
		sign = s.pooledLanes(t.Elem.Size(), slices.Repeat([]uint64{bits}, length(t).Bytes()/t.Elem.Size()))
	}
	in := asm.Make(op, d, s.reg(v.Args[0]), asm.InMem).WithMem(sign)
	s.emit(under(in.Len(length(t)), k, zero))
}

// selectLanes emits a blend. An operation without other uses runs under the mask itself:
// select(m, op, old) is op{k} on old, select(m, op, 0) is op{k}{z}.
func (s *selector) selectLanes(v *vir.Value, d asm.Reg) {
	m, yes, no := v.Args[0], v.Args[1], v.Args[2]
	if m.Type.Lanes == 1 {
		s.fail("no selection for a scalar condition over %s", v.Type)
		return
	}
	t := v.Type
	if s.single(yes) && s.foldable(yes, t) {
		k := s.reg(m)
		fold := s.vectorOp
		if yes.Op == vir.Splat {
			fold = s.splat
		}
		if no.Op == vir.Const && no.Const == 0 {
			fold(yes, d, k, true)
			return
		}
		old := s.reg(no)
		fold(yes, d, k, false)
		// Copy old to the destination just before the masked operation, after the
		// instructions that compute its operands.
		last := s.group[len(s.group)-1]
		for i := 1; i < len(last.Args); i++ {
			if last.Args[i] == old {
				last.Args[i] = d // the same, and old may end here
			}
		}
		s.group = append(s.group[:len(s.group)-1], x86.Move(d, old), last)
		return
	}
	if yes.Op == alu.FMA && s.single(yes) && s.fmaUnder(yes, no, m, d) {
		return
	}
	e := log2(t.Elem.Size())
	k := s.reg(m)
	if no.Op == vir.Const && no.Const == 0 {
		op := [4]asm.Op{asm.VMOVDQU8, asm.VMOVDQU16, asm.VMOVDQA32, asm.VMOVDQA64}[e]
		s.emit(asm.Make(op, d, s.reg(yes)).Len(length(t)).Zero(k))
		return
	}
	in := s.source(blend[e], yes, d, s.reg(no)).Len(length(t))
	in.K = k
	s.emit(in)
}

// foldable reports whether a blend may run v under its mask.
func (s *selector) foldable(v *vir.Value, t vir.Type) bool {
	if v.Op == vir.Splat {
		return v.Type.IsVec() && !(s.splatsInPlace(v) && !v.Args[0].Invariant) // the load must not move to the blend
	}
	if !v.Op.Pure() || !maskable(v.Op) {
		return false
	}
	e := log2(t.Elem.Size())
	if ops, ok := vectorInt[v.Op]; ok {
		return governs(ops[e], t.Elem)
	}
	return true
}

func (s *selector) vectorConvert(v *vir.Value, d asm.Reg) {
	a := v.Args[0]
	from, to := a.Type.Elem, v.Type.Elem
	wide := func(t alu.Type) int { return t.Bits() / 64 }
	widest := length(v.Type)
	if l := length(a.Type); l > widest {
		widest = l
	}
	ef, et := log2(max(from.Size(), 1)), log2(max(to.Size(), 1))
	if ops, ok := convertOps[v.Op]; ok {
		s.emit(asm.Make(ops[wide(from)][wide(to)], d, s.reg(a)).Len(widest))
		return
	}
	switch v.Op {
	case alu.ZExt, alu.SExt:
		if from == alu.I1 {
			s.fromMask(v, d, et)
			return
		}
		ops := zeroExtend
		if v.Op == alu.SExt {
			ops = signExtend
		}
		if v.Type.Bits() >= 128 && s.foldsWhole(a) {
			s.emit(asm.Make(ops[ef][et], d, asm.InMem).WithMem(s.address(a.Args[0], a.Disp)).Len(widest))
			return
		}
		s.emit(asm.Make(ops[ef][et], d, s.reg(a)).Len(widest))
	case alu.Trunc:
		s.emit(asm.Make(truncate[ef][et], d, s.reg(a)).Len(widest))
	case alu.FPExt:
		if from == alu.F16 {
			s.emit(asm.Make(asm.VCVTPH2PS, d, s.reg(a)).Len(widest))
			return
		}
		s.emit(asm.Make(asm.VCVTPS2PD, d, s.reg(a)).Len(widest))
	case alu.FPTrunc:
		if to == alu.F16 {
			s.emit(asm.Make(asm.VCVTPS2PH, d, s.reg(a), asm.InImm).WithImm(0).Len(widest))
			return
		}
		s.emit(asm.Make(asm.VCVTPD2PS, d, s.reg(a)).Len(widest))
	case alu.Bitcast:
		s.move(d, s.reg(a))
	default:
		s.fail("no vector selection for %s", vir.FormatValue(v))
	}
}

// fromMask extends a mask to elements of 0 and 1, or 0 and -1 if signed.
func (s *selector) fromMask(v *vir.Value, d asm.Reg, e int) {
	k := s.reg(v.Args[0])
	if v.Op == alu.SExt {
		s.emit(asm.Make(maskToVector[e], d, k).Len(length(v.Type)))
		return
	}
	one := s.pooled(1, v.Type.Elem.Size())
	s.emit(asm.Make(broadcastMem[e], d, asm.InMem).WithMem(one).Len(length(v.Type)).Zero(k))
}

// maskOp emits operations whose result is a mask: comparisons and logic.
func (s *selector) maskOp(v *vir.Value) {
	d := s.reg(v)
	in := alu.InfoOf(v.Op)
	switch {
	case v.Args[0].Type.IsMask():
		s.maskLogic(v, d)
	case v.Op == alu.Trunc || in.Class == alu.Compare:
		s.compareLanes(v, d, asm.NoReg, false)
	default:
		s.fail("no mask selection for %s", vir.FormatValue(v))
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
	emit := func(in asm.Inst) { s.emit(under(in.Len(length(t)), k, false)) }
	switch {
	case v.Op == alu.Trunc:
		test := testNonzero
		if negate {
			test = testZero
		}
		one := s.f.Const(t, 1)
		emit(s.source(test[log2(t.Elem.Size())], one, d, s.reg(v.Args[0])))
	case t.Elem.IsFloat():
		predicate := floatPredicates[v.Op]
		if negate {
			predicate = negatedFloat[v.Op]
		}
		x := s.reg(v.Args[0])
		cmp := s.source(byElem(t.Elem, asm.VCMPPS, asm.VCMPPD), v.Args[1], d, x)
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
	e := log2(t.Elem.Size())
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
		if x.Op == alu.And && s.single(x) {
			return s.source(test, x.Args[1], d, s.reg(x.Args[0]))
		}
		r := s.reg(x)
		return asm.Make(test, d, r, r)
	}
	in := s.source(op, y, d, s.reg(x))
	in.Args[3] = asm.InImm
	return in.WithImm(predicate)
}

// single reports whether v has a single use, in this block, whose instruction may include it.
func (s *selector) single(v *vir.Value) bool {
	return v.Op != vir.Const && v.Op != vir.Param && v.Block == s.block && s.uses[v.ID] == 1 && s.regs[v.ID] == asm.NoReg
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
		s.emit(asm.Make(asm.KMOVB, d, d))
		return
	}
	k := s.m.NewReg(asm.ClassMask)
	s.maskInto(k, lanes, true)
	s.emit(asm.Make(asm.KANDW, d, d, k))
}
