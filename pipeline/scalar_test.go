package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets"
)

// TestNoForms checks that equal code is not a version, and that a form must be supported by the
// target.
func TestNoForms(t *testing.T) {
	k := compile(t, "__kernel void k(__global int *p) { p[get_global_id(0)] += 1; }", testOptions{Strategy: Strategy{Target: AVX512}})[0]
	ways, err := k.Strategies(AVX512)
	require.NoError(t, err)
	for _, w := range ways {
		require.Empty(t, w.Scalar)
	}
	configs, versions := k.shared.otherScalarForms(Choice{target: allTargets[0], linearizer: linearizers[0], width: 1}, 3)
	require.Len(t, configs, len(Scalars())-1, "a candidate is compared once it is compiled")
	for _, v := range versions {
		require.Equal(t, 3, v.After)
		_, err := v.Make()
		require.ErrorIs(t, err, errSameCode)
	}
	_, err = k.With(Strategy{Target: AVX512, Scalar: "goto"})
	require.ErrorContains(t, err, "auto, threaded, switch, selects")
	_, err = k.With(Strategy{Target: WASM, Scalar: targets.Switch})
	require.ErrorContains(t, err, "wasm-simd")
}
