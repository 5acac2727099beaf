package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

func compareRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{
		alu.Eq:  {equality},
		alu.Ne:  {equality},
		alu.Slt: {ordering},
		alu.Sle: {ordering},
		alu.Ult: {ordering},
		alu.Ule: {ordering},
	}
}

// boolean returns b in every lane.
func (s *rewriter) boolean(t vir.Type, b bool) *vir.Value {
	if b {
		return s.constant(t, 1)
	}
	return s.constant(t, 0)
}

// equality simplifies Eq and Ne.
func equality(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	eq := v.Op == alu.Eq
	holds := func(m *vir.Value, yes bool) *vir.Value { // m holds where the operands are equal (yes) or unequal
		if yes == eq {
			return m
		}
		return s.not(m)
	}
	if x == y {
		return s.boolean(v.Type, eq)
	}
	if analysis.Complements(x, y) {
		return s.boolean(v.Type, !eq)
	}
	if m := s.unextended(v); m != nil {
		return m
	}
	if y.Op != vir.Const {
		return nil
	}
	if x.Type.Elem == alu.I1 {
		return holds(x, analysis.IsOnes(y))
	}
	switch x.Op {
	case alu.Add: // x+c1 == c2
		if c := x.Args[1]; c.Op == vir.Const {
			return s.make(v.Op, v.Type, x.Args[0], s.constant(x.Type, y.Const-c.Const))
		}
	case alu.Xor:
		if c := x.Args[1]; c.Op == vir.Const {
			return s.make(v.Op, v.Type, x.Args[0], s.constant(x.Type, y.Const^c.Const))
		}
	case alu.Sub: // x-y == 0; a subtraction that is needed anyway sets the flags
		if analysis.IsZero(y) && !(x.Type.IsScalar() && s.hasSeveralUses(x)) {
			return s.make(v.Op, v.Type, x.Args[0], x.Args[1])
		}
	case alu.ZExt, alu.SExt:
		from := x.Args[0].Type
		small := y.Const & from.Elem.Mask()
		if alu.Eval(x.Op, x.Type.Elem, from.Elem, small, 0, 0) != y.Const {
			return s.boolean(v.Type, !eq)
		}
		return s.make(v.Op, v.Type, x.Args[0], s.constant(from, small))
	case alu.LShr: // x>>n == 0
		if n := x.Args[1]; analysis.IsZero(y) && n.Op == vir.Const && n.Const < uint64(min(x.Type.Elem.Bits(), 31)) && !s.hasSeveralUses(x) {
			return holds(s.make(alu.Ult, v.Type, x.Args[0], s.constant(x.Type, 1<<n.Const)), true)
		}
	case alu.Select:
		if m := s.equalsChoice(x, y, maxBlends); m != nil {
			return holds(m, true)
		}
	}
	return nil
}

// maxBlends bounds the length of a chain of selects that equalsChoice follows.
const maxBlends = 8

// equalsChoice returns the mask where a chain of selects of constants equals y, nil if the
// chain does not end in a constant. Block IPs are such chains: comparing them becomes mask
// logic.
func (s *rewriter) equalsChoice(x, y *vir.Value, limit int) *vir.Value {
	t := x.Type.With(alu.I1)
	for at, n := x, 0; at.Op != vir.Const; at, n = at.Args[2], n+1 {
		if at.Op != alu.Select || at.Args[1].Op != vir.Const || at.Args[0].Type != t || n == limit {
			return nil
		}
	}
	if x.Op == vir.Const {
		return s.boolean(t, x == y)
	}
	rest := s.equalsChoice(x.Args[2], y, limit)
	if x.Args[1] == y {
		return s.make(alu.Or, t, x.Args[0], rest)
	}
	return s.make(alu.And, t, rest, s.not(x.Args[0]))
}

