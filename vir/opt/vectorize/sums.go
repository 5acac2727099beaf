package vectorize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// sum matches the operations that update p.
func (r *reduction) sum(p *vir.Value) (s sum, ok bool) {
	next := r.lp.Next(p)
	s = sum{p: p, op: next.Op}
	if y, _, _ := r.conditional(next); y != nil {
		s.op = y.Op
	}
	if s.op == alu.Sub {
		s.op = alu.Add
	}
	if !alu.Combines(s.op) || !p.Type.IsScalar() || !p.Type.Elem.IsInt() {
		return s, false
	}
	combines := func(v *vir.Value) bool { return v.Op == s.op || v.Op == alu.Sub && s.op == alu.Add }
	v, users := next, 1
	for v != p {
		if r.lp.Outside(v) || r.users(v) != users {
			return s, false
		}
		if y, z, unless := r.conditional(v); y != nil && combines(y) && r.users(y) == 1 {
			x := y.Args[1]
			if x == z {
				x = y.Args[0]
			}
			s.terms = append(s.terms, added{x, y.Op == alu.Sub, v.Args[0], unless})
			v, users = z, 2 // y and the select
			continue
		}
		own := 0 // the operand that leads to p
		switch {
		case !combines(v):
			return s, false
		case v.Op != alu.Sub && !r.isCombinationOf(v.Args[0], p, s.op):
			own = 1
		}
		s.terms = append(s.terms, added{x: v.Args[1-own], minus: v.Op == alu.Sub})
		v, users = v.Args[own], 1
	}
	return s, r.users(p) == users
}

// conditional matches v = select(c, y, z), where y combines z with another value; unless is set
// if y is the operand for a false condition.
func (r *reduction) conditional(v *vir.Value) (y, z *vir.Value, unless bool) {
	if v.Op != alu.Select || r.lp.Outside(v) {
		return nil, nil, false
	}
	for i, y := range v.Args[1:] {
		z := v.Args[2-i]
		if r.lp.Outside(y) || !alu.Combines(y.Op) && y.Op != alu.Sub {
			continue
		}
		if y.Args[0] == z || y.Op != alu.Sub && y.Args[1] == z {
			return y, z, i == 1
		}
	}
	return nil, nil, false
}

// selectsToMinMax turns selects by order in the update of lp's parameters into minima and maxima, which
// can be vectorized. undo restores the selects.
func selectsToMinMax(lp *analysis.SimpleLoop, uses [][]analysis.Use) (undo func()) {
	undo = func() {}
	if lp == nil {
		return undo
	}
	for _, p := range lp.Head.Params {
		for v := lp.Next(p); v.Op == alu.Select && !lp.Outside(v); {
			c := v.Args[0]
			if c.Op == alu.FLt || analysis.MinMax[c.Op].Min == 0 || c.Args[0].Type != v.Type || lp.Outside(c) || len(uses[c.ID]) != 1 {
				break
			}
			op, ok := analysis.MinMaxOf(v)
			if !ok {
				break
			}
			selected, args, before := v, v.Args, undo
			ofArgs := [2][]analysis.Use{uses[args[1].ID], uses[args[2].ID]}
			undo = func() {
				selected.Op, selected.Args = alu.Select, args
				uses[args[1].ID], uses[args[2].ID] = ofArgs[0], ofArgs[1]
				before()
			}
			v.Op, v.Args = op, args[1:]
			for i, a := range v.Args {
				uses[a.ID] = slices.DeleteFunc(slices.Clone(ofArgs[i]), func(u analysis.Use) bool { return u.By == c })
			}
			if v = v.Args[0]; v == p || v.Op != alu.Select {
				v = selected.Args[1]
			}
		}
	}
	return undo
}

// isCombinationOf reports whether v is p, or a combination of p and terms.
func (r *reduction) isCombinationOf(v, p *vir.Value, op vir.Op) bool {
	for !r.lp.Outside(v) {
		if y, z, _ := r.conditional(v); y != nil {
			v = z
			continue
		}
		switch {
		case v == p:
			return true
		case v.Op == vir.Param || v.Op != op && !(v.Op == alu.Sub && op == alu.Add):
			return false
		case v.Op != alu.Sub && r.isCombinationOf(v.Args[1], p, op):
			return true
		}
		v = v.Args[0]
	}
	return false
}

// users counts the uses of v in the loop.
func (r *reduction) users(v *vir.Value) (n int) {
	for _, u := range r.uses[v.ID] {
		if u.Block == r.lp.Latch || u.Block == r.lp.Head && u.By != nil {
			n++
		}
	}
	return n
}
