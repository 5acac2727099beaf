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
	// Of a launch: its arguments, its groups, an executor's frames.
	const most, mostNative = 50, 36
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
		if k.Target() == simtc.AVX512 {
			require.Less(t, least, float64(mostNative), "%+v", options)
		}
		require.Less(t, least, float64(most), "%+v", options)
	}
}

// BenchmarkLaunch takes as long as a launch does that has hardly anything to do.
func BenchmarkLaunch(b *testing.B) {
	for _, target := range []string{simtc.AVX512, simtc.WASM} {
		b.Run(target, func(b *testing.B) {
			if err := simtc.Available(target); err != nil {
				b.Skip(err)
			}
			p, err := simtc.Compile("kernel void inc(global int *a) { a[get_global_id(0)]++; }", simtc.Options{Target: target, Threads: 1, NoTuning: true})
			require.NoError(b, err)
			defer p.Close()
			k, err := p.Kernel("inc")
			require.NoError(b, err)
			a, ctx := make([]int32, 64), context.Background()
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, k.Launch(ctx, simtc.NDRange(64), a))
			}
		})
	}
}
