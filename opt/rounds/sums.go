package rounds

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// sum is a parameter of the header that rounds put something to, by one operation in
// any order of which the result is the same.
type sum struct {
	p  *kernel.Value
	op kernel.Op
	of map[*kernel.Value]bool // the values of the loop that p has become part of
}

// sumOf returns the sum that v is part of.
func (l *loop) sumOf(v *kernel.Value) *sum {
	for _, s := range l.sums {
		if s.of[v] {
			return s
		}
	}
	return nil
}

// sum returns p as a sum, nil if it is none.
func (l *loop) sum(p *kernel.Value) *sum {
	if !p.Type.IsInt() || p.Type.Bits() < 8 {
		return nil
	}
	s := &sum{p: p, of: map[*kernel.Value]bool{p: true}}
	for again := true; again; {
		again = false
		add := func(v *kernel.Value) {
			if !s.of[v] {
				s.of[v], again = true, true
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
	if !s.of[l.next(p)] {
		return nil
	}
	for v := range s.of {
		if !l.putsTogether(s, v) {
			return nil
		}
	}
	if s.op == alu.Invalid {
		return nil
	}
	return s
}

// putsTogether reports whether v is p, p with something put to it, or one of several
// such. A comparison of it, for a branch, is none of these; one that chooses the lesser
// or the greater is part of that.
func (l *loop) putsTogether(s *sum, v *kernel.Value) bool {
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
		op, ok := lesser(s, v)
		return ok && s.by(op)
	case v.Op == alu.Select:
		return in(v.Args[1]) && in(v.Args[2])
	case v.Op == alu.Sub:
		return in(v.Args[0]) && !in(v.Args[1]) && s.by(alu.Add)
	default:
		return alu.Combines(v.Op) && in(v.Args[0]) != in(v.Args[1]) && s.by(v.Op)
	}
	return true
}

// by makes op the operation of s and reports whether it can be.
func (s *sum) by(op kernel.Op) bool {
	if s.op == alu.Invalid {
		s.op = op
	}
	return s.op == op
}

// choosesOnly reports whether the comparison c is for nothing but for selects in the loop
// to choose the lesser or the greater by.
func (l *loop) choosesOnly(s *sum, c *kernel.Value) bool {
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		if b.Cond == c || slices.ContainsFunc(b.Edges, func(e kernel.Edge) bool { return slices.Contains(e.Args, c) }) {
			return false
		}
		for _, v := range b.Values {
			if slices.Contains(v.Args, c) {
				if _, ok := lesser(s, v); !ok {
					return false
				}
			}
		}
	}
	return true
}

// lesser returns the operation by which v, a select by the order of the same two numbers,
// of which one is of s, puts the other to it.
func lesser(s *sum, v *kernel.Value) (op kernel.Op, ok bool) {
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
