package utest

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// TestHalfPrecisionFunctions checks the results of the half_ functions that are not a matter of
// precision: NaN for NaN arguments of any payload, and for the trigonometric functions numbers for
// all finite arguments, those of half_sin and half_cos from -1 to 1 (OpenCL C 1.2 §7.4).
func TestHalfPrecisionFunctions(t *testing.T) {
	names := strings.Fields("cos sin tan exp exp2 exp10 log log2 log10 recip rsqrt sqrt")
	var source strings.Builder
	source.WriteString("kernel void k(global const float *x, global float *out) { size_t i = get_global_id(0), n = get_global_size(0);\n")
	for j, name := range names {
		source.WriteString("out[" + string(rune('A'+j)) + " * n + i] = half_" + name + "(x[i]);\n")
	}
	source.WriteString("out[POWR * n + i] = half_powr(x[i], 2.5f); out[(POWR + 1) * n + i] = half_powr(2.5f, x[i]);\n")
	source.WriteString("out[(POWR + 2) * n + i] = half_divide(x[i], 2.5f); out[(POWR + 3) * n + i] = half_divide(2.5f, x[i]);\n}\n")
	text := source.String()
	for j := range names {
		text = strings.Replace(text, "["+string(rune('A'+j))+" ", "["+strconv.Itoa(j)+" ", 1)
	}
	text = strings.ReplaceAll(text, "POWR", strconv.Itoa(len(names)))
	p, err := simtc.Compile(text, simtc.Options{Debug: simtc.Debug{EmulateMissing: true}})
	require.NoError(t, err)
	defer p.Close()
	var x []float32
	for _, bits := range []uint32{0x7fc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffffffff, 0x7fef7a9a, 0xffee8daf, 0x7fc00100, 0xffc001ff, 0x7fc12345} {
		x = append(x, math.Float32frombits(bits))
	}
	nans := len(x)
	for e := -149; e < 128; e += 3 {
		x = append(x, float32(math.Ldexp(1.37, e)), float32(-math.Ldexp(1.91, e)))
	}
	x = append(x, math.MaxFloat32, -math.MaxFloat32, -0x1p113)
	for _, w := range halfWays(t) {
		k, err := p.Kernel("k")
		require.NoError(t, err)
		k, err = k.With(w)
		require.NoError(t, err)
		out := make([]float32, (len(names)+4)*len(x))
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(uint64(len(x))), x, out), w)
		for j := range len(names) + 4 {
			for i, a := range x {
				y := float64(out[j*len(x)+i])
				if i < nans {
					require.True(t, math.IsNaN(y), "%s: function %d of %#x is %v", w, j, math.Float32bits(a), y)
				} else if j < 3 {
					require.False(t, math.IsNaN(y) || j < 2 && math.Abs(y) > 1, "%s: half_%s(%v) is %v", w, names[j], a, y)
				}
			}
		}
	}
}
