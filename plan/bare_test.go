package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Vector code without bypasses must be clearly cheaper than code with them, if there is
// any, but need not be clearly cheaper than scalar code.
func TestCodeWithoutBypasses(t *testing.T) {
	choice := func(skipping []float64, bare ...float64) *Plan {
		p := priced(0, skipping, bare)
		for i := len(skipping); i < len(p.Candidates); i++ {
			p.Candidates[i].Bare, p.Candidates[i].Name = true, "bare"
		}
		c := Costs{Lanes: 16}
		require.True(t, c.pick(p))
		return p
	}
	p := choice([]float64{30, 12, 10}, 12, 8)
	require.Equal(t, 2, p.Chosen)
	require.Contains(t, p.Reason, "bare saves too little for code without bypasses")
	p = choice([]float64{30, 12, 10}, 12, 7)
	require.Equal(t, 4, p.Chosen)
	require.NotContains(t, p.Reason, "too little")
	require.Equal(t, 2, choice([]float64{9.8}, 12, 9.5).Chosen, "only code without bypasses")
}
