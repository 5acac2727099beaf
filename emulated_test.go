package simtc_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Code for AVX-512 can be emulated on any machine, with locations in its errors.
func TestEmulate(t *testing.T) {
	p, err := simtc.Compile(`
__kernel void scale(__global float *out, float by, int n) {
  int i = get_global_id(0), j = 0;
  while (j < i % n)
    j += n > 1000 ? 0 : 1;
  out[i] = out[i] * by + j;
}
__kernel void wild(__global float *out, __global int *at) {
  int i = get_global_id(0); out[i] += out[at[i]];
}
`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}, File: "scale.cl", Emulate: true, MaxSteps: 1 << 24})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("scale")
	require.NoError(t, err)
	out := make([]float32, 100)
	for i := range out {
		out[i] = float32(i)
	}
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(100), out, 0.5, 7))
	for i, x := range out {
		require.Equal(t, float32(i)*0.5+float32(i%7), x)
	}
	err = k.Launch(context.Background(), simtc.NDRange(101), out, 0.5, 7)
	require.EqualError(t, err, "kernel scale: scale.cl:6:15: read of 4 bytes out of bounds: index 100 (byte 400) of parameter 'out', which has 400 bytes; work-item (100, 0, 0)")
	wild, err := p.Kernel("wild")
	require.NoError(t, err)
	err = wild.Launch(context.Background(), simtc.NDRange(100), out, make([]int32, 100))
	require.NoError(t, err)
	err = wild.Launch(context.Background(), simtc.NDRange(100), out, []int32{99: 1 << 20})
	require.ErrorContains(t, err, "kernel wild: scale.cl:9:42: emulated code: v")
	require.ErrorContains(t, err, ": invalid read of ")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, k.Launch(ctx, simtc.NDRange(100), out, 0.5, 1001), context.DeadlineExceeded)
	err = k.Launch(context.Background(), simtc.NDRange(100), out, 0.5, 1001)
	require.ErrorContains(t, err, "emulated code has not returned after 16777216 instructions")
	profile, err := k.Profile(context.Background(), simtc.NDRange(100), out, 0.5, 7)
	require.NoError(t, err)
	require.NotEmpty(t, profile.Lines)
}
