package simtc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

func TestScratch(t *testing.T) {
	src := `__kernel void f(__global int *out, int n) { int i = get_global_id(0); if (i < n) out[i] = i; }
__kernel void g(__global int *out, __global const int *at, int n) { int i = get_global_id(0); out[at[i]] = i; }
`
	for _, target := range []string{"", "wasm-simd", "vir", "interp"} {
		p, err := simtc.Compile(src, simtc.Options{File: "f.cl", Target: target, Checked: true, Verify: true})
		require.NoError(t, err)
		array := make([]int32, 8)
		k, _ := p.Kernel("f")
		err = k.Launch(context.Background(), simtc.NDRange(64), array[:4], int32(8))
		t.Log(target, err)
		var f *simtc.Fault
		require.True(t, errors.As(err, &f))
		k, _ = p.Kernel("g")
		err = k.Launch(context.Background(), simtc.NDRange(8), array[:4], []int32{3, 2, 1, 0, 1, 2, 4, 0}, int32(8))
		t.Log(target, err)
		require.True(t, errors.As(err, &f))
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(8), array[:4], []int32{3, 2, 1, 0, 1, 2, 3, 0}, int32(8)))
		t.Log(array)
	}
}
