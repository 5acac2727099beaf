package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// priced makes a plan whose candidates, by family and width, cost what is given.
func priced(chosen int, families ...[]float64) *Plan {
	p := &Plan{Chosen: chosen}
	for n, f := range families {
		from := len(p.Candidates)
		widths := []int{1, 8, 16, 32}
		if n > 0 {
			widths = widths[1:]
		}
		for i, ns := range f {
			p.Candidates = append(p.Candidates, Candidate{Width: widths[i], Tried: true, Estimate: Estimate{PerItem: ns}})
		}
		p.families = append(p.families, span{from, len(p.Candidates)})
	}
	return p
}

func TestRivals(t *testing.T) {
	for name, c := range map[string]struct {
		p    *Plan
		want []int
	}{
		"scalar code, then the next width":       {priced(2, []float64{30, 14, 10, 10.5}), []int{0, 3}},
		"scalar code too dear":                   {priced(2, []float64{50, 14, 10, 13}), nil},
		"vectors against scalar code":            {priced(0, []float64{10, 30, 20, 21}), []int{2, 3}},
		"the widths of another family":           {priced(0, []float64{10, 30, 20, 21}, []float64{25, 18, 19}), []int{5, 6}},
		"the best of another family":             {priced(2, []float64{50, 14, 10, 10.5}, []float64{12, 10.8, 10.7}), []int{3, 6}},
		"of the choice's family, not of others":  {priced(2, []float64{50, 14, 10, 13}, []float64{10.2, 10.3, 10.4}), []int{4}},
		"vectors out of reach, so no width next": {priced(0, []float64{1, 30, 20, 21}), nil},
	} {
		require.Equal(t, c.want, c.p.Rivals(), name)
	}
	p := priced(3, []float64{50, 14, 13, 10})
	require.Empty(t, p.Rivals())
	for i := range p.Candidates {
		p.Candidates[i].Estimate.Parts[Gathers] = 3
	}
	require.Empty(t, p.Rivals(), "a fifth of the narrowest's cost")
	p.Candidates[1].Estimate.Parts[Scatters] = 1
	require.Equal(t, []int{1}, p.Rivals(), "gathers rule")
	p = priced(2, []float64{30, 14, 10, 10.5})
	p.Candidates[0].TooLong, p.Candidates[3].Late = true, true
	require.Empty(t, p.Rivals())
}
