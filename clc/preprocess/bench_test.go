package preprocess

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// kernelText returns a program with the given number of lines that resembles OpenCL
// kernels.
func kernelText(lines int) string {
	var b strings.Builder
	b.WriteString("#define LOCAL_SIZE 64\n#define MAD(a, b, c) mad((a), (b), (c))\n#define N (LOCAL_SIZE * 4)\n")
	const perKernel = 19
	for n := 0; n < lines/perKernel; n++ {
		fmt.Fprintf(&b, `
/* Kernel number %d: a sum of products. */
__kernel void kernel_%d(__global const float *restrict input, __global float *output, const uint count)
{
    const uint gid = get_global_id(0); // the work-item
    float sum_%d = 0.0f;
    if (gid >= count)
        return;
#if LOCAL_SIZE > 32
    for (uint i = 0; i < N; i += 1) {
        sum_%d = MAD(input[gid * N + i], 1.5f, sum_%d);
        if (sum_%d > 1e10f && i != 0x1fu)
            break;
    }
#else
    sum_%d = input[gid];
#endif
    output[gid] = sum_%d;
}
`, n, n, n, n, n, n, n, n)
	}
	return b.String()
}

func BenchmarkPreprocess(b *testing.B) {
	for _, lines := range []int{100, 5000, 50000} {
		text := kernelText(lines)
		b.Run(fmt.Sprint(lines, "lines"), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			var toks []token.Token
			for b.Loop() {
				var errs diag.List
				toks = Run("bench.cl", text, Options{}, &errs)
				if errs.Len() > 0 {
					b.Fatal(errs.Err())
				}
			}
			b.ReportMetric(float64(len(toks))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mtokens/s")
		})
	}
}

func TestLargeFileIsLinear(t *testing.T) {
	allocs := func(lines int) float64 {
		text := kernelText(lines)
		return testing.AllocsPerRun(2, func() {
			var errs diag.List
			toks := Run("x.cl", text, Options{}, &errs)
			require.Greater(t, len(toks), lines)
		})
	}
	require.Less(t, allocs(10_000), 3*allocs(5_000))
}
