package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// maskLogic emits logic on masks.
func (s *selector) maskLogic(v *vir.Value, d asm.Reg) {
	a, b := v.Args[0], v.Args[1]
	switch v.Op {
	case alu.And:
		s.maskAnd(v, d)
	case alu.Or:
		s.Emit(asm.Make(maskOr.of(v.Type.Lanes), d, s.Reg(a), s.Reg(b)))
	case alu.Xor, alu.Ne:
		if x, ok := notMask(v); ok && v.Type.Lanes >= 8 {
			if isLaneTest(x) && s.Own(x) {
				s.compareLanes(x, d, asm.NoReg, true)
				return
			}
			s.Emit(asm.Make(maskComplement.exactly(v.Type.Lanes), d, s.Reg(x)))
			return
		}
		s.Emit(asm.Make(maskXor.of(v.Type.Lanes), d, s.Reg(a), s.Reg(b)))
	case alu.Eq:
		s.Emit(asm.Make(maskEqual.of(v.Type.Lanes), d, s.Reg(a), s.Reg(b)))
		if v.Type.Lanes < 16 {
			s.clearAbove(d, v.Type.Lanes)
		}
	default:
		s.Fail("no mask selection for %s", vir.FormatValue(v))
	}
}

// notMask returns x if v is the mask ^x.
func notMask(v *vir.Value) (x *vir.Value, ok bool) {
	if v.Op == alu.Xor && v.Type.IsMask() && v.Args[1].Op == vir.Const && v.Args[1].Const == 1 {
		return v.Args[0], true
	}
	return nil, false
}

// isLaneTest reports whether v is a mask that compareLanes computes.
func isLaneTest(v *vir.Value) bool {
	return v.Type.IsMask() && len(v.Args) > 0 && !v.Args[0].Type.IsMask() &&
		(v.Op == alu.Trunc && v.Args[0].Type.IsVec() || v.Op.Pure() && alu.InfoOf(v.Op).Class == alu.Compare)
}

// factor is an operand of a conjunction of masks: x, or ^x if negated.
type factor struct {
	x       *vir.Value
	negated bool
}

// maskAnd emits a conjunction. Comparisons without other uses run under the conjunction of
// the operands before them: first all other operands are joined, then each comparison
// narrows the mask, in the order of their value IDs.
func (s *selector) maskAnd(v *vir.Value, d asm.Reg) {
	var masks, tests []factor
	var grow func(x *vir.Value, top bool)
	grow = func(x *vir.Value, top bool) {
		if x.Op == alu.And && (top || s.Own(x)) {
			grow(x.Args[0], false)
			grow(x.Args[1], false)
			return
		}
		y, negated := notMask(x)
		switch {
		case isLaneTest(x) && s.Own(x):
			tests = append(tests, factor{x, false})
		case negated && s.Own(x) && isLaneTest(y) && s.Own(y):
			tests = append(tests, factor{y, true})
		case negated:
			masks = append(masks, factor{y, true})
		default:
			masks = append(masks, factor{x, false})
		}
	}
	grow(v, true)
	slices.SortStableFunc(tests, func(a, b factor) int { return a.x.ID - b.x.ID })
	steps := max(len(masks)-1, 0) + len(tests)
	if len(masks) > 0 && !slices.ContainsFunc(masks, func(f factor) bool { return !f.negated }) {
		steps++ // for the negation of the first
	}
	into := func() asm.Reg {
		if steps--; steps == 0 {
			return d
		}
		return s.NewReg(v.Type)
	}
	k := s.joinMasks(masks, into, v.Type)
	for _, t := range tests {
		if r := into(); k == asm.NoReg {
			s.compareLanes(t.x, r, asm.NoReg, t.negated)
			k = r
		} else {
			s.compareLanes(t.x, r, k, t.negated)
			k = r
		}
	}
}

// joinMasks emits the conjunction of masks; into returns the registers of the steps.
func (s *selector) joinMasks(masks []factor, into func() asm.Reg, t vir.Type) asm.Reg {
	if len(masks) == 0 {
		return asm.NoReg
	}
	// KANDN negates its first operand, so start with a mask that is not negated.
	first := slices.IndexFunc(masks, func(f factor) bool { return !f.negated })
	if first < 0 {
		k := s.Reg(masks[0].x)
		r := into()
		s.maskNot(r, k, t)
		masks = masks[1:]
		return s.andAll(r, masks, into)
	}
	k := s.Reg(masks[first].x)
	return s.andAll(k, slices.Delete(masks, first, first+1), into)
}

func (s *selector) andAll(k asm.Reg, masks []factor, into func() asm.Reg) asm.Reg {
	for _, m := range masks {
		x := s.Reg(m.x)
		r := into()
		if m.negated {
			s.Emit(asm.Make(maskAndNot.of(m.x.Type.Lanes), r, x, k))
		} else {
			s.Emit(asm.Make(maskAnd.of(m.x.Type.Lanes), r, k, x))
		}
		k = r
	}
	return k
}

// maskNot emits the complement of a mask, with the bits above the lanes clear.
func (s *selector) maskNot(d, k asm.Reg, t vir.Type) {
	if t.Lanes >= 8 {
		s.Emit(asm.Make(maskComplement.exactly(t.Lanes), d, k))
		return
	}
	ones := s.NewReg(t)
	s.maskInto(ones, t.Lanes, true)
	s.Emit(asm.Make(asm.KANDNW, d, k, ones))
}
