package plan

import "slices"

// How much more a candidate may cost by the estimate to be worth measuring: one
// of the other kind, vector or scalar code, whose relation is hard to tell; the
// vector code in another width, or made uniform in another way; in its narrowest
// where gathers rule; and what only an earlier comparison makes likely.
const (
	closeKinds     = 5
	closeWidths    = 2
	closeWays      = 1.25
	closeNarrowest = 1.5
	closeNext      = 4
	closeRounds    = 3 // lanes that are rounds
	closeLast      = 5 // these, once all else has been measured
)

// scattered is the share of its cost from which on gathers and scatters rule a
// candidate: if their lanes are a power of two apart, all want the same few
// places of the cache, and the narrowest vectors may be best.
const scattered = 0.25

// idling is the share of its cost that idle lanes must be, when others have taken their
// places, for that to be worth a try.
const idling = 0.05

// Rival is a candidate that is worth measuring.
type Rival struct {
	Candidate int
	After     int // the candidate that must be the fastest of those measured by then; Always: whatever is
}

// Always says that a rival is measured whatever is the fastest.
const Always = -1

// Rivals lists the candidates that may turn out to be faster than the choice
// when they are run, the likeliest first: the best of the other kind, and of the
// vector code the narrowest if gathers rule, the next best width, and the best of
// another family, that puts work-items off and that does not, and of another linearizer.
// Where the next width is faster than the estimate says, those further on in its direction
// may be, too; and where it is not, those on the other side.
func (p *Plan) Rivals() []Rival {
	var out []Rival
	add := func(i, after int) {
		if i >= 0 && i != p.Chosen && !slices.ContainsFunc(out, func(r Rival) bool { return r.Candidate == i }) {
			out = append(out, Rival{i, after})
		}
	}
	p.likely(add)
	add(p.ofRounds(closeLast), Always)
	return out
}

// likely adds the candidates that may well be faster than the choice.
func (p *Plan) likely(add func(i, after int)) {
	chosen := p.Candidates[p.Chosen]
	vector := p.Chosen
	// What puts work-items off is looked at first where it would be much faster, and then
	// its narrower widths.
	for at, after := p.puttingOff(chosen.Estimate.PerItem/closeNarrowest), Always; at >= 0 && chosen.Estimate.PutOff == 0; {
		add(at, after)
		width := p.Candidates[at].Width / 2
		at, after = p.cheapest(closeWidths*p.Candidates[at].Estimate.PerItem, func(i int, x Candidate) bool {
			return x.Width == width && x.Width > 1 && p.family(i) == p.family(at)
		}), at
	}
	if chosen.RoundsOfOne {
		add(p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool { return x.Width == 1 }), Always)
		add(p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool { return x.Width > 1 && !x.RoundsOfOne }), Always)
		add(p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool {
			return x.Width > 1 && !x.RoundsOfOne && x.Estimate.PutOff == 0
		}), Always)
		return
	}
	other := p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool {
		return (x.Width == 1) != (chosen.Width == 1) && !x.RoundsOfOne
	})
	add(other, Always)
	p.refilling(closeKinds*chosen.Estimate.PerItem, add)
	add(p.ofRounds(closeRounds), Always)
	if chosen.Width == 1 {
		vector = other
	}
	if vector < 0 {
		return
	}
	v := p.Candidates[vector]
	within := func(most float64, fits func(x Candidate) bool) int {
		return p.cheapest(most*v.Estimate.PerItem, func(i int, x Candidate) bool {
			return x.Width > 1 && x.Width != v.Width && p.family(i) == p.family(vector) && fits(x)
		})
	}
	narrowest := p.narrowest(vector)
	add(within(closeNarrowest, func(x Candidate) bool {
		ns := x.Estimate.Parts[Gathers] + x.Estimate.Parts[Scatters]
		return x.Width == narrowest && ns >= scattered*x.Estimate.PerItem
	}), Always)
	// further adds the width to times/per of that of candidate i.
	further := func(i, times, per, after int) int {
		if i < 0 {
			return -1
		}
		next := within(closeNext, func(x Candidate) bool { return x.Width*per == p.Candidates[i].Width*times })
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
	most := closeWays
	if v.Estimate.PutOff > 0 { // whether that pays is anybody's guess
		most = closeKinds
	} else {
		add(p.puttingOff(closeWays*v.Estimate.PerItem), Always)
	}
	other = p.cheapest(most*v.Estimate.PerItem, func(i int, x Candidate) bool {
		return x.Width > 1 && !x.RoundsOfOne && p.family(i) != p.family(vector) && x.Estimate.PutOff == 0
	})
	add(other, Always)
	// What costs less may be hardly any other code.
	if vector == p.Chosen && other >= 0 && p.Candidates[other].Linearizer == v.Linearizer {
		add(p.cheapest(closeWays*v.Estimate.PerItem, func(_ int, x Candidate) bool {
			return x.Width > 1 && !x.RoundsOfOne && x.Linearizer != v.Linearizer && x.Estimate.PutOff == 0
		}), Always)
	}
}

// ofRounds is the candidate whose lanes are rounds with the least estimate up to so many
// times the choice's; -1 if there is none.
func (p *Plan) ofRounds(most float64) int {
	return p.cheapest(most*p.Candidates[p.Chosen].Estimate.PerItem, func(_ int, x Candidate) bool { return x.RoundsOfOne })
}

// puttingOff is the candidate that puts work-items off with the least estimate up to
// most; -1 if there is none.
func (p *Plan) puttingOff(most float64) int {
	return p.cheapest(most, func(_ int, x Candidate) bool { return x.Estimate.PutOff > 0 })
}

// refilling adds the candidates whose lanes take other work-items that cost at most that, if
// idle lanes are part of it: the widest, and what is half as wide if that wins.
func (p *Plan) refilling(most float64, add func(i, after int)) {
	after := Always
	for i, x := range slices.Backward(p.Candidates) {
		idle := x.Estimate.Parts[Waste]
		if x.Refills && x.Tried && !x.Late && !x.TooLong && x.Estimate.PerItem <= most && idle >= idling*x.Estimate.PerItem {
			add(i, after)
			after = i
		}
	}
}

// cheapest is the candidate of those looked at that fit with the least estimate
// up to most; -1 if there is none.
func (p *Plan) cheapest(most float64, fits func(i int, x Candidate) bool) int {
	best := -1
	for i, x := range p.Candidates {
		switch {
		case !x.Tried || x.Late || x.TooLong || x.Refills && i != p.Chosen || x.Estimate.PerItem > most || !fits(i, x):
		case best < 0 || x.Estimate.PerItem < p.Candidates[best].Estimate.PerItem:
			best = i
		}
	}
	return best
}

// narrowest is the least width above 1 in the family of candidate i.
func (p *Plan) narrowest(i int) int {
	f := p.families[p.family(i)]
	least := 0
	for _, x := range p.Candidates[f.from:f.to] {
		if x.Width > 1 && (least == 0 || x.Width < least) {
			least = x.Width
		}
	}
	return least
}

// family is the index of the family that candidate i is of.
func (p *Plan) family(i int) int {
	for n, f := range p.families {
		if i >= f.from && i < f.to {
			return n
		}
	}
	return -1
}
