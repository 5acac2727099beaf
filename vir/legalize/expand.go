package legalize

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// expansion builds an operation with result type t on args from other operations. These
// are legalized as they are made, so their types may be wider than a register and they
// may be expanded in turn. It returns nil if it does not apply.
type expansion func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value

// expansions lists the expansions of an operation that a target lacks, in order of
// preference. scalarize is tried after all of them. The table is filled by init, as the
// functions refer to it.
var expansions map[vir.Op][]expansion

func init() {
	expansions = map[vir.Op][]expansion{
		alu.UDiv: {divSmall(false), div32(false), unsigned64},
		alu.SDiv: {divSmall(true), div32(true), signed64},
		alu.URem: {remainder(alu.UDiv)},
		alu.SRem: {remainder(alu.SDiv)},

		alu.Mul:    {promote(alu.Mul, alu.ZExt)},
		alu.UMulHi: {mulHiWide(alu.ZExt), mulHi64(false)},
		alu.SMulHi: {mulHiWide(alu.SExt), mulHi64(true)},

		alu.Shl:      {shiftWide(alu.Shl, alu.ZExt)},
		alu.LShr:     {shiftWide(alu.LShr, alu.ZExt)},
		alu.AShr:     {shiftWide(alu.AShr, alu.SExt), shiftSign},
		alu.Rotl:     {rotateShort, rotate},
		alu.Clz:      {clzWide, clzSmear},
		alu.Popcount: {popcount},

		alu.Abs:  {abs},
		alu.SMin: {minMax(alu.Slt, false)},
		alu.SMax: {minMax(alu.Slt, true)},
		alu.UMin: {minMax(alu.Ult, false)},
		alu.UMax: {minMax(alu.Ult, true)},

		alu.UAddSat: {unsignedSum},
		alu.USubSat: {unsignedDifference},
		alu.SAddSat: {signedSaturation(alu.Add)},
		alu.SSubSat: {signedSaturation(alu.Sub)},

		alu.DotUS:    {sumOfByteProducts(alu.Add)},
		alu.DotUSSat: {sumOfByteProducts(alu.SAddSat)},

		alu.Eq:  {eqMask, negated(alu.Ne, false)},
		alu.Ne:  {neMask, negated(alu.Eq, false)},
		alu.Slt: {negated(alu.Sle, true)},
		alu.Sle: {negated(alu.Slt, true)},
		alu.Ult: {negated(alu.Ule, true), flipSigns(alu.Slt)},
		alu.Ule: {negated(alu.Ult, true), flipSigns(alu.Sle)},
		alu.FNe: {negated(alu.FEq, false)},
		alu.FEq: {negated(alu.FNe, false)},

		alu.Select: {selectMask, selectBits},
		alu.Trunc:  {truncMask, stepwise(alu.Trunc)},
		alu.ZExt:   {extendMask(1), stepwise(alu.ZExt)},
		alu.SExt:   {extendMask(-1), stepwise(alu.SExt)},

		alu.FNeg:    {signBit(alu.Xor)},
		alu.FAbs:    {signBit(alu.And)},
		alu.FMin:    {floatMinMax(false)},
		alu.FMax:    {floatMinMax(true)},
		alu.PMin:    {pseudoMinMax(false)},
		alu.PMax:    {pseudoMinMax(true)},
		alu.FMA:     {fmaSingle},
		alu.FPToUI:  {floatToUnsigned},
		alu.UIToFP:  {unsignedToFloat, wordToDouble, wordToSingle, longToDouble(false)},
		alu.SIToFP:  {longToDouble(true)},
		alu.FPExt:   {halfToDouble},
		alu.FPTrunc: {doubleToHalf},
	}
}

// maxDepth bounds the nesting of expansions, which in practice is small.
const maxDepth = 24

// expand applies op, which the target lacks, to the values of one part.
func (l *legalizer) expand(op vir.Op, t vir.Type, xs []*vir.Value) (*vir.Value, error) {
	lacks := func() error {
		return fmt.Errorf("the target has neither %s on %s to %s nor an expansion of it", vir.InfoOf(op).Name, xs[len(xs)-1].Type, t)
	}
	if l.depth >= maxDepth {
		return nil, lacks()
	}
	l.depth++
	defer func() { l.depth-- }()
	args := make([]*vir.Value, len(xs))
	for i, x := range xs {
		args[i] = l.wrap(x)
	}
	for _, e := range append(expansions[op][:len(expansions[op]):len(expansions[op])], scalarize(op)) {
		v := e(l, t, args)
		if l.err != nil {
			return nil, l.err
		}
		if v != nil {
			return l.of(v)[0], nil
		}
	}
	return nil, lacks()
}

// old makes an operand for an expansion: a value of the function before legalization.
func (l *legalizer) old(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := &vir.Value{ID: len(l.parts), Op: op, Type: t, Args: args}
	l.parts = append(l.parts, nil)
	return v
}

// wrap makes an old value whose only part is x.
func (l *legalizer) wrap(x *vir.Value) *vir.Value {
	if x.Op == vir.Const {
		return l.constant(x.Type, x.Const)
	}
	v := l.old(x.Op, x.Type)
	l.parts[v.ID] = []*vir.Value{x}
	return v
}

// constant makes a constant, which like all values in expansions may be wide.
func (l *legalizer) constant(t vir.Type, bits uint64) *vir.Value {
	v := l.old(vir.Const, t)
	v.Const = bits & t.Elem.Mask()
	return v
}

