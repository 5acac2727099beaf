package masks_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt/masks"
	"github.com/simtc/simtc/vir/opt/opttest"
)

// Consecutive values that start at a multiple of the width, anywhere in the range of the type,
// compared by every operator with values near and far, for all lane counts. Whether a strip has
// a lane for which the comparison holds is stored.
func TestEdgeLanesKeepResults(t *testing.T) {
	stats := opttest.Keeps(t, 400, masks.EdgeLanes, func(rng *rand.Rand) string {
		width := 4 << rng.Intn(3)
		start := []int64{0, 1 << 31, -1 << 31, -64, 1<<31 - 64, 1 << 40}[rng.Intn(6)]
		elem := []string{"i32", "i64"}[rng.Intn(2)]
		d := start + int64(rng.Intn(80)-8)
		if rng.Intn(4) == 0 {
			d = int64(rng.Uint64())
		}
		order := "%ids, %ds"
		if rng.Intn(2) == 0 {
			order = "%ds, %ids"
		}
		cond := "%cmp"
		if rng.Intn(3) > 0 {
			cond = "%both"
		}
		a, d32 := "%at", fmt.Sprint(d)
		if elem == "i32" {
			a, d32 = "%at32", fmt.Sprint(int32(d))
		}
		return fmt.Sprintf(`vir f width %[1]d scratch 0 groups phases {
entry:
  %%c = context
  %%args = load.i64 %%c disp 184 align 8 invariant
  %%p = load.i64 %%args disp 8 align 8 invariant
  jump strip(0)
strip(%%i: i64):
  %%at = add.i64 %%i, %[2]d
  %%at32 = trunc.i32 %%at
  %%as = splat.%[3]sx%[1]d %[4]s
  %%io = iota.%[3]sx%[1]d at 0
  %%ids = add.%[3]sx%[1]d %%as, %%io
  %%ds = splat.%[3]sx%[1]d %[5]s:%[3]s
  %%left = sub.i64 %[6]d, %%i
  %%m = prefix.i1x%[1]d %%left at 0
  %%cmp = %[7]s.%[3]sx%[1]d %[8]s
  %%both = and.i1x%[1]d %%m, %%cmp
  %%any = any.i1x%[1]d %[9]s
  branch %%any, yes, no
yes:
  %%q = add.i64 %%p, %%i
  store.i32 %%q, 1:i32 disp 1024 align 4
  jump no
no:
  %%next = add.i64 %%i, %[1]d
  %%on = slt.i64 %%next, 64
  branch %%on, strip(%%next), exit
exit:
  return
}
`, width, start, elem, a, d32, rng.Intn(80)-8, []string{"eq", "ult", "ule", "slt", "sle"}[rng.Intn(5)], order, cond)
	})
	require.EqualValues(t, 400, stats["tests of edge lanes"])
}
