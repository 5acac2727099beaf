package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/avx512"
)

// A counter limits the trip count of the slowest lane, whether it is uniform or per lane.
func TestCountersLimitImbalance(t *testing.T) {
	cost := func(limit string) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%x = vload.i32x16 %%a, %%m align 4
jump b3(%%m, 0, %%x)
b3(%%stay: i1x16, %%k: i32x16, %%y: i32x16):
  %%few = slt.i32x16 %%k, %s
  %%in = and.i1x16 %%stay, %%few
  %%z = mul.i32x16 %%y, %%y
  %%small = slt.i32x16 %%z, %%x
  %%go = and.i1x16 %%in, %%small
  %%next1 = add.i32x16 %%k, 1
  %%k1 = select.i32x16 %%go, %%next1, %%k
  %%some = any.i1x16 %%go
  branch %%some, b3(%%go, %%k1, %%z), b4
b4:
  vstore.i32x16 %%a, %%k1, %%m align 4`, limit))).PerItem
	}
	require.Less(t, cost("8"), cost("9"))
	require.Less(t, cost("9"), cost("200"))
	require.Equal(t, cost("200"), cost("%x"), "no limit that matters")
}