// make adds an operation for an expansion and legalizes it. An error is stored in l.err
// and ends the expansion.
func (l *legalizer) make(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	return l.makeAt(op, t, 0, args...)
}

// makeAt is make with the attribute Index.
func (l *legalizer) makeAt(op vir.Op, t vir.Type, index int, args ...*vir.Value) *vir.Value {
	if l.t.VectorMasks {
		t, args = l.fitMasks(op, t, args)
	}
	if v := l.fold(op, t, args); v != nil {
		return v
	}
	if v := l.foldSplats(op, t, args); v != nil {
		return v
	}
	v := l.old(op, t, args...)
	v.Index = index
	if l.err == nil {
		l.parts[v.ID], l.err = l.value(v)
	}
	if l.err != nil {
		return l.constant(t, 0)
	}
	return v
}

// foldSplats computes an operation on the same integers in all lanes, such as on the amounts of shifts, as
// a scalar.
func (l *legalizer) foldSplats(op vir.Op, t vir.Type, args []*vir.Value) *vir.Value {
	switch op {
	case alu.Add, alu.Sub, alu.And, alu.ZExt:
	default:
		return nil
	}
	if l.err != nil || !t.IsVec() {
		return nil
	}
	xs := make([]*vir.Value, len(args))
	for i, a := range args {
		switch {
		case a.Op == vir.Const:
			xs[i] = l.constant(vir.Scalar(a.Type.Elem), a.Const)
		case a.Op == vir.Splat && a.Type.IsVec():
			xs[i] = l.wrap(l.of(a)[0].Args[0])
		default:
			return nil
		}
	}
	return l.make(vir.Splat, t, l.make(op, vir.Scalar(t.Elem), xs...))
}

// fold evaluates operations on constants.
func (l *legalizer) fold(op vir.Op, t vir.Type, args []*vir.Value) *vir.Value {
	if !op.Pure() && op != vir.Splat && op != vir.Extract {
		return nil
	}
	var x [3]uint64
	for i, a := range args {
		if a.Op != vir.Const {
			return nil
		}
		x[i] = a.Const
	}
	if !op.Pure() {
		return l.constant(t, x[0])
	}
	return l.constant(t, alu.Eval(op, t.Elem, args[len(args)-1].Type.Elem, x[0], x[1], x[2]))
}

// has reports whether the target has a pure operation on these operands.
func (l *legalizer) has(op vir.Op, t vir.Type, args ...*vir.Value) bool {
	arg := args[len(args)-1].Type
	if alu.InfoOf(op).Class == alu.Choose {
		arg = t
	}
	return l.t.Has(op, arg, t) || l.hasWith(op, arg, args[len(args)-1])
}

// hasWith reports whether the target has op of t in addition because of its last operand.
func (l *legalizer) hasWith(op vir.Op, t vir.Type, last *vir.Value) bool {
	return l.t.HasImmediate != nil && last.Op == vir.Const && l.t.HasImmediate(op, t) ||
		l.t.HasUniform != nil && last.Op == vir.Splat && l.t.HasUniform(op, t)
}

// hasShift reports whether the target has the shift op of t by n.
func (l *legalizer) hasShift(op vir.Op, t vir.Type, n *vir.Value) bool {
	part := vir.Type{Elem: t.Elem, Lanes: l.lanes(t)}
	return l.hasOn(op, t, t.Elem) || l.hasWith(op, part, n)
}

// hasShifts reports whether the target has the shift op of t by constants.
func (l *legalizer) hasShifts(op vir.Op, t vir.Type) bool { return l.hasShift(op, t, l.constant(t, 1)) }

// hasOn reports whether the target has op on parts of type t with result elements of type
// to.
func (l *legalizer) hasOn(op vir.Op, t vir.Type, to alu.Type) bool {
	n := min(l.lanes(t), l.lanes(t.With(to)))
	return l.t.Has(op, vir.Type{Elem: t.Elem, Lanes: n}, vir.Type{Elem: to, Lanes: n})
}

// double returns the integer type of twice the width.
func double(t vir.Type) vir.Type { return t.With(alu.IntOf(2 * t.Elem.Bits())) }

// scalarize computes op lane by lane with the target's scalar operation, or an expansion
// of that.
func scalarize(op vir.Op) expansion {
	return func(l *legalizer, t vir.Type, args []*vir.Value) *vir.Value {
		if t.Lanes == 1 {
			return nil
		}
		// Insert does not apply to masks: build a vector of 0 and 1 and compare it.
		elem := t.Elem
		if t.IsMask() {
			elem = alu.I32
		}
		acc := l.constant(t.With(elem), 0)
		for i := range t.Lanes {
			xs := make([]*vir.Value, len(args))
			for j, a := range args {
				xs[j] = l.makeAt(vir.Extract, vir.Scalar(a.Type.Elem), i, a)
			}
			x := l.make(op, vir.Scalar(t.Elem), xs...)
			if t.IsMask() {
				x = l.make(alu.ZExt, vir.Scalar(elem), x)
			}
			acc = l.makeAt(vir.Insert, acc.Type, i, acc, x)
		}
		if t.IsMask() {
			return l.resized(l.make(alu.Ne, t, acc, l.constant(acc.Type, 0)), t.LaneBits())
		}
		return acc
	}
}
