package plan

import (
	"cmp"
	"math"
	"slices"
)

// Limits up to which a candidate is measured, relative to the estimate of the choice, or of
// the best vector code: the other of vector and scalar code, which are hard to compare;
// another width; another strategy; another dimension of the lanes, as the order in which memory is
// accessed depends on it; the narrowest width if gathers dominate; a further width
// in a direction that has proved better.
const (
	closeKinds      = 5
	closeWidths     = 2
	closeStrategies = 1.25
	closeDeferral   = 2 // its estimate depends on how many work-items are deferred
	closeNarrowest  = 1.5
	closeDims       = 2
	closeNext       = 4
	closeIterations = 3   // iterations as lanes
	closeLast       = 5.0 // the same, after all others
)

// ShortRow is the number of work-items in a row up to which iterations as lanes are measured
// whatever their estimate is: such launches have long loops, and trip counts are rarely known.
const ShortRow = 4

// gatherShare is the cost share at which gathers and scatters dominate a candidate: with a
// power-of-two stride their lanes compete for a few cache sets, and the narrowest vectors
// may be best.
const gatherShare = 0.25

// idleShare is the minimum cost share of idle lanes, after refill, for which refill is
// measured.
const idleShare = 0.05

// Rival is a tuning candidate, which launches measure.
type Rival struct {
	Candidate int
	After     int // the candidate that must be the fastest so far; or Always
}

// Always marks a tuning candidate that is measured whatever is the fastest.
const Always = -1

// Rivals returns the candidates that may turn out faster than the choice, the likeliest
// first: the best of the other kind, scalar or vector; the narrowest vector code if gathers
// dominate; the next best width; and the best of another family, with and without deferral,
// and of the other linearizer. The other widths follow if they are close; if not, those further
// in the direction of the next width if it wins, otherwise those on the other side.
func (p *Plan) Rivals() []Rival {
	var out []Rival
	add := func(i, after int) {
		if i >= 0 && i != p.Chosen && !slices.ContainsFunc(out, func(r Rival) bool { return r.Candidate == i }) {
			out = append(out, Rival{i, after})
		}
	}
	p.addLikely(add)
	limit, short := closeLast, false
	if row := p.Candidates[p.Chosen].Row; row > 0 && row <= ShortRow {
		limit, short = math.Inf(1), true
	}
	for _, i := range p.bestOverIterations(limit) {
		add(i, Always)
		after := i
		if short {
			after = Always
		}
		p.addNeighbours(i, after, add)
	}
	return out
}

// addLikely adds the candidates that may well be faster than the choice.
func (p *Plan) addLikely(add func(i, after int)) {
	chosen := p.Candidates[p.Chosen]
	vector := p.Chosen
	// Deferral comes first if its estimate is much better, followed by its narrower widths.
	for at, after := p.bestDeferring(chosen.Estimate.PerItem/closeNarrowest), Always; at >= 0 && chosen.Estimate.Deferred == 0; {
		add(at, after)
		width := p.Candidates[at].Width / 2
		at, after = p.cheapest(closeWidths*p.Candidates[at].Estimate.PerItem, func(i int, x Candidate) bool {
			return x.Width == width && x.Width > 1 && p.family(i) == p.family(at)
		}), at
	}
	if chosen.Iterations {
		add(p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool { return x.Width == 1 }), Always)
		add(p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool { return x.Width > 1 && !x.Iterations }), Always)
		add(p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool {
			return x.Width > 1 && !x.Iterations && x.Estimate.Deferred == 0
		}), Always)
		p.addNeighbours(p.Chosen, Always, add)
		for _, i := range p.bestOverIterations(closeIterations) {
			if p.family(i) != p.family(p.Chosen) {
				add(i, Always)
				p.addNeighbours(i, i, add)
			}
		}
		return
	}
	other := p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool {
		return (x.Width == 1) != (chosen.Width == 1) && !x.Iterations
	})
	add(other, Always)
	p.addRefilling(closeKinds*chosen.Estimate.PerItem, add)
	for _, i := range p.bestOverIterations(closeIterations) {
		add(i, Always)
		p.addNeighbours(i, i, add)
	}
	if chosen.Width == 1 {
		vector = other
	}
	if vector < 0 {
		return
	}
	v := p.Candidates[vector]
	within := func(limit float64, fits func(x Candidate) bool) int {
		return p.cheapest(limit*v.Estimate.PerItem, func(i int, x Candidate) bool {
			return x.Width > 1 && x.Width != v.Width && p.family(i) == p.family(vector) && fits(x)
		})
	}
	narrowest := p.narrowest(vector)
	add(within(closeNarrowest, func(x Candidate) bool {
		ns := x.Estimate.Parts[Gathers] + x.Estimate.Parts[Scatters]
		return x.Width == narrowest && ns >= gatherShare*x.Estimate.PerItem
	}), Always)
	// further adds the candidate of times/per times the width of candidate i. A close one is
	// measured in any case, as times need not rise on both sides of the best width.
	further := func(i, times, per, after int) int {
		if i < 0 {
			return -1
		}
		next := within(closeNext, func(x Candidate) bool { return x.Width*per == p.Candidates[i].Width*times })
		if next >= 0 && p.Candidates[next].Estimate.PerItem <= closeWidths*v.Estimate.PerItem {
			after = Always
		}
		add(next, after)
		return next
	}
	if width := within(closeWidths, func(Candidate) bool { return true }); width >= 0 {
		add(width, Always)
		times, per := 2, 1
		if p.Candidates[width].Width < v.Width {
			times, per = per, times
		}
		next := further(width, times, per, width)
		further(next, times, per, next)
		side := further(vector, per, times, vector)
		further(side, per, times, side)
	}
	if along := p.cheapest(closeDims*v.Estimate.PerItem, func(_ int, x Candidate) bool {
		return x.Width > 1 && !x.Iterations && x.LaneDim != v.LaneDim && x.Estimate.Deferred == 0
	}); along >= 0 {
		add(along, Always)
		p.addNeighbours(along, along, add)
	}
	limit := closeStrategies
	if v.Estimate.Deferred > 0 { // its benefit is very uncertain
		limit = closeKinds
	} else {
		add(p.bestDeferring(closeDeferral*v.Estimate.PerItem), Always)
	}
	other = p.cheapest(limit*v.Estimate.PerItem, func(i int, x Candidate) bool {
		return x.Width > 1 && !x.Iterations && p.family(i) != p.family(vector) && x.Estimate.Deferred == 0
	})
	add(other, Always)
	// Another family's cheaper code may be almost the same code.
	if vector == p.Chosen && other >= 0 && p.Candidates[other].Linearizer == v.Linearizer {
		add(p.cheapest(closeStrategies*v.Estimate.PerItem, func(_ int, x Candidate) bool {
			return x.Width > 1 && !x.Iterations && x.Linearizer != v.Linearizer && x.Estimate.Deferred == 0
		}), Always)
	}
}

