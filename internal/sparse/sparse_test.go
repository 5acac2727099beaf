package sparse_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/sparse"
)

// TestMap compares the table with a Go map.
func TestMap(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		var m sparse.Map[int]
		want := map[int]*int{}
		n := 1 + rng.Intn(500)
		for range n {
			k, v := rng.Intn(2*n), new(int)
			m.Set(k, v)
			want[k] = v
		}
		for k := range 2 * n {
			require.Same(t, want[k], m.Get(k))
		}
	}
}
