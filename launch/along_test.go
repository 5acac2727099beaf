package launch

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// TestUnitsAlongOtherDimensions checks that the units that versions with lanes along different
// dimensions share contain every work-item once, in groups of the right sizes.
func TestUnitsAlongOtherDimensions(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	groups, several := 0, 0
	for range 300 {
		r := Range{Dims: 3, Offset: [3]uint64{1, 20, 300}}
		for d := range 3 {
			r.Global[d] = uint64(1 + random.Intn([]int{70, 40, 9}[d]))
			r.Local[d] = uint64(1 + random.Intn(8))
		}
		r, err := r.Resolve([3]int{})
		require.NoError(t, err)
		p := Program{Kernel: &kernel.Func{}, Width: 8, Groups: random.Intn(2) == 0, LaneDim: random.Intn(3)}
		to, length := random.Intn(3), uint64(random.Intn(3)*8)
		units, of := p.divide(r.exchanged(p.LaneDim), 1, uint64(1+random.Intn(20)), true), r.exchanged(to)
		seen := map[[3]uint64]int{}
		for i := range units.total {
			next := parts(units.unit(i).along(p.LaneDim, to, of), length)
			n := 0
			for x, ok := next(); ok; x, ok = next() {
				n++
				box := [3]uint64{x.count, x.rows, 1}
				require.True(t, length == 0 || p.Groups || x.count <= length)
				if p.Groups {
					groups++
					box = [3]uint64{x.groups * x.size[0], x.size[1], x.size[2]}
				}
				for k := range box[0] * box[1] * box[2] {
					at := [3]uint64{x.start[0] + k%box[0], x.start[1] + k/box[0]%box[1], x.start[2] + k/box[0]/box[1]}
					if p.Groups {
						group := at[0]/of.Local[0] - x.group[0]
						require.Less(t, group, x.groups)
						for d := range 3 {
							first := at[d] / of.Local[d] * of.Local[d]
							require.Equal(t, min(of.Local[d], of.Global[d]-first), x.size[d])
						}
					}
					exchange(&at, to)
					seen[at]++
				}
			}
			if n > 1 {
				several++
			}
		}
		require.Len(t, seen, int(r.Global[0]*r.Global[1]*r.Global[2]))
		for at, n := range seen {
			require.Equal(t, 1, n, "work-item %v of %+v", at, r)
		}
	}
	require.Positive(t, groups)
	require.Positive(t, several)
}