// ordering simplifies comparisons with the ends of the value range.
func ordering(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	strict := v.Op == alu.Slt || v.Op == alu.Ult
	if x == y {
		return s.boolean(v.Type, !strict)
	}
	if m := s.unextended(v); m != nil {
		return m
	}
	if m := s.prefixOf(v); m != nil {
		return m
	}
	if m := s.extendedBit(v); m != nil {
		return m
	}
	top := x.Type.Elem.Mask()
	low, high := uint64(0), top
	if v.Op == alu.Slt || v.Op == alu.Sle {
		low, high = top>>1+1, top>>1
	}
	switch {
	case strict && (analysis.IsConst(y, low) || analysis.IsConst(x, high)):
		return s.boolean(v.Type, false)
	case !strict && (analysis.IsConst(x, low) || analysis.IsConst(y, high)):
		return s.boolean(v.Type, true)
	}
	return nil
}

// prefixOf turns a signed comparison of lane numbers with a number into a Prefix, whose lanes have the
// size that its users need.
func (s *rewriter) prefixOf(v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	if v.Op != alu.Slt || y.Op != vir.Splat || x.Type.Elem != alu.I64 {
		return nil
	}
	if x.Op == alu.ZExt {
		x = x.Args[0]
	}
	if x.Op != vir.Iota || x.Index < 0 || x.Type.Elem.Bits() < 32 {
		return nil
	}
	s.stats.Add("prefixes", 1)
	return s.makeAt(vir.Prefix, v.Type, x.Index, y.Args[0])
}

// extendedBit simplifies the comparison of an extended bit with a constant.
func (s *rewriter) extendedBit(v *vir.Value) *vir.Value {
	for i, x := range v.Args {
		c := v.Args[1-i]
		if x.Op != alu.ZExt && x.Op != alu.SExt || x.Args[0].Type.Elem != alu.I1 || c.Op != vir.Const {
			continue
		}
		holds := func(bit uint64) bool {
			args := [2]uint64{c.Const, c.Const}
			args[i] = alu.Eval(x.Op, x.Type.Elem, alu.I1, bit, 0, 0)
			return alu.Eval(v.Op, alu.I1, x.Type.Elem, args[0], args[1], 0) != 0
		}
		switch unset, set := holds(0), holds(1); {
		case unset == set:
			return s.boolean(v.Type, set)
		case set:
			return x.Args[0]
		default:
			return s.not(x.Args[0])
		}
	}
	return nil
}

// unextended compares two scalars without the extension that both have: a byte may then be
// compared in memory. Vectors keep the lane width that other operations need.
func (s *rewriter) unextended(v *vir.Value) *vir.Value {
	t := v.Args[0].Type
	if !t.IsScalar() || !t.Elem.IsInt() {
		return nil
	}
	how, x, from := extension(v.Args[0])
	other, y, too := extension(v.Args[1])
	if x == nil || y == nil || how != other || from != too {
		return nil
	}
	op := v.Op
	switch {
	case how == alu.ZExt && op == alu.Slt: // neither is negative
		op = alu.Ult
	case how == alu.ZExt && op == alu.Sle:
		op = alu.Ule
	}
	small := t.With(from)
	return s.make(op, v.Type, s.resize(x, small, how), s.resize(y, small, how))
}

// extension matches a scalar that is x, or its low bits, extended from a type by an
// extension, a mask or two shifts. x is nil if v is none of these.
func extension(v *vir.Value) (how vir.Op, x *vir.Value, from alu.Type) {
	bits := uint64(v.Type.Elem.Bits())
	switch v.Op {
	case alu.ZExt, alu.SExt:
		if x = v.Args[0]; x.Type.Elem != alu.I1 {
			return v.Op, x, x.Type.Elem
		}
	case alu.And:
		for _, from := range []alu.Type{alu.I8, alu.I16, alu.I32} {
			if analysis.IsConst(v.Args[1], from.Mask()) && uint64(from.Bits()) < bits {
				return alu.ZExt, v.Args[0], from
			}
		}
	case alu.AShr:
		l, n := v.Args[0], v.Args[1]
		if l.Op != alu.Shl || l.Args[1] != n || n.Op != vir.Const {
			break
		}
		for _, from := range []alu.Type{alu.I8, alu.I16, alu.I32} {
			if bits-n.Const == uint64(from.Bits()) {
				return alu.SExt, l.Args[0], from
			}
		}
	}
	return 0, nil, 0
}
