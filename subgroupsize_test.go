package simtc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// With a known sub-group size, the source lanes of shuffles in a loop over distances are constant: they
// become permutations instead of memory accesses.
func TestSubGroupsOfKnownSize(t *testing.T) {
	p, err := simtc.Compile(`
__kernel void tree(__global float *out, __global const float *in) {
  float x = in[get_global_id(0)];
  for (uint d = get_max_sub_group_size() / 2; d > 0; d >>= 1) x += sub_group_shuffle_xor(x, d);
  out[get_global_id(0)] = x;
}`, simtc.Options{File: "tree.cl", Debug: simtc.Debug{Verify: true}})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("tree")
	require.NoError(t, err)
	for width, steps := range map[int]int{4: 2, 16: 4, 64: 6} {
		for _, linearizer := range []string{simtc.Partial, simtc.BlockIP} {
			k, err := k.With(simtc.Strategy{Target: simtc.VIR, Width: width, Linearizer: linearizer})
			require.NoError(t, err)
			text, err := k.Emit("vir")
			require.NoError(t, err)
			require.NotContains(t, string(text), "gather")
			n := strings.Count(string(text), " = shuffle.")
			require.Positive(t, n)
			require.Zero(t, n%steps, "%d shuffles in copies of %d steps", n, steps)
		}
	}
}
