package simtc_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

const one = `__kernel void one(__global int *p) { p[get_global_id(0)] = 1; }`

// A Strategy without a target keeps the kernel's.
func TestWayKeepsTheTarget(t *testing.T) {
	for _, o := range []simtc.Options{{Emulate: true}, {Strategy: simtc.Strategy{Target: simtc.Interpreter}}, {Strategy: simtc.Strategy{Target: simtc.WASM}}, {Strategy: simtc.Strategy{Target: simtc.VIR}}} {
		k, err := compile(t, one, o).Kernel("")
		require.NoError(t, err)
		want := k.Target()
		for _, w := range []simtc.Strategy{{}, {Width: 4}} {
			k, err := k.With(w)
			require.NoError(t, err)
			require.Equal(t, want, k.Target())
			settled, err := k.Strategy()
			require.NoError(t, err)
			require.Equal(t, want, settled.Target)
		}
		other, err := k.With(simtc.Strategy{Target: simtc.VIR})
		require.NoError(t, err)
		require.Equal(t, simtc.VIR, other.Target())
	}
}

// Widths whose values take many registers must be requested: they run, but are not planned.
func TestLargeWidths(t *testing.T) {
	for _, w := range []int{32, 64} {
		p := compile(t, one, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Width: w}})
		require.NoError(t, simtc.Available(simtc.WASM))
		k, err := p.Kernel("")
		require.NoError(t, err)
		way, err := k.Strategy()
		require.NoError(t, err)
		require.Equal(t, w, way.Width)
		require.NoError(t, k.Build())
		all, err := k.Strategies(simtc.WASM)
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(all, func(x simtc.Strategy) bool { return x.Width == w }))
		open, err := compile(t, one, simtc.Options{}).Kernels()[0].Strategies(simtc.WASM)
		require.NoError(t, err)
		require.False(t, slices.ContainsFunc(open, func(x simtc.Strategy) bool { return x.Width > 16 }))
	}
}

// For completes the range and returns an error for an invalid one.
func TestForOfInvalidRanges(t *testing.T) {
	for _, target := range simtc.Targets() {
		k, err := compile(t, one, simtc.Options{Strategy: simtc.Strategy{Target: target}}).Kernel("")
		require.NoError(t, err)
		for _, r := range []simtc.Range{simtc.NDRange(1, 1, 1, 1), simtc.NDRange(), {Dims: -1}} {
			_, err = k.For(r)
			require.Error(t, err, "%s: %v", target, r)
		}
		_, err = k.For(simtc.NDRange(100))
		require.NoError(t, err)
	}
}
