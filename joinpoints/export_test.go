package joinpoints

import "github.com/simtc/simtc/cfg"

// Compute finds the flow of g along order without direct branches.
func Compute(g *cfg.Graph, order []int) *Points { return NewLine(g, order).Points(nil) }

// Innermost returns the index of the smallest interval that contains a position, or -1.
func (l *Line) Innermost(pos int) int { return l.nest.innermost[pos] }

// Ends returns the indexes of the intervals whose last position is pos, innermost first,
// which is the order of the back jumps at its end.
func (l *Line) Ends(pos int) []int {
	var ends []int
	for i := l.nest.innermost[pos]; i >= 0 && l.Intervals[i].Hi == pos; i = l.Intervals[i].Parent {
		ends = append(ends, i)
	}
	return ends
}

// Range is a range of positions, both ends included.
type Range struct{ Lo, Hi int }

// MayRun returns the positions that control may pass, running blocks for other lanes,
// while a lane that took the edge from block u to block w waits at w. A value that the
// lane passes along the edge must survive these blocks. There are at most two ranges,
// none of them empty.
//
// Let [h, l] be the innermost interval that contains both ends of the edge. Let lo be the
// first position of the outermost interval that contains u but not w (which is repeated
// while lanes remain in it), or the position after u if there is none. A forward edge
// gives [lo, w-1]. A backward edge gives [lo, l] and, after control has jumped back, [h,
// w-1]. The latter is empty if the intervals are those of the backward edges, as w is
// then the start of an interval.
func (l *Line) MayRun(u, w int) []Range {
	u, w = l.Pos[u], l.Pos[w]
	lo, around := l.waitsFrom(u, w)
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
	s := l.Intervals[around]
	add(Range{s.Lo, w - 1})
	add(Range{lo, s.Hi})
	return out
}
