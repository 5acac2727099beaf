package simtc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

const one = `__kernel void one(__global int *p) { p[get_global_id(0)] = 1; }`

// A Way that names no target is one of the kernel's.
func TestWayKeepsTheTarget(t *testing.T) {
	for _, o := range []simtc.Options{{Emulate: true}, {Target: simtc.Interpreter}, {Target: simtc.WASM}, {Target: simtc.VIR}} {
		k, err := compile(t, one, o).Kernel("")
		require.NoError(t, err)
		want := k.Target()
		for _, w := range []simtc.Way{{}, {Width: 4}} {
			k, err := k.With(w)
			require.NoError(t, err)
			require.Equal(t, want, k.Target())
			settled, err := k.Way()
			require.NoError(t, err)
			require.Equal(t, want, settled.Target)
		}
		other, err := k.With(simtc.Way{Target: simtc.VIR})
		require.NoError(t, err)
		require.Equal(t, simtc.VIR, other.Target())
	}
}

// For completes the range itself and reports one that cannot be.
func TestForOfWrongRanges(t *testing.T) {
	for _, target := range simtc.Targets() {
		k, err := compile(t, one, simtc.Options{Target: target}).Kernel("")
		require.NoError(t, err)
		for _, r := range []simtc.Range{simtc.NDRange(1, 1, 1, 1), simtc.NDRange(), {Dims: -1}} {
			_, err = k.For(r)
			require.Error(t, err, "%s: %v", target, r)
		}
		_, err = k.For(simtc.NDRange(100))
		require.NoError(t, err)
	}
}
