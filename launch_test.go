package simtc_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// The first launch settles the strategy of a kernel; later ones look it up. This shows in the number
// of allocations, which is large if loops are analyzed again.
func TestLaunchesSettleOnce(t *testing.T) {
	const source = `
	kernel void mix(global const int *a, global int *out, int n) {
		int s = 0;
		for (int i = 0; i < n; i++) s += a[i] * i;
		out[get_global_id(0)] = s;
	}`
	// The allocations of a launch: its arguments, its groups, an executor's frames.
	const most, maxNative = 50, 36
	for _, options := range []simtc.Options{
		{}, {NoTuning: true}, {Strategy: simtc.Strategy{Linearizer: simtc.BlockIP}}, {Strategy: simtc.Strategy{Width: 16}}, {Strategy: simtc.Strategy{Width: 1}}, {Strategy: simtc.Strategy{Lanes: simtc.Iterations}}, {Strategy: simtc.Strategy{Target: simtc.WASM}},
	} {
		p := compile(t, source, options)
		k, err := p.Kernel("mix")
		require.NoError(t, err)
		a, out := make([]int32, 8), make([]int32, 8)
		// The cheapest launch has only the fixed work; others may also create a tuning candidate.
		least := math.Inf(1)
		for range 20 {
			least = min(least, testing.AllocsPerRun(1, func() {
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(8), a, out, int32(8)))
			}))
		}
		if k.Target() == simtc.AVX512 {
			require.Less(t, least, float64(maxNative), "%+v", options)
		}
		require.Less(t, least, float64(most), "%+v", options)
	}
}

// BenchmarkLaunch measures a launch with almost no work.
func BenchmarkLaunch(b *testing.B) {
	for _, target := range []string{simtc.AVX512, simtc.WASM} {
		b.Run(target, func(b *testing.B) {
			if err := simtc.Available(target); err != nil {
				b.Skip(err)
			}
			p, err := simtc.Compile("kernel void inc(global int *a) { a[get_global_id(0)]++; }", simtc.Options{Strategy: simtc.Strategy{Target: target}, Threads: 1, NoTuning: true})
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
