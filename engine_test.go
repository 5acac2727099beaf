package simtc

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/wasmhost"
)

// TestEnginesOptimizeOrNot checks that both compilers give the same results, and that launches try
// the one that is not the default.
func TestEnginesOptimizeOrNot(t *testing.T) {
	p, err := Compile(machine, Options{Target: WASM})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("machine")
	require.NoError(t, err)
	var want []int32
	for _, width := range []int{1, 8} {
		for _, e := range append(Engines(), "auto") {
			x := mustWith(t, k, Way{Target: WASM, Width: width, Engine: e})
			code, out := make([]uint16, 256*32), make([]int32, 256)
			for i := range code {
				code[i] = uint16(i * i * 40503 >> 7)
			}
			require.NoError(t, x.Launch(context.Background(), NDRange(256), code, out, int32(100)))
			if want == nil {
				want = out
			}
			require.Equal(t, want, out, "%s x%d", e, width)
		}
	}

	x, err := k.tuned()
	require.NoError(t, err)
	tried := map[config]bool{}
	for _, c := range x.configs {
		tried[c] = true
	}
	_, can := engine().(wasmhost.Optimizer)
	for _, c := range x.configs {
		if c.engine == "" {
			c.engine = map[bool]string{true: Plain, false: Optimized}[c.width == 1]
			require.Equal(t, can, tried[c], "%s", c.label())
		}
	}
}

// TestEngineDefaults checks that plain is the default for long scalar code, so that launches do not
// try it again, and that unknown values are errors.
func TestEngineDefaults(t *testing.T) {
	p, err := Compile("#define A(x) x x x x x x x x\n__kernel void k(__global int *p, int n) { int v = p[get_global_id(0)];\nA(A(A(A(v = v * n ^ (v >> 3);))))\np[get_global_id(0)] = v; }", Options{Target: WASM})
	require.NoError(t, err)
	defer p.Close()
	s := p.Kernels()[0].shared
	c, err := s.settle(mustWith(t, p.Kernels()[0], Way{Target: WASM, Width: 1}).cfg)
	require.NoError(t, err)
	_, err = s.settledExecutor(c)
	require.NoError(t, err)
	require.False(t, s.variant(c).code.(wasmCode).optimize())
	if _, can := engine().(wasmhost.Optimizer); can {
		_, versions := s.otherEngine(c, 2)
		require.Equal(t, 2, versions[0].After)
		_, err = versions[0].Make()
		require.ErrorIs(t, err, errSameCode)
	}

	_, err = p.Kernels()[0].With(Way{Target: WASM, Engine: "warp"})
	require.ErrorContains(t, err, "auto, plain, optimized")
	_, err = p.Kernels()[0].With(Way{Target: AVX512, Engine: Plain})
	require.ErrorContains(t, err, "avx512")
}
