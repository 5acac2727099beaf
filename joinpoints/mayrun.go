package joinpoints

// Range is a range of positions, both ends included.
type Range struct{ Lo, Hi int }

// Contains reports whether position p is in the range.
func (r Range) Contains(p int) bool { return r.Lo <= p && p <= r.Hi }

// MayRun returns the positions that control may pass, running other lanes'
// blocks there, while a lane that took the edge from block u to block w waits
// at w. A value the lane carries along the edge must survive these. There are
// at most two ranges, none empty.
//
// Let [h, l] be the innermost interval with both ends of the edge, and lo the
// first position of the outermost interval that has u but not w (it is
// repeated while lanes remain in it), or the position after u if there is none.
// An edge forward gives [lo, w-1]. An edge backward gives [lo, l] and, once
// control has jumped back, [h, w-1], which is empty as w is where an interval
// begins if the intervals are those of the backward edges.
func (p *Points) MayRun(u, w int) []Range {
	return p.mayRun(p.Pos[u], p.Pos[w])
}

func (p *Points) mayRun(u, w int) []Range {
	lo, around := p.waitsFrom(u, w)
	var out []Range
	add := func(r Range) {
		if r.Lo <= r.Hi {
			out = append(out, r)
		}
	}
	if u < w {
		add(Range{lo, w - 1})
		return out
	}
	s := p.Intervals[around]
	add(Range{s.Lo, w - 1})
	add(Range{lo, s.Hi})
	return out
}

// waitsFrom returns, for an edge between positions, the first position that
// control may pass after u going on, before any back jump past w, and the
// innermost interval around both ends.
func (p *Points) waitsFrom(u, w int) (lo, around int) {
	around = p.nest.common(u, w)
	if inner := p.nest.child(around, u); inner >= 0 && !p.Intervals[inner].Contains(w) {
		return p.Intervals[inner].Lo, around
	}
	return u + 1, around
}
