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
		x := &candidates[i]
		x.Tried, x.Size, x.Estimate = true, size(f), c.PriceAs(f, x.Width).inRows(x.Row, x.Width)
		return x.Estimate.PerItem
	}
	p.Chosen = middle
	best := price(middle) * (1 - widthGain)
	for i, x := range candidates {
		if x.Width == 1 || i == middle || x.Row == 0 {
			continue
		}
		if ns := price(i); ns < best {
			best, p.Chosen = ns, i
		}
	}
	e := candidates[middle].Estimate
	if candidates[0].Width == 1 && e.Parts[Gathers]+e.Parts[Scatters]+e.Parts[Waste] > laneLoss*e.PerItem {
		if f, err = candidates[0].Build(); err != nil {
			return nil, err
		}
		if price(0) < best {
			p.Chosen = 0
		}
	}
	p.Chosen += of.from
	p.Reason = p.reason()
	return p, nil
}
