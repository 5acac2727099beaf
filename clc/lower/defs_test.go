package lower

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// TestDefs compares the table with a map.
func TestDefs(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 200 {
		var d defs
		want := map[int]*kernel.Value{}
		spread := 1 + r.Intn(5000)
		for range r.Intn(300) {
			b := r.Intn(spread)
			v := &kernel.Value{ID: r.Int()}
			d.set(b, v)
			want[b] = v
			other := r.Intn(spread)
			require.Same(t, want[other], d.get(other))
		}
		for b, v := range want {
			require.Same(t, v, d.get(b))
		}
		require.Equal(t, len(want), d.n)
	}
}
