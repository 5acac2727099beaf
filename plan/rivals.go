package plan

// How much more a candidate may cost by the estimate to be worth measuring: one
// of the other kind, vector or scalar code, whose relation is hard to tell; and
// the vector code in another width.
const (
	closeKinds  = 4
	closeWidths = 1.1
)

// Rivals lists the candidates that may turn out to be faster than the choice
// when they are run, the likeliest first: the best of the other kind, and the
// vector code in the next best width.
func (p *Plan) Rivals() []int {
	chosen := p.Candidates[p.Chosen]
	var out []int
	vector := p.Chosen
	other := p.cheapest(closeKinds*chosen.Estimate.PerItem, func(_ int, x Candidate) bool { return (x.Width == 1) != (chosen.Width == 1) })
	if other >= 0 {
		out = append(out, other)
	}
	if chosen.Width == 1 {
		vector = other
	}
	if vector < 0 {
		return out
	}
	v := p.Candidates[vector]
	next := p.cheapest(closeWidths*v.Estimate.PerItem, func(i int, x Candidate) bool {
		return x.Width > 1 && x.Width != v.Width && p.family(i) == p.family(vector)
	})
	if next >= 0 {
		out = append(out, next)
	}
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

// family is the index of the family that candidate i is of.
func (p *Plan) family(i int) int {
	for n, f := range p.families {
		if i >= f.from && i < f.to {
			return n
		}
	}
	return -1
}
