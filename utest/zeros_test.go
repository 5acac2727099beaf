package utest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// TestMinMaxOfZeros: of equal numbers max and min give the first (OpenCL C 1.2
// 6.12.4), which shows in the signs of zeros; constants and vectors included.
func TestMinMaxOfZeros(t *testing.T) {
	minus := math.Copysign(0, -1)
	in := []float64{0, 0, 0, minus, minus, 0, minus, minus, 1, 1, 0, 2, -1, minus}
	var bytes []byte
	for _, v := range in {
		bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
	}
	for _, elem := range []string{"half", "float", "double"} {
		p, err := simtc.Compile(fmt.Sprintf(`
#define T %s
#define T2 %[1]s2
__kernel void k(__global double *out, __global const double *in) {
  int i = get_global_id(0);
  T x = in[2 * i], y = in[2 * i + 1];
  T2 v = (T2)(y, x), w = (T2)(x, y);
  __global double *o = out + 6 * i;
  o[0] = max(x, y);
  o[1] = min(x, y);
  o[2] = max(v, w).y;
  o[3] = min(v, w).y;
  o[4] = max(x, (T)0);
  o[5] = min((T2)x, (T)0).x;
}`, elem), simtc.Options{Emulate: emulated, Verify: true})
		require.NoError(t, err)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		for _, w := range fewWays(t) {
			way, err := k.With(w)
			require.NoError(t, err)
			out := make([]byte, 6*8*len(in)/2)
			require.NoError(t, way.Launch(context.Background(), simtc.NDRange(uint64(len(in)/2)), simtc.Buffer(out), simtc.Buffer(bytes)))
			for i := range in[:len(in)/2] {
				x, y := in[2*i], in[2*i+1]
				greater := func(y float64) float64 {
					if x < y {
						return y
					}
					return x
				}
				lesser := func(y float64) float64 {
					if y < x {
						return y
					}
					return x
				}
				for n, want := range []float64{greater(y), lesser(y), greater(y), lesser(y), greater(0), lesser(0)} {
					got := math.Float64frombits(binary.LittleEndian.Uint64(out[8*(6*i+n):]))
					require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s: %s %v %v: %d: %v", w, elem, x, y, n, got)
				}
			}
		}
		require.NoError(t, p.Close())
	}
}
