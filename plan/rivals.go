package plan

import "slices"

// How much more a candidate may cost by the estimate to be worth measuring: one
// of the other kind, vector or scalar code, whose relation is hard to tell; and
// the vector code in another width, or made uniform in another way.
const (
	closeKinds  = 4
	closeWidths = 1.25
	closeWays   = 1.1
	closeNarrow = 1.5
)

// scattered is the share of its cost from which on gathers and scatters rule a
// candidate: if their lanes are a power of two apart, all want the same few
// places of the cache, and the narrowest vectors may be best.
const scattered = 0.25

// Rival is a candidate that is worth measuring.
type Rival struct {
	Candidate int
	After     int // the candidate that must have turned out to be faster than the choice; -1: none
}

// Rivals lists the candidates that may turn out to be faster than the choice
// when they are run, the likeliest first: the best of the other kind, and of the
// vector code the narrowest if gathers rule, the next best width and the best of
// another family. Behind the next width comes the one further on: where narrower
// vectors are faster than the estimate says, still narrower ones may be, too.
func (p *Plan) Rivals() []Rival {
	chosen := p.Candidates[p.Chosen]
	var out []Rival
	add := func(i, after int) {
		if i >= 0 && !slices.ContainsFunc(out, func(r Rival) bool { return r.Candidate == i }) {
			out = append(out, Rival{i, after})
		}
	}
	vector := p.Chosen
	other := p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool { return (x.Width == 1) != (chosen.Width == 1) })
	add(other, -1)
	if chosen.Width == 1 {
		vector = other
	}
	if vector < 0 {
		return out
	}
	v := p.Candidates[vector]
	narrow := p.cheapest(closeNarrow*v.Estimate.PerItem, func(i int, x Candidate) bool {
		ns := x.Estimate.Parts[Gathers] + x.Estimate.Parts[Scatters]
		return x.Width > 1 && x.Width < v.Width && p.family(i) == p.family(vector) && x.Width == p.narrowest(vector) && ns >= scattered*x.Estimate.PerItem
	})
	width := p.cheapest(closeWidths*v.Estimate.PerItem, func(i int, x Candidate) bool {
		return x.Width > 1 && x.Width != v.Width && p.family(i) == p.family(vector)
	})
	way := p.cheapest(closeWays*v.Estimate.PerItem, func(i int, x Candidate) bool {
		return x.Width > 1 && p.family(i) != p.family(vector)
	})
	add(narrow, -1)
	add(width, -1)
	if width >= 0 {
		w := p.Candidates[width].Width
		add(p.cheapest(closeNarrow*v.Estimate.PerItem, func(i int, x Candidate) bool {
			return x.Width > 1 && x.Width*v.Width == w*w && p.family(i) == p.family(vector)
		}), width)
	}
	add(way, -1)
	return out
}

// cheapest is the candidate of those looked at that fit with the least estimate
// up to most; -1 if there is none.
func (p *Plan) cheapest(most float64, fits func(i int, x Candidate) bool) int {
	best := -1
	for i, x := range p.Candidates {
		switch {
		case !x.Tried || x.Late || x.TooLong || x.Estimate.PerItem > most || !fits(i, x):
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
