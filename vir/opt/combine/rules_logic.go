package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// logicRules simplifies and, or and xor, of integers and of masks.
func logicRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{
		alu.And: {andRule, logicOfExtended},
		alu.Or:  {orRule, logicOfExtended},
		alu.Xor: {xorRule, logicOfExtended},
	}
}

func (s *rewriter) not(x *vir.Value) *vir.Value {
	return s.make(alu.Xor, x.Type, x, s.constant(x.Type, ^uint64(0)))
}

// otherOfComplement returns y if v is op(~x, y) or op(y, ~x), else nil.
func otherOfComplement(v *vir.Value, op vir.Op, x *vir.Value) *vir.Value {
	switch {
	case v.Op != op:
		return nil
	case analysis.Complements(v.Args[0], x):
		return v.Args[1]
	case analysis.Complements(v.Args[1], x):
		return v.Args[0]
	}
	return nil
}

// disjoint reports whether x and y, read as conjunctions, have operands that are complements
// of each other.
func disjoint(x, y *vir.Value) bool {
	for _, a := range factors(x) {
		for _, b := range factors(y) {
			if analysis.Complements(a, b) {
				return true
			}
		}
	}
	return false
}

func factors(x *vir.Value) []*vir.Value {
	if x.Op == alu.And {
		return x.Args
	}
	return []*vir.Value{x}
}

func andRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case analysis.IsOnes(y) || x == y:
		return x
	case analysis.IsZero(y):
		return y
	case y.Op == vir.Const:
		return s.regroup(v)
	case disjoint(x, y): // x & ~x, (a&x) & (b&~x)
		return s.constant(v.Type, 0)
	}
	for range 2 {
		switch {
		case analysis.Other(y, alu.Or, x) != nil: // x & (x|z)
			return x
		case analysis.Other(y, alu.And, x) != nil: // x & (x&z)
			return y
		}
		if z := otherOfComplement(y, alu.Or, x); z != nil { // x & (~x|z)
			return s.make(alu.And, v.Type, x, z)
		}
		if n := analysis.Negation(y); n != nil {
			if z := analysis.Other(n, alu.And, x); z != nil { // x & ~(x&z)
				return s.make(alu.And, v.Type, x, s.not(z))
			}
			if analysis.Other(n, alu.Or, x) != nil { // x & ~(x|z)
				return s.constant(v.Type, 0)
			}
			if disjoint(x, n) { // (a&x) & ~(b&~x)
				return x
			}
		}
		x, y = y, x
	}
	return nil
}

func orRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case analysis.IsZero(y) || x == y:
		return x
	case analysis.IsOnes(y):
		return y
	case analysis.Complements(x, y):
		return s.constant(v.Type, ^uint64(0))
	case y.Op == vir.Const:
		return s.regroup(v)
	}
	for range 2 {
		switch {
		case analysis.Other(y, alu.And, x) != nil: // x | (x&z)
			return x
		case analysis.Other(y, alu.Or, x) != nil: // x | (x|z)
			return y
		case otherOfComplement(y, alu.Or, x) != nil: // x | (~x|z)
			return s.constant(v.Type, ^uint64(0))
		}
		if z := otherOfComplement(y, alu.And, x); z != nil { // x | (~x&z)
			return s.make(alu.Or, v.Type, x, z)
		}
		x, y = y, x
	}
	if x.Op == alu.And && y.Op == alu.And { // (a&b) | (a&~b): both sides of a branch reconverge
		for i, a := range x.Args {
			if z := analysis.Other(y, alu.And, a); z != nil && analysis.Complements(x.Args[1-i], z) {
				return a
			}
		}
	}
	return nil
}

func xorRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case analysis.IsZero(y):
		return x
	case x == y:
		return s.constant(v.Type, 0)
	case analysis.Complements(x, y):
		return s.constant(v.Type, ^uint64(0))
	case y.Op == vir.Const:
		if r := s.regroup(v); r != nil || !analysis.IsOnes(y) || v.Type.IsVec() {
			return r
		}
		// On vectors a complement is free (vpternlog); scalars use a subtraction.
		if x.Op == alu.Sub && analysis.IsZero(x.Args[0]) { // ~(0-z) is z-1
			return s.make(alu.Add, v.Type, x.Args[1], y)
		}
	case !v.Type.IsVec() && lowestBit(y) == x: // x ^ (x & -x)
		return s.make(alu.And, v.Type, x, s.make(alu.Add, v.Type, x, s.constant(v.Type, ^uint64(0))))
	case !v.Type.IsVec() && lowestBit(x) == y:
		return s.make(alu.And, v.Type, y, s.make(alu.Add, v.Type, y, s.constant(v.Type, ^uint64(0))))
	}
	return nil
}

// lowestBit returns x if v is x & -x, else nil.
func lowestBit(v *vir.Value) *vir.Value {
	if v.Op != alu.And {
		return nil
	}
	for i, x := range v.Args {
		if n := v.Args[1-i]; n.Op == alu.Sub && analysis.IsZero(n.Args[0]) && n.Args[1] == x {
			return x
		}
	}
	return nil
}

// regroup merges the constants of op(op(x, c1), c2) for an associative and commutative op.
func (s *rewriter) regroup(v *vir.Value) *vir.Value {
	x, c := v.Args[0], v.Args[1]
	if x.Op != v.Op || x.Args[1].Op != vir.Const || c.Op != vir.Const {
		return nil
	}
	bits := alu.Eval(v.Op, v.Type.Elem, v.Type.Elem, x.Args[1].Const, c.Const, 0)
	return s.make(v.Op, v.Type, x.Args[0], s.constant(v.Type, bits))
}

// logicOfExtended rewrites op(ext(x), ext(y)) to ext(op(x, y)) for single bits x and y.
func logicOfExtended(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if x.Op != y.Op || x.Op != alu.SExt && x.Op != alu.ZExt || x.Args[0].Type.Elem != alu.I1 || y.Args[0].Type.Elem != alu.I1 {
		return nil
	}
	return s.make(x.Op, v.Type, s.make(v.Op, x.Args[0].Type, x.Args[0], y.Args[0]))
}
