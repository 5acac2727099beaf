package simtc_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// How a kernel is compiled is settled by its first launch: those that follow only look
// it up. The allocations of one tell, being many where loops are looked at again.
func TestLaunchesSettleOnce(t *testing.T) {
	const source = `
	kernel void mix(global const int *a, global int *out, int n) {
		int s = 0;
		for (int i = 0; i < n; i++) s += a[i] * i;
		out[get_global_id(0)] = s;
	}`
	const most = 50 // of a launch: its arguments, its groups, an executor's frames
	for _, options := range []simtc.Options{
		{}, {NoTuning: true}, {Linearize: simtc.BlockIP}, {Width: 16}, {Width: 1}, {Lanes: simtc.Rounds}, {Target: simtc.WASM},
	} {
		p := compile(t, source, options)
		k, err := p.Kernel("mix")
		require.NoError(t, err)
		a, out := make([]int32, 8), make([]int32, 8)
		// What is done in each launch is done in the cheapest, too; others may find that it
		// is time to make what the tuning tries.
		least := math.Inf(1)
		for range 20 {
			least = min(least, testing.AllocsPerRun(1, func() {
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(8), a, out, int32(8)))
			}))
		}
		require.Less(t, least, float64(most), "%+v", options)
	}
}
