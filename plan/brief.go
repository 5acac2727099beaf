package plan

// Planning time adds up in a program of many kernels. These are the savings, as shares of
// the cost, that one more build has to promise:
const (
	widthGain = 0.1  // for another width
	laneLoss  = 0.25 // share of gathers, scatters and idle lanes above which scalar code is built
)

// ChooseBriefly chooses among the candidates of the first family with few builds. It builds
// the middle width, which it chooses unless another width is clearly better in short rows,
// and builds scalar code only if gathers, scatters and idle lanes cost much.
func (c *Costs) ChooseBriefly(families ...Family) (*Plan, error) {
	p, err := list(families)
	if err != nil {
		return nil, err
	}
	family := p.families[0]
	candidates := p.Candidates[family.from:family.to]
	middle := c.middle(candidates)
	if middle < 0 {
		return c.Choose(families...)
	}
	f, err := candidates[middle].Build()
	if err != nil {
		return nil, err
	}
	f = withArguments(f, candidates[middle].Args)
	price := func(i int) float64 {
		c.estimate(&candidates[i], f)
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
		f = withArguments(f, scalar.Args)
		if price(0) < best || candidates[middle].TooLong {
			p.Chosen = 0
		}
	}
	p.Chosen += family.from
	p.Reason = p.reason()
	return p, nil
}
