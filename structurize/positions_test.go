package structurize

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPositionsAreASet(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 300 {
		var sets [3]positions
		var want [3]map[int]bool
		for i := range want {
			want[i] = map[int]bool{}
		}
		for range 40 {
			i, j, p := rng.Intn(3), rng.Intn(3), rng.Intn(400)
			if rng.Intn(3) > 0 {
				require.Equal(t, !want[i][p], sets[i].add(p))
				want[i][p] = true
			} else {
				before := len(want[i])
				for q := range want[j] {
					if q != p {
						want[i][q] = true
					}
				}
				require.Equal(t, len(want[i]) > before, sets[i].addAll(&sets[j], p))
			}
			var all []int
			for q := range want[i] {
				all = append(all, q)
			}
			slices.Sort(all)
			require.Equal(t, all, sets[i].list())
			first, some := sets[i].first()
			require.Equal(t, len(all) > 0, some)
			require.True(t, !some || first == all[0])
		}
	}
}
