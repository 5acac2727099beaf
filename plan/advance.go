package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// rise is the increase of a number per iteration of a loop: its minimum, its maximum, and
// its mean over the paths.
type rise struct{ min, max, mean float64 }

// toSharedLimit estimates the trip count of c if b exits c through a number that advances
// by varying steps from a common start to a common limit, such as a scanner's position in
// its text: no lane gets there much sooner than the others. alone reports that c has no
// other exit; times is 0 if the distance is unknown.
func (w *flow) toSharedLimit(c *cfg.Cycle, b *vir.Block) (times amount, alone, ok bool) {
	stay := slices.IndexFunc(b.Edges, func(e vir.Edge) bool { return w.loops.Contains(c, e.To.ID) })
	if stay < 0 || w.loops.Contains(c, b.Edges[1-stay].To.ID) || !w.everyIteration(c, b) {
		return times, false, false
	}
	conditions := []*vir.Value{b.Cond}
	if b.Cond.Op == vir.Any && stay == 0 {
		conditions = conjuncts(nil, b.Cond.Args[0])
	}
	compares := 0
	for _, v := range conditions {
		if v.Op == alu.Xor && v.Args[1].Op == vir.Const {
			v = v.Args[0]
		}
		if alu.InfoOf(v.Op).Class != alu.Compare {
			continue
		}
		compares++
		for i, x := range v.Args {
			if t, found := w.reaches(c, x, v.Args[1-i]); found {
				times, ok = t, true
			}
		}
	}
	return times, compares == 1 && w.exits[c.ID] == 1, ok
}

// reaches estimates how often the header of c runs until x, a number that advances by
// varying steps, reaches limit.
func (w *flow) reaches(c *cfg.Cycle, x, limit *vir.Value) (times amount, ok bool) {
	for x = converted(x); x.Op == alu.Add && x.Args[1].Op == vir.Const; x = converted(x.Args[0]) {
	}
	if x.Op != vir.Param || x.Block.ID != c.Header || !x.Type.Elem.IsInt() || !w.sharedByLanes(c, limit) {
		return times, false
	}
	var begin *vir.Value
	var step rise
	backEdges := 0.0
	for _, a := range w.passed[x.ID] {
		if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
			if begin != nil && begin != a || !w.sharedByLanes(c, a) {
				return times, false
			}
			begin = a
			continue
		}
		budget := 64 // values visited
		r, ok := w.rises(x, a, &budget)
		if !ok {
			return times, false
		}
		if backEdges++; backEdges == 1 {
			step = r
		} else {
			step = either(step, r)
		}
	}
	if begin == nil || backEdges == 0 || step.min == step.max || step.min <= 0 && step.max >= 0 {
		return times, false
	}
	if n, ok := constantDistance(begin, limit); ok {
		distance := float64(n)
		slowest := step.min
		if step.max < 0 {
			slowest = step.max
		}
		times = amount{1 + distance/step.mean, 1 + math.Ceil(distance/slowest)}
		if distance/step.mean < 0 || times.max >= maxTrips {
			return amount{}, true
		}
	}
	return times, true
}

// sharedByLanes reports whether v is the same in all lanes that enter c, and defined before
// it.
func (w *flow) sharedByLanes(c *cfg.Cycle, v *vir.Value) bool {
	if w.width == 1 {
		return v.Op == vir.Const || w.uniformAcrossStrips(v)
	}
	v = converted(v)
	return v.Op == vir.Const || v.Type.IsScalar() && !w.loops.Contains(c, v.Block.ID)
}

// rises returns the increase of v over p, a parameter of a loop's header, if v is a sum of
// p and constants.
func (w *flow) rises(p, v *vir.Value, budget *int) (r rise, ok bool) {
	if *budget--; *budget < 0 {
		return r, false
	}
	if v == p {
		return r, true
	}
	switch v.Op {
	case alu.SExt, alu.ZExt, alu.Trunc:
		return w.rises(p, v.Args[0], budget)
	case alu.Add:
		if by := converted(v.Args[1]); by.Op == vir.Const {
			r, ok = w.rises(p, v.Args[0], budget)
			x := float64(by.Signed())
			return rise{r.min + x, r.max + x, r.mean + x}, ok
		}
	case alu.Select:
		return w.risesOneOf(p, v.Args[1:], budget)
	case vir.Param:
		c := w.blockLoop[v.Block.ID]
		if c == nil || c.Header != v.Block.ID {
			return w.risesOneOf(p, w.incoming(v), budget)
		}
		var first []*vir.Value
		for _, a := range w.passed[v.ID] {
			if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
				first = append(first, a)
			}
		}
		r, ok = w.risesOneOf(p, first, budget)
		for _, a := range w.passed[v.ID] {
			if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
				continue
			}
			more, known := w.rises(v, a, budget)
			ok = ok && known
			r.mean += innerTrips * more.mean
			if more.min < 0 {
				r.min = math.Inf(-1)
			}
			if more.max > 0 {
				r.max = math.Inf(1)
			}
		}
		return r, ok
	}
	return r, false
}

// risesOneOf merges rises of all vs, except values that lanes keep from their exit of a
// loop.
func (w *flow) risesOneOf(p *vir.Value, vs []*vir.Value, budget *int) (r rise, ok bool) {
	for _, v := range vs {
		if w.kept(v) {
			continue
		}
		s, known := w.rises(p, v, budget)
		switch {
		case !known:
			return r, false
		case !ok:
			r, ok = s, true
		default:
			r = either(r, s)
		}
	}
	return r, ok
}

// incoming returns the values passed to v, without the zeros that fill lanes on paths where
// no lane has the value: vectors are blended at merges.
func (w *flow) incoming(v *vir.Value) []*vir.Value {
	if v.Type.IsScalar() {
		return w.passed[v.ID]
	}
	return slices.DeleteFunc(slices.Clone(w.passed[v.ID]), func(a *vir.Value) bool { return a.Op == vir.Const && a.Const == 0 })
}

// either returns the rise of a number that rises by r or s, with equal probability.
func either(r, s rise) rise {
	return rise{min(r.min, s.min), max(r.max, s.max), (r.mean + s.mean) / 2}
}

// kept reports whether v holds the values of lanes that have exited a loop until the last
// one does: a header parameter that starts with a constant and that iterations replace only
// for exiting lanes.
func (w *flow) kept(v *vir.Value) bool {
	if v.Op != vir.Param {
		return false
	}
	c := w.blockLoop[v.Block.ID]
	if c == nil || c.Header != v.Block.ID {
		return false
	}
	for _, a := range w.passed[v.ID] {
		inside := a.Block != nil && w.loops.Contains(c, a.Block.ID)
		for inside && a.Op == alu.Select {
			a = a.Args[2]
		}
		if inside && a != v || !inside && a.Op != vir.Const {
			return false
		}
	}
	return true
}
