package meld

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// bestSum tries all pairings.
func bestSum(n, m int, score func(i, j int) int) int {
	if n == 0 || m == 0 {
		return 0
	}
	best := max(bestSum(n-1, m, score), bestSum(n, m-1, score))
	if s := score(n-1, m-1); s > 0 {
		best = max(best, s+bestSum(n-1, m-1, score))
	}
	return best
}

func TestAlignIsBest(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 500 {
		n, m := rng.Intn(6), rng.Intn(6)
		table := make([]int, n*m)
		for i := range table {
			table[i] = rng.Intn(9) - 4
		}
		score := func(i, j int) int { return table[i*m+j] }
		pairs := align(n, m, score)
		sum, last := 0, [2]int{-1, -1}
		for _, p := range pairs {
			require.Greater(t, p[0], last[0], "pairs cross")
			require.Greater(t, p[1], last[1], "pairs cross")
			require.Positive(t, score(p[0], p[1]))
			sum += score(p[0], p[1])
			last = p
		}
		require.Equal(t, bestSum(n, m, score), sum)
	}
}
