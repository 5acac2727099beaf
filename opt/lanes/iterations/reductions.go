package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// sum is a reduction: a parameter of the header that iterations combine with other values
// by one associative and commutative operation.
type sum struct {
	p  *kernel.Value
	op kernel.Op
	of map[*kernel.Value]bool // the values of the loop that depend on p
}

// sumOf returns the reduction that v belongs to.
func (l *loop) sumOf(v *kernel.Value) *sum {
	for _, s := range l.sums {
		if s.of[v] {
			return s
		}
	}
	return nil
}

// sum returns p as a reduction, or nil.
func (l *loop) sum(p *kernel.Value) *sum {
	if !(p.Type.IsInt() && p.Type.Bits() >= 8 || p.Type.IsFloat() && l.f.Reassociate) {
		return nil
	}
	s := &sum{p: p, of: map[*kernel.Value]bool{p: true}}
	for changed := true; changed; {
		changed = false
		add := func(v *kernel.Value) {
			if !s.of[v] {
				s.of[v], changed = true, true
			}
		}
		for _, id := range l.cycle.Blocks {
			b := l.f.Blocks[id]
			for _, v := range b.Values {
				if slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return s.of[a] }) {
					add(v)
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					if s.of[a] && l.inside(e.To) {
						add(e.To.Params[i])
					}
				}
			}
		}
	}
	if !s.of[l.passed(p)] {
		return nil
	}
	for v := range s.of {
		if !l.combines(s, v) {
			return nil
		}
	}
	if s.op == alu.Invalid {
		return nil
	}
	return s
}

// combines reports whether v is p, p combined with another value, or a choice of such
// values. It accepts a comparison only if selects use it as a minimum or maximum.
func (l *loop) combines(s *sum, v *kernel.Value) bool {
	in := func(a *kernel.Value) bool { return s.of[a] }
	switch {
	case alu.InfoOf(v.Op).Class == alu.Compare:
		return l.choosesOnly(s, v)
	case v.Type != s.p.Type:
		return false
	case v == s.p:
	case v.Op == kernel.Param && v.Block == l.header:
		return false
	case v.Op == kernel.Param:
		for _, e := range l.in[v.Block.ID] {
			if !in(e.Edge().Args[v.Index]) {
				return false
			}
		}
	case v.Op == alu.Select && in(v.Args[0]):
		op, ok := minMax(s, v)
		return ok && s.by(op)
	case v.Op == alu.Select:
		return in(v.Args[1]) && in(v.Args[2])
	case v.Op == alu.Sub:
		return in(v.Args[0]) && !in(v.Args[1]) && s.by(alu.Add)
	case v.Op == alu.FSub:
		return in(v.Args[0]) && !in(v.Args[1]) && s.by(alu.FAdd)
	case v.Op == alu.FMA:
		return !in(v.Args[0]) && !in(v.Args[1]) && s.by(alu.FAdd)
	default:
		return (alu.Combines(v.Op) || alu.CombinesFloats(v.Op)) && in(v.Args[0]) != in(v.Args[1]) && s.by(v.Op)
	}
	return true
}

// by sets the operation of s and reports whether it agrees with the previous one.
func (s *sum) by(op kernel.Op) bool {
	if s.op == alu.Invalid {
		s.op = op
	}
	return s.op == op
}

// choosesOnly reports whether the only uses of comparison c are selects that compute a
// minimum or maximum.
func (l *loop) choosesOnly(s *sum, c *kernel.Value) bool {
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		if b.Cond == c || slices.ContainsFunc(b.Edges, func(e kernel.Edge) bool { return slices.Contains(e.Args, c) }) {
			return false
		}
		for _, v := range b.Values {
			if slices.Contains(v.Args, c) {
				if _, ok := minMax(s, v); !ok {
					return false
				}
			}
		}
	}
	return true
}

// minMax returns the minimum or maximum that v computes, a select by the order of its two
// operands, exactly one of which belongs to s.
func minMax(s *sum, v *kernel.Value) (op kernel.Op, ok bool) {
	if v.Op != alu.Select {
		return alu.Invalid, false
	}
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	ops, ok := map[kernel.Op][2]kernel.Op{
		alu.Slt: {alu.SMin, alu.SMax}, alu.Sle: {alu.SMin, alu.SMax}, alu.Ult: {alu.UMin, alu.UMax}, alu.Ule: {alu.UMin, alu.UMax},
	}[c.Op]
	if !ok || s.of[a] == s.of[b] {
		return alu.Invalid, false
	}
	switch {
	case c.Args[0] == a && c.Args[1] == b:
		return ops[0], true
	case c.Args[0] == b && c.Args[1] == a:
		return ops[1], true
	}
	return alu.Invalid, false
}