// bestOverIterations returns of each family with iterations as lanes the cheapest candidate up to
// limit times the cost of the choice, the cheapest first. The families differ in the loops.
func (p *Plan) bestOverIterations(limit float64) []int {
	var out []int
	for n := range p.families {
		i := p.cheapest(limit*p.Candidates[p.Chosen].Estimate.PerItem, func(i int, x Candidate) bool { return x.Iterations && p.family(i) == n })
		if i >= 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Compare(p.Candidates[a].Estimate.PerItem, p.Candidates[b].Estimate.PerItem)
	})
	return out
}

// addNeighbours adds the candidates of the family of i with half and twice its width.
func (p *Plan) addNeighbours(i, after int, add func(i, after int)) {
	for _, width := range []int{p.Candidates[i].Width * 2, p.Candidates[i].Width / 2} {
		add(p.cheapest(closeWidths*p.Candidates[i].Estimate.PerItem, func(k int, x Candidate) bool {
			return x.Width == width && p.family(k) == p.family(i)
		}), after)
	}
}

// bestDeferring returns the widest of the candidates with deferral whose estimates are close to
// the lowest, up to limit, or -1.
func (p *Plan) bestDeferring(limit float64) int {
	const near = 1.05
	best := p.cheapest(limit, func(_ int, x Candidate) bool { return x.Estimate.Deferred > 0 })
	if best < 0 {
		return -1
	}
	widest := best
	for i, x := range p.Candidates {
		if p.family(i) == p.family(best) && x.Tried && !x.TooLong && x.Width > p.Candidates[widest].Width && x.Estimate.PerItem <= near*p.Candidates[best].Estimate.PerItem {
			widest = i
		}
	}
	return widest
}

// addRefilling adds the candidates with refill up to limit, if idle lanes contribute to
// their cost: the widest, and after each the next narrower one if it wins.
func (p *Plan) addRefilling(limit float64, add func(i, after int)) {
	after := Always
	for i, x := range slices.Backward(p.Candidates) {
		idle := x.Estimate.Parts[Waste]
		if x.Refills && x.Tried && !x.Late && !x.TooLong && x.Estimate.PerItem <= limit && idle >= idleShare*x.Estimate.PerItem {
			add(i, after)
			after = i
		}
	}
}

// cheapest returns the fitting priced candidate with the lowest estimate up to limit, or
// -1.
func (p *Plan) cheapest(limit float64, fits func(i int, x Candidate) bool) int {
	best := -1
	for i, x := range p.Candidates {
		switch {
		case !x.Tried || x.Late || x.TooLong || x.Refills && i != p.Chosen || x.Estimate.PerItem > limit || !fits(i, x):
		case best < 0 || x.Estimate.PerItem < p.Candidates[best].Estimate.PerItem:
			best = i
		}
	}
	return best
}

// narrowest returns the minimum vector width in the family of candidate i.
func (p *Plan) narrowest(i int) int {
	f := p.families[p.family(i)]
	width := 0
	for _, x := range p.Candidates[f.from:f.to] {
		if x.Width > 1 && (width == 0 || x.Width < width) {
			width = x.Width
		}
	}
	return width
}

// family returns the index of candidate i's family.
func (p *Plan) family(i int) int {
	for n, f := range p.families {
		if i >= f.from && i < f.to {
			return n
		}
	}
	return -1
}
