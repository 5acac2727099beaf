package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// priced returns a plan whose candidates, by family and width, have the given costs.
func priced(chosen int, families ...[]float64) *Plan {
	p := &Plan{Chosen: chosen}
	for n, f := range families {
		from := len(p.Candidates)
		widths := []int{1, 8, 16, 32, 64}
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

func TestTuningCandidates(t *testing.T) {
	for name, c := range map[string]struct {
		p    *Plan
		want []Rival
	}{
		"scalar code, then the next width":       {priced(2, []float64{30, 41, 10, 10.5}), []Rival{{0, -1}, {3, -1}}},
		"scalar code too expensive":              {priced(2, []float64{51, 21, 10, 20.5}), nil},
		"the other side if the next is slower":   {priced(2, []float64{60, 24, 10, 10.5}), []Rival{{3, -1}, {1, 2}}},
		"all close widths":                       {priced(2, []float64{60, 14, 10, 10.5}), []Rival{{3, -1}, {1, -1}}},
		"further on, twice":                      {priced(4, []float64{60, 38, 28, 10.5, 10}), []Rival{{3, -1}, {2, 3}, {1, 2}}},
		"further in that direction":              {priced(3, []float64{60, 34, 22.6, 10, 11}), []Rival{{4, -1}, {2, 3}, {1, 2}}},
		"vectors against scalar code":            {priced(0, []float64{10, 81, 20, 21}), []Rival{{2, -1}, {3, -1}}},
		"the widths of another family":           {priced(0, []float64{10, 30, 20, 21}, []float64{25, 18, 19}), []Rival{{5, -1}, {6, -1}, {4, -1}, {2, -1}}},
		"the best of another family":             {priced(2, []float64{60, 41, 10, 10.5}, []float64{12, 10.8, 10.7}), []Rival{{3, -1}, {6, -1}}},
		"of the choice's family, not of others":  {priced(2, []float64{51, 21, 10, 20.5}, []float64{10.2, 10.3, 10.4}), []Rival{{4, -1}}},
		"vectors out of reach, so no width next": {priced(0, []float64{1, 30, 20, 21}), nil},
	} {
		require.Equal(t, c.want, c.p.Rivals(), name)
	}
	p := priced(3, []float64{51, 14.9, 14.5, 10})
	unless := []Rival{{2, -1}, {1, -1}}
	require.Equal(t, unless, p.Rivals())
	for i := range p.Candidates {
		p.Candidates[i].Estimate.Parts[Gathers] = 3
	}
	require.Equal(t, unless, p.Rivals(), "a fifth of the narrowest's cost")
	p.Candidates[1].Estimate.Parts[Scatters] = 1
	require.Equal(t, []Rival{{1, -1}, {2, -1}}, p.Rivals(), "gathers dominate")
	require.Equal(t, []Rival{{2, -1}, {1, 2}}, priced(3, []float64{51, 24, 10.5, 10}).Rivals(), "the next width in the same direction")
	require.Equal(t, []Rival{{2, -1}}, priced(3, []float64{51, 41, 10.5, 10}).Rivals(), "too expensive")
	iterations := func(chosen int, ns float64) *Plan {
		p := priced(chosen, []float64{10, 81, 20, 21}, []float64{ns})
		p.Candidates[4].Iterations = true
		return p
	}
	require.Equal(t, []Rival{{2, -1}, {4, -1}, {3, -1}}, iterations(0, 29).Rivals(), "iterations as lanes")
	require.Equal(t, []Rival{{2, -1}, {3, -1}, {4, -1}}, iterations(0, 31).Rivals(), "expensive ones after all others")
	require.Equal(t, []Rival{{2, -1}, {3, -1}}, iterations(0, 51).Rivals(), "too expensive")
	require.Equal(t, []Rival{{0, -1}, {2, -1}}, iterations(4, 5).Rivals(), "scalar code and vectors of work-items")
	p = iterations(4, 5)
	p.Candidates[2].Estimate.Deferred = 3
	require.Equal(t, []Rival{{0, -1}, {2, -1}, {3, -1}}, p.Rivals(), "vectors without deferral, too")
	p = priced(0, []float64{10, 81, 20, 21}, []float64{29, 28}, []float64{26, 27})
	for i := 4; i < 8; i++ {
		p.Candidates[i].Iterations = true
	}
	require.Equal(t, []Rival{{2, -1}, {6, -1}, {7, 6}, {5, -1}, {4, 5}, {3, -1}}, p.Rivals(), "iterations of two loops")
	p.Chosen = 4
	require.Equal(t, []Rival{{0, -1}, {2, -1}, {5, -1}, {6, -1}, {7, 6}}, p.Rivals(), "iterations of another loop")
	p = priced(2, []float64{51, 21, 10, 20.5}, []float64{10.2, 10.3, 10.4}, []float64{13, 12, 12.1})
	for i := 7; i < 10; i++ {
		p.Candidates[i].Linearizer = 1
	}
	require.Equal(t, []Rival{{4, -1}, {8, -1}}, p.Rivals(), "another linearizer, if it is not the best of another family")
	p = priced(2, []float64{30, 21, 10, 10.5})
	p.Candidates[0].TooLong, p.Candidates[3].Late = true, true
	require.Empty(t, p.Rivals())
}

// A speedup that iterations to 1.00 is not reported as one.
func TestReasonForEqualCosts(t *testing.T) {
	for _, c := range []struct {
		ns   float64
		want string
	}{{10.04, ": as good as "}, {10.06, ": 1.01 times as fast as "}} {
		p := priced(2, []float64{60, 14, 10, c.ns})
		for i := range p.Candidates {
			p.Candidates[i].Estimate.Parts[Control] = p.Candidates[i].Estimate.PerItem
		}
		require.Contains(t, p.reason(), c.want)
	}
}
