package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
)

// TestEngineDefaults checks that plain is the default for long scalar code, so that launches do not
// try it again, and that unknown values are errors.
func TestEngineDefaults(t *testing.T) {
	k := compile(t, "#define A(x) x x x x x x x x\n__kernel void k(__global int *p, int n) { int v = p[get_global_id(0)];\nA(A(A(A(v = v * n ^ (v >> 3);))))\np[get_global_id(0)] = v; }", testOptions{Strategy: Strategy{Target: WASM}})[0]
	s := k.shared
	c, err := s.settle(mustWith(t, k, Strategy{Target: WASM, Width: 1}).cfg)
	require.NoError(t, err)
	_, err = s.settledExecutor(c)
	require.NoError(t, err)
	require.False(t, s.variant(c).optimized())
	if _, can := engine().(wasmhost.Optimizer); can {
		_, versions := s.otherEngine(c, 2)
		require.Equal(t, 2, versions[0].After)
		_, err = versions[0].Make()
		require.ErrorIs(t, err, errSameCode)
	}

	_, err = k.With(Strategy{Target: WASM, Engine: "warp"})
	require.ErrorContains(t, err, "auto, plain, optimized")
	_, err = k.With(Strategy{Target: AVX512, Engine: Plain})
	require.ErrorContains(t, err, "avx512")
}
