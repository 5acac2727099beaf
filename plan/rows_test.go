package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
)

// Idle lanes count in short rows.
func TestShortRows(t *testing.T) {
	candidates := func(row int) plan.Family {
		var f plan.Family
		for _, w := range []int{4, 8, 16, 32} {
			f.Candidates = append(f.Candidates, plan.Candidate{Width: w, Row: row, Build: func() (*vir.Func, error) {
				return function(t, w, stream), nil
			}})
		}
		return f
	}
	chosen := func(row int) int {
		p, err := tables["avx512"].Choose(candidates(row))
		require.NoError(t, err)
		return p.Candidates[p.Chosen].Width
	}
	require.LessOrEqual(t, chosen(4), 4)
	require.LessOrEqual(t, chosen(8), 8)
	require.Greater(t, chosen(0), 8)
}
