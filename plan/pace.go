package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// rise is by how much a number is larger after a round of a loop: at least, at most, and
// on the average of the ways round.
type rise struct{ least, most, mean float64 }

// paced tells how often the header of c runs if b leaves c by a number that goes on to a
// limit, which all lanes share as they do its beginning, by steps that differ from round to
// round, as a scanner's place in its text does: none comes there much sooner than others.
// alone tells that c is left by nothing else; without constants times is 0.
func (w *flow) paced(c *cfg.Cycle, b *vir.Block) (times amount, alone, ok bool) {
	stay := slices.IndexFunc(b.Edges, func(e vir.Edge) bool { return w.loops.Contains(c, e.To.ID) })
	if stay < 0 || w.loops.Contains(c, b.Edges[1-stay].To.ID) || !w.everyRound(c, b) {
		return times, false, false
	}
	conditions := []*vir.Value{b.Cond}
	if b.Cond.Op == vir.Any && stay == 0 {
		conditions = conjuncts(nil, b.Cond.Args[0])
	}
	asked := 0
	for _, v := range conditions {
		if v.Op == alu.Xor && v.Args[1].Op == vir.Const {
			v = v.Args[0]
		}
		if alu.InfoOf(v.Op).Class != alu.Compare {
			continue
		}
		asked++
		for i, x := range v.Args {
			if t, found := w.comesTo(c, x, v.Args[1-i]); found {
				times, ok = t, true
			}
		}
	}
	return times, asked == 1 && w.exits[c.ID] == 1, ok
}

// comesTo tells how often the header of c runs until x, a number that goes on by steps of
// several sizes, comes to limit.
func (w *flow) comesTo(c *cfg.Cycle, x, limit *vir.Value) (times amount, ok bool) {
	for x = converted(x); x.Op == alu.Add && x.Args[1].Op == vir.Const; x = converted(x.Args[0]) {
	}
	if x.Op != vir.Param || x.Block.ID != c.Header || !x.Type.Elem.IsInt() || !w.alike(c, limit) {
		return times, false
	}
	var begin *vir.Value
	var by rise
	rounds := 0.0
	for _, a := range w.passed[x.ID] {
		if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
			if begin != nil && begin != a || !w.alike(c, a) {
				return times, false
			}
			begin = a
			continue
		}
		budget := 64 // values looked at
		r, ok := w.rises(x, a, &budget)
		if !ok {
			return times, false
		}
		if rounds++; rounds == 1 {
			by = r
		} else {
			by = either(by, r)
		}
	}
	if begin == nil || rounds == 0 || by.least == by.most || by.least <= 0 && by.most >= 0 {
		return times, false
	}
	if n, ok := apart(begin, limit); ok {
		way := float64(n)
		slowest := by.least
		if by.most < 0 {
			slowest = by.most
		}
		times = amount{1 + way/by.mean, 1 + math.Ceil(way/slowest)}
		if way/by.mean < 0 || times.most >= mostTrips {
			return amount{}, true
		}
	}
	return times, true
}

// alike reports whether v is the same in all lanes that enter c, and from before it.
func (w *flow) alike(c *cfg.Cycle, v *vir.Value) bool {
	if w.width == 1 {
		return v.Op == vir.Const || w.before(v)
	}
	v = converted(v)
	return v.Op == vir.Const || v.Type.IsScalar() && !w.loops.Contains(c, v.Block.ID)
}

// rises tells by how much v is larger than p, a parameter of a loop's header, as far as
// sums with constants tell.
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
			return rise{r.least + x, r.most + x, r.mean + x}, ok
		}
	case alu.Select:
		return w.risesOneOf(p, v.Args[1:], budget)
	case vir.Param:
		c := w.blockLoop[v.Block.ID]
		if c == nil || c.Header != v.Block.ID {
			return w.risesOneOf(p, w.given(v), budget)
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
			r.mean += inside * more.mean
			if more.least < 0 {
				r.least = math.Inf(-1)
			}
			if more.most > 0 {
				r.most = math.Inf(1)
			}
		}
		return r, ok
	}
	return r, false
}

// risesOneOf is rises of what is one of vs, which are not all what lanes keep that have
// left a loop.
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

// given returns what a parameter where ways meet may be, without the zeros that ways bring
// on which no lane has it: what lanes have there is blended.
func (w *flow) given(v *vir.Value) []*vir.Value {
	if v.Type.IsScalar() {
		return w.passed[v.ID]
	}
	return slices.DeleteFunc(slices.Clone(w.passed[v.ID]), func(a *vir.Value) bool { return a.Op == vir.Const && a.Const == 0 })
}

// either is the rise of what rises as one of two do.
func either(r, s rise) rise {
	return rise{min(r.least, s.least), max(r.most, s.most), (r.mean + s.mean) / 2}
}

// kept reports whether v is what lanes that leave a loop keep of a value until the last has
// left: a parameter of the header that begins with anything, and that rounds only replace
// for the lanes that leave.
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
