package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

func selectRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{alu.Select: {selectRule, selectExtended, selectMasks, selectMinMax}}
}

func selectRule(s *rewriter, v *vir.Value) *vir.Value {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case a == b || analysis.IsConst(c, 1):
		return a
	case analysis.IsZero(c):
		return b
	}
	if n := analysis.Negation(c); n != nil {
		return s.make(alu.Select, v.Type, n, b, a)
	}
	if a.Op == alu.Select && a.Args[0] == c {
		return s.make(alu.Select, v.Type, c, a.Args[1], b)
	}
	if b.Op == alu.Select && b.Args[0] == c {
		return s.make(alu.Select, v.Type, c, a, b.Args[2])
	}
	if b.Op == alu.Select && b.Args[1] == a && b.Args[0].Type == c.Type { // c ? a : (d ? a : e)
		return s.make(alu.Select, v.Type, s.make(alu.Or, c.Type, c, b.Args[0]), a, b.Args[2])
	}
	if c.Type.Lanes == 1 && a.Op == vir.Splat && b.Op == vir.Splat {
		return s.make(vir.Splat, v.Type, s.make(alu.Select, vir.Scalar(v.Type.Elem), c, a.Args[0], b.Args[0]))
	}
	if (a.Op == vir.VLoad && a.Args[1] == c || a.Op == vir.Gather && a.Args[2] == c) && analysis.IsZero(b) {
		return a // masked loads return zero in inactive lanes
	}
	if v.Type.Elem.IsInt() && analysis.IsConst(a, 1) && analysis.IsZero(b) && c.Type.Lanes == v.Type.Lanes {
		return s.make(alu.ZExt, v.Type, c)
	}
	return nil
}

// selectExtended selects before the extension, so that truncations and comparisons of the
// result stay in the small type.
func selectExtended(s *rewriter, v *vir.Value) *vir.Value {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	if (a.Op == alu.ZExt || a.Op == alu.SExt) && a.Args[0].Type == c.Type && analysis.IsZero(b) {
		return s.make(a.Op, v.Type, s.make(alu.And, c.Type, c, a.Args[0]))
	}
	if a.Op != b.Op || a.Op != alu.ZExt && a.Op != alu.SExt {
		return nil
	}
	x, y := a.Args[0], b.Args[0]
	if x.Type != y.Type || x.Type.Elem == alu.I1 {
		return nil
	}
	return s.make(a.Op, v.Type, s.make(alu.Select, x.Type, c, x, y))
}

// selectMasks rewrites selects of masks to logic.
func selectMasks(s *rewriter, v *vir.Value) *vir.Value {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	if v.Type.Elem != alu.I1 {
		return nil
	}
	if c.Type != v.Type {
		return nil
	}
	switch {
	case analysis.IsOnes(a) || a == c:
		return s.make(alu.Or, v.Type, c, b)
	case analysis.IsZero(b) || b == c:
		return s.make(alu.And, v.Type, c, a)
	case analysis.IsZero(a) || analysis.Complements(a, c):
		return s.make(alu.And, v.Type, b, s.not(c))
	case analysis.IsOnes(b) || analysis.Complements(b, c):
		return s.make(alu.Or, v.Type, a, s.not(c))
	}
	if p := lastOf(c, b); p != nil {
		return s.make(alu.Or, v.Type, s.make(alu.And, v.Type, c, a), s.not(p))
	}
	return nil
}

// lastOf returns p if c is p & q and b is ~(p & ~q). That pattern is left of x || (y && z) in
// the lanes c that evaluate z; p are the lanes without x.
func lastOf(c, b *vir.Value) *vir.Value {
	rest := analysis.Negation(b)
	if c.Op != alu.And || rest == nil || rest.Op != alu.And {
		return nil
	}
	for i, p := range c.Args {
		if q := analysis.Other(rest, alu.And, p); q != nil && analysis.Complements(q, c.Args[1-i]) {
			return p
		}
	}
	return nil
}

// selectMinMax rewrites selects by the order of their operands to minima and maxima, except
// for scalar integers, where a conditional move is as good. For floats only one form of the
// comparison is equivalent, since equal operands may differ in sign.
func selectMinMax(s *rewriter, v *vir.Value) *vir.Value {
	c := v.Args[0]
	op, ok := analysis.MinMax[c.Op]
	if !ok || !v.Type.IsVec() && c.Op != alu.FLt || c.Type.Lanes != v.Type.Lanes || c.Args[0].Type != v.Type {
		return nil
	}
	if op, ok := analysis.MinMaxOf(v); ok {
		return s.make(op, v.Type, v.Args[1], v.Args[2])
	}
	return s.selectAdjacent(v, op.Min, op.Max)
}

// selectAdjacent does the same for integers compared with a constant adjacent to the one that
// is selected: x < 8 ? x : 7 is min(x, 7).
func (s *rewriter) selectAdjacent(v *vir.Value, min, max vir.Op) *vir.Value {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	if c.Op == alu.FLt {
		return nil
	}
	x, y := c.Args[0], c.Args[1]
	signed := c.Op == alu.Slt || c.Op == alu.Sle
	strict := c.Op == alu.Slt || c.Op == alu.Ult
	mask := v.Type.Elem.Mask()
	lowest, highest := uint64(0), mask
	if signed {
		lowest, highest = mask>>1+1, mask>>1
	}
	// beside reports whether chosen is limit-1 (less) or limit+1, without wrapping.
	beside := func(limit, chosen *vir.Value, less bool) bool {
		if limit.Op != vir.Const || chosen.Op != vir.Const {
			return false
		}
		if less {
			return limit.Const != lowest && chosen.Const == (limit.Const-1)&mask
		}
		return limit.Const != highest && chosen.Const == (limit.Const+1)&mask
	}
	switch {
	case x == a && beside(y, b, strict): // x < y ? x : y-1, x <= y ? x : y+1
		return s.make(min, v.Type, a, b)
	case x == b && beside(y, a, strict): // x < y ? y-1 : x, x <= y ? y+1 : x
		return s.make(max, v.Type, a, b)
	case y == a && beside(x, b, !strict): // x < y ? y : x+1, x <= y ? y : x-1
		return s.make(max, v.Type, a, b)
	case y == b && beside(x, a, !strict): // x < y ? x+1 : y, x <= y ? x-1 : y
		return s.make(min, v.Type, a, b)
	}
	return nil
}
