package pipeline

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/launch"
)

// walks has two kernels for which scalar and vector code take similar time, as gathers dominate. Each
// launch adds to the previous result, so that work done twice or not at all shows.
const walks = `
__kernel void walk(__global const uint *next, __global uint *out) {
  uint i = get_global_linear_id(), at = i, s = 0;
  for (uint k = 0; k < (i & 31) + 8; k++) {
    at = next[at];
    s = s * 31 + at;
  }
  out[i] += s;
}

__kernel void walk_groups(__global const uint *next, __global uint *out) {
  __local uint shared[64];
  uint i = get_global_linear_id(), n = get_local_size(0), l = get_local_id(0), at = i, s = 0;
  for (uint k = 0; k < (i & 31) + 8; k++) {
    at = next[at];
    s = s * 31 + at;
  }
  shared[l] = s;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] += shared[(l + 1) % n];
}
`

// TestOpenTargetsTryNativeCode checks that, if the target is open and vectors run in an engine, launches
// also try native one-lane code, before the engine's; a requested target is kept.
func TestOpenTargetsTryNativeCode(t *testing.T) {
	if err := nativeAvailable(&Settings{}, 1); err != nil {
		t.Skipf("NOT TESTED: no native code beside that of an engine: %v", err)
	}
	for _, open := range []bool{true, false} {
		for _, name := range []string{"walk", "walk_groups"} {
			ks := compile(t, walks, testOptions{Strategy: Strategy{Target: WASM}, clc: clc.Options{Std: "3.0"}})
			k := ks[slices.IndexFunc(ks, func(k *Kernel) bool { return k.Name() == name })]
			k.cfg.open = open // as without AVX-512
			r, err := k.Resolve(launch.Of(1 << 14).WithLocal(64))
			require.NoError(t, err)
			f, err := k.For(r)
			require.NoError(t, err)
			x, err := f.tuned()
			require.NoError(t, err)
			at := func(target string) int {
				return slices.IndexFunc(x.configs, func(c Choice) bool { return c.target.name == target && c.width == 1 })
			}
			if open {
				require.Greater(t, at(AVX512), 0, name)
				if wasm := at(WASM); wasm > 0 {
					require.Equal(t, wasm-1, at(AVX512), name)
				}
			} else {
				require.Equal(t, -1, at(AVX512), name)
			}
			if open {
				next, out := make([]byte, 4<<14), make([]byte, 4<<14)
				for launches := 0; x.Comparisons() == 0; launches++ {
					require.Less(t, launches, 100_000, "the candidates have not been compared")
					require.NoError(t, x.Launch(context.Background(), r, []launch.Arg{launch.Buffer(next), launch.Buffer(out)}, 2))
				}
				require.NotNil(t, k.shared.built(x.configs[at(AVX512)]), "native code was not made")
			}
		}
	}
}

// TestCandidatesAreSettled checks that a candidate of a plan is compiled as listed, whatever the other
// candidates are.
func TestCandidatesAreSettled(t *testing.T) {
	const source = `__kernel void f(__global const uchar *s, __global int *p) {
	int i = 0;
	while (i < 500 && s[get_global_id(0) * 9 + i] != 3)
		i++;
	p[get_global_id(0)] = i;
}`
	k := compile(t, source, testOptions{Strategy: Strategy{Target: VIR}})[0]
	_, err := k.shared.prepared()
	require.NoError(t, err)
	plan, err := k.shared.planFor(k.cfg)
	require.NoError(t, err)
	of := map[bool]int{}
	for _, c := range plan.configs {
		settled, err := k.shared.settle(c)
		require.NoError(t, err)
		require.Equal(t, c, settled, c.label())
		of[c.lanes == Iterations]++
	}
	require.Equal(t, 1, of[true])
	require.Greater(t, of[false], 5)
}
