package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
)

// ChooseBriefly builds one candidate, and scalar code if lanes cost much.
func TestChooseBriefly(t *testing.T) {
	built := 0
	choose := func(body string, row int) int {
		var f plan.Family
		for _, w := range []int{1, 8, 16, 32, 64} {
			f.Candidates = append(f.Candidates, plan.Candidate{Width: w, Row: row, Build: func() (*vir.Func, error) {
				built++
				if w == 1 { // has no masks
					f, err := vir.Parse("f", "vir f width 1 scratch 0 {\nb0:\n  return\n}\n")
					require.NoError(t, err)
					return f, nil
				}
				return function(t, w, body), nil
			}})
		}
		p, err := avx512.Costs.ChooseBriefly(f, f)
		require.NoError(t, err)
		require.NotEmpty(t, p.Reason)
		return p.Candidates[p.Chosen].Width
	}
	require.Equal(t, 32, choose(stream, 0))
	require.Equal(t, 1, built)
	require.LessOrEqual(t, choose(chase, 8), 8)
	require.Equal(t, 3, built)
	require.Equal(t, 1, choose(chase, 0), "trivial scalar code must be cheaper than gathers")
	require.Equal(t, 5, built)
}
