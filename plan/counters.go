package plan

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// amount is an estimate of an uncertain number: its mean and its maximum.
type amount struct{ mean, max float64 }

// numbers estimates v if it is a constant, one of several, or a number from a known range.
func (w *flow) numbers(v *vir.Value, depth int) (s amount, ok bool) {
	if depth == 0 {
		return s, false
	}
	if n := extent(v, depth); n > 0 {
		return amount{(n - 1) / 2, n - 1}, true
	}
	switch v.Op {
	case vir.Const:
		x := float64(v.Signed())
		return amount{x, x}, v.Type.Elem.IsInt()
	case vir.Splat, alu.ZExt, alu.SExt, alu.Trunc:
		return w.numbers(v.Args[0], depth-1)
	case alu.Add:
		s, ok = w.numbers(v.Args[0], depth-1)
		t, also := w.numbers(v.Args[1], depth-1)
		return amount{s.mean + t.mean, s.max + t.max}, ok && also
	case alu.SMin, alu.UMin:
		if limit := v.Args[1]; limit.Op == vir.Const {
			x := float64(limit.Signed())
			if s, ok = w.numbers(v.Args[0], depth-1); ok && x >= 0 && x < s.max {
				s = amount{min(s.mean, x-x*(x+1)/(2*(s.max+1))), x}
			}
			return s, ok
		}
	case alu.Select:
		s, ok = w.numbers(v.Args[1], depth-1)
		t, also := w.numbers(v.Args[2], depth-1)
		return amount{(s.mean + t.mean) / 2, max(s.max, t.max)}, ok && also
	case vir.Param:
		if c := w.blockLoop[v.Block.ID]; c != nil && c.Header == v.Block.ID || len(w.passed[v.ID]) == 0 {
			return s, false
		}
		for _, a := range w.passed[v.ID] {
			t, ok := w.numbers(a, depth-1)
			if !ok {
				return s, false
			}
			s = amount{s.mean + t.mean/float64(len(w.passed[v.ID])), max(s.max, t.max)}
		}
		return s, true
	}
	return s, false
}

// limited estimates the trip count of c if b exits c through a counter that runs from a
// constant to an estimated number, or from an estimated number to a constant.
func (w *flow) limited(c *cfg.Cycle, b *vir.Block) (times amount, ok bool) {
	stay := slices.IndexFunc(b.Edges, func(e vir.Edge) bool { return w.loops.Contains(c, e.To.ID) })
	if stay < 0 || w.loops.Contains(c, b.Edges[1-stay].To.ID) {
		return times, false
	}
	conditions := []*vir.Value{b.Cond}
	if b.Cond.Op == vir.Any && stay == 0 {
		conditions = conjuncts(nil, b.Cond.Args[0])
	}
	for _, v := range conditions {
		if alu.InfoOf(v.Op).Class != alu.Compare {
			continue
		}
		for i, x := range v.Args {
			if times, ok = w.until(c, x, v.Args[1-i]); ok {
				strict, inclusive := v.Op == alu.Slt || v.Op == alu.Ult, v.Op == alu.Sle || v.Op == alu.Ule
				if stay == 0 && inclusive || stay == 1 && strict { // the limit has an iteration of its own
					times.mean, times.max = times.mean+1, times.max+1
				}
				return times, true
			}
		}
	}
	return times, false
}

// until estimates how often the header of c runs until x, a counter of it, reaches limit.
func (w *flow) until(c *cfg.Cycle, x, limit *vir.Value) (times amount, ok bool) {
	plus := 0.0
	for x = converted(x); x.Op == alu.Add && x.Args[1].Op == vir.Const; x = converted(x.Args[0]) {
		plus += float64(x.Args[1].Signed())
	}
	if x.Op != vir.Param || x.Block.ID != c.Header {
		return times, false
	}
	var begin *vir.Value
	step := 0.0
	for _, a := range w.passed[x.ID] {
		inside := a.Block != nil && w.loops.Contains(c, a.Block.ID)
		if a.Op == alu.Select && inside { // lanes that have exited keep their value
			a = a.Args[1]
		}
		if inside {
			a = converted(a)
		}
		switch {
		case inside && a.Op == alu.Add && converted(a.Args[0]) == x && a.Args[1].Op == vir.Const && (step == 0 || step == float64(a.Args[1].Signed())):
			step = float64(a.Args[1].Signed())
		case inside || begin != nil && begin != a:
			return times, false
		default:
			begin = a
		}
	}
	if begin == nil || step == 0 {
		return times, false
	}
	const depth = 6
	from, known := w.numbers(begin, depth)
	to, also := w.numbers(limit, depth)
	if !known || !also || (from.mean == from.max) == (to.mean == to.max) {
		return times, false
	}
	times.mean = 1 + max(0, (to.mean-from.mean-plus)/step)
	times.max = 1 + max(0, (to.mean-from.max-plus)/step, (to.max-from.mean-plus)/step)
	return times, times.max < maxTrips
}

// converted strips conversions between integer sizes and splats from v.
func converted(v *vir.Value) *vir.Value {
	for v.Op == alu.ZExt || v.Op == alu.SExt || v.Op == alu.Trunc || v.Op == vir.Splat {
		v = v.Args[0]
	}
	return v
}
