package plan

// In a program of many kernels the time to plan adds up. What building one
// candidate more must promise to save:
const (
	widthGain = 0.1  // of another width
	laneLoss  = 0.25 // what lanes cost (gathers, scatters, idling) for scalar code to be looked at
)

// ChooseBriefly chooses among the candidates of the first family with as few of
// them built as may be: the middle width, which is the choice unless another is
// clearly better in short rows, and scalar code only where lanes cost much.
func (c *Costs) ChooseBriefly(families ...Family) (*Plan, error) {
	p, err := list(families)
	if err != nil {
		return nil, err
	}
	of := p.families[0]
	candidates := p.Candidates[of.from:of.to]
	middle := c.middle(candidates)
	if middle < 0 {
		return c.Choose(families...)
	}
	f, err := candidates[middle].Build()
	if err != nil {
		return nil, err
	}
	price := func(i int) float64 {
		c.tried(&candidates[i], f)
		return candidates[i].Estimate.PerItem
	}
	best := price(middle) * (1 - widthGain)
	for candidates[middle].TooLong && middle > 0 && candidates[middle-1].Width > 1 {
		middle--
		best = price(middle) * (1 - widthGain)
	}
	p.Chosen = middle
	for i, x := range candidates {
		if x.Width == 1 || x.Tried || x.Row == 0 {
			continue
		}
		if ns := price(i); ns < best && !candidates[i].TooLong {
			best, p.Chosen = ns, i
		}
	}
	scalar, e := &candidates[0], candidates[middle].Estimate
	if scalar.Width == 1 && (candidates[middle].TooLong || e.Parts[Gathers]+e.Parts[Scatters]+e.Parts[Waste] > laneLoss*e.PerItem) {
		if f, err = scalar.Build(); err != nil {
			return nil, err
		}
		if price(0) < best || candidates[middle].TooLong {
			p.Chosen = 0
		}
	}
	p.Chosen += of.from
	p.Reason = p.reason()
	return p, nil
}
