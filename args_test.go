package simtc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// nil is a null pointer whatever its type; a slice without elements is not, but to no memory.
func TestNullAndEmptyBuffers(t *testing.T) {
	const source = `__kernel void null(__global int *out, __global int *p) { out[0] = p == 0 ? 1 : 2; }`
	some := make([]int32, 4)
	for _, target := range simtc.Targets() {
		p := compile(t, source, simtc.Options{Target: target, Emulate: target == simtc.AVX512})
		null, err := p.Kernel("null")
		require.NoError(t, err)
		for _, c := range []struct {
			arg  any
			want int32
		}{
			{nil, 1}, {[]int32(nil), 1}, {[]byte(nil), 1}, {simtc.Buffer(nil), 1},
			{[]int32{}, 2}, {some[:0], 2}, {some[4:], 2}, {simtc.Buffer([]byte{}), 2}, {make([]struct{}, 3), 2}, {some, 2},
		} {
			out := make([]int32, 1)
			require.NoError(t, null.Launch(context.Background(), simtc.NDRange(1), out, c.arg))
			require.Equal(t, c.want, out[0], "%s: %#v", target, c.arg)
		}
	}
}
