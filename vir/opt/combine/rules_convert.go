package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

func convertRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{
		alu.Trunc:   {truncRule, narrowRule},
		alu.ZExt:    {zextRule},
		alu.SExt:    {sextRule},
		alu.FPTrunc: {inverseRule(alu.FPExt)},
		alu.SIToFP:  {extractToFloat},
		alu.UIToFP:  {extractToFloat},
		alu.Bitcast: {bitcastRule},
	}
}

// resize extends or truncates x to t.
func (s *rewriter) resize(x *vir.Value, t vir.Type, extend vir.Op) *vir.Value {
	switch from, to := x.Type.Elem.Bits(), t.Elem.Bits(); {
	case from == to:
		return x
	case from < to:
		return s.make(extend, t, x)
	}
	return s.make(alu.Trunc, t, x)
}

func truncRule(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	switch x.Op {
	case alu.Trunc:
		return s.make(alu.Trunc, v.Type, x.Args[0])
	case alu.ZExt, alu.SExt:
		return s.resize(x.Args[0], v.Type, x.Op)
	case alu.And: // the mask clears only truncated bits
		if c := x.Args[1]; c.Op == vir.Const && c.Const&v.Type.Elem.Mask() == v.Type.Elem.Mask() {
			return s.make(alu.Trunc, v.Type, x.Args[0])
		}
	}
	return nil
}

// narrowRule computes in the small type if all operands were extended from it.
func narrowRule(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	switch x.Op {
	case alu.Add, alu.Sub, alu.Mul, alu.And, alu.Or, alu.Xor:
	default:
		return nil
	}
	if v.Type.Elem == alu.I1 {
		return nil
	}
	var args []*vir.Value
	for _, a := range x.Args {
		switch {
		case a.Op == vir.Const:
			a = s.constant(v.Type, a.Const)
		case (a.Op == alu.ZExt || a.Op == alu.SExt) && a.Args[0].Type == v.Type:
			a = a.Args[0]
		default:
			return nil
		}
		args = append(args, a)
	}
	return s.make(x.Op, v.Type, args...)
}

func zextRule(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	switch {
	case x.Op == alu.ZExt:
		return s.make(alu.ZExt, v.Type, x.Args[0])
	case x.Op == alu.Trunc && x.Args[0].Type.Elem.Bits() >= v.Type.Elem.Bits():
		wide := s.resize(x.Args[0], v.Type, alu.ZExt)
		return s.make(alu.And, v.Type, wide, s.constant(v.Type, x.Type.Elem.Mask()))
	case x.Op == alu.Shl && v.Type.IsScalar() && !s.hasSeveralUses(x) && keepsBits(x): // enables merging of shifts
		s.stats.Add("shifts widened", 1)
		return s.make(alu.Shl, v.Type, s.make(alu.ZExt, v.Type, x.Args[0]), s.constant(v.Type, x.Args[1].Const))
	case x.Op == alu.UMin || x.Op == alu.UMax:
		return s.extendMinMax(v)
	}
	return nil
}

// keepsBits reports whether the shift v loses no bits that may be set.
func keepsBits(v *vir.Value) bool {
	x, n := v.Args[0], v.Args[1]
	return n.Op == vir.Const && n.Const < uint64(v.Type.Elem.Bits()) && mayBeSet(x, 4)<<n.Const&^v.Type.Elem.Mask() == 0
}

func sextRule(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	switch {
	case x.Op == alu.ZExt || x.Op == alu.SExt:
		return s.make(x.Op, v.Type, x.Args[0])
	case s.isNonnegative(x) && (x.Op == vir.Load || s.signs && s.existing(v) == nil): // a load zero-extends for free
		s.stats.Add("sign extensions removed", 1)
		return s.make(alu.ZExt, v.Type, x)
	case x.Op == alu.SMin || x.Op == alu.SMax:
		return s.extendMinMax(v)
	}
	return nil
}

// extendMinMax rewrites ext(min(x, y)) to min(ext(x), ext(y)) for scalars that are too short
// for a comparison.
func (s *rewriter) extendMinMax(v *vir.Value) *vir.Value {
	x := v.Args[0]
	if !v.Type.IsScalar() || x.Type.Elem.Bits() > 16 || s.hasSeveralUses(x) {
		return nil
	}
	return s.make(x.Op, v.Type, s.make(v.Op, v.Type, x.Args[0]), s.make(v.Op, v.Type, x.Args[1]))
}

// extractToFloat converts an integer to float before it is extracted from a vector, which saves
// a move to a scalar register and back.
func extractToFloat(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	if x.Op != vir.Extract || s.hasSeveralUses(x) || x.Type.Elem != alu.I32 || v.Type.Elem != alu.F32 {
		return nil
	}
	from := x.Args[0]
	return s.makeAt(vir.Extract, v.Type, x.Index, s.make(v.Op, from.Type.With(alu.F32), from))
}

// inverseRule removes a conversion that undoes the exact conversion op.
func inverseRule(op vir.Op) rule {
	return func(s *rewriter, v *vir.Value) *vir.Value {
		if x := v.Args[0]; x.Op == op && x.Args[0].Type == v.Type {
			return x.Args[0]
		}
		return nil
	}
}

func bitcastRule(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	switch {
	case x.Op != alu.Bitcast:
		return nil
	case x.Args[0].Type == v.Type:
		return x.Args[0]
	}
	return s.make(alu.Bitcast, v.Type, x.Args[0])
}
