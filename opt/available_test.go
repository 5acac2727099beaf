package opt

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// The cells available at a join are the intersection over its edges, and slices that other
// blocks share are not modified.
func TestCommonIsTheIntersection(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	list := func() (out []cell) {
		for _, at := range rng.Perm(12)[:rng.Intn(12)] {
			out = append(out, cell{address{at: at}, 4, nil, rng.Intn(2)})
		}
		if rng.Intn(2) == 0 {
			slices.SortFunc(out, func(a, b cell) int { return a.at - b.at })
		}
		return out
	}
	for range 2000 {
		a, b := list(), list()
		wasA, wasB := slices.Clone(a), slices.Clone(b)
		var want []cell
		for _, c := range a {
			if slices.Contains(b, c) {
				want = append(want, c)
			}
		}
		got := common(a, b)
		require.ElementsMatch(t, want, got)
		require.True(t, slices.Equal(want, got), "in the order of the first")
		require.Equal(t, wasA, a)
		require.Equal(t, wasB, b)
		require.True(t, same(a, common(a, a)))
	}
}
