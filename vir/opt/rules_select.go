package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

func selectRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{alu.Select: {selectRule, selectMasks}}
}

func selectRule(s *rewriter, v *vir.Value) *vir.Value {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	switch {
	case a == b || isConst(c, 1):
		return a
	case isZero(c):
		return b
	}
	if n := negation(c); n != nil {
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
	if v.Type.Elem.IsInt() && isConst(a, 1) && isZero(b) && c.Type.Lanes == v.Type.Lanes {
		return s.make(alu.ZExt, v.Type, c)
	}
	return nil
}

// selectMasks makes choices between masks logic.
func selectMasks(s *rewriter, v *vir.Value) *vir.Value {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	if v.Type.Elem != alu.I1 {
		return nil
	}
	if c.Type != v.Type {
		return nil
	}
	switch {
	case isOnes(a) || a == c:
		return s.make(alu.Or, v.Type, c, b)
	case isZero(b) || b == c:
		return s.make(alu.And, v.Type, c, a)
	case isZero(a) || complements(a, c):
		return s.make(alu.And, v.Type, b, s.not(c))
	case isOnes(b) || complements(b, c):
		return s.make(alu.Or, v.Type, a, s.not(c))
	}
	return nil
}
