package simtc

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/launch/native"
)

// dotKernels compute dot products of rows of a, the same for all work-items, with columns of b.
var dotKernels = []struct {
	name, body       string
	signedA, signedB bool
	saturates        bool
}{
	{"uu", "s += dot_4x8packed_uu_uint(a[k], b[k * n + i]);", false, false, false},
	{"ss", "s += dot_4x8packed_ss_int(a[k], b[k * n + i]);", true, true, false},
	{"us", "s += dot_4x8packed_us_int(a[k], b[k * n + i]);", false, true, false},
	{"su", "s += dot_4x8packed_su_int(a[k], b[k * n + i]);", true, false, false},
	{"vectors", "s += dot(((global const char4 *)a)[k], ((global const uchar4 *)b)[k * n + i]);", true, false, false},
	{"saturating uu", "s = dot_acc_sat_4x8packed_uu_uint(a[k], b[k * n + i], s);", false, false, true},
	{"saturating ss", "s = dot_acc_sat_4x8packed_ss_int(a[k], b[k * n + i], s);", true, true, true},
	{"saturating us", "s = dot_acc_sat_4x8packed_us_int(a[k], b[k * n + i], s);", false, true, true},
	{"saturating su", "s = dot_acc_sat(((global const char4 *)a)[k], ((global const uchar4 *)b)[k * n + i], (int)s);", true, false, true},
	{"by hand", `for (int j = 0; j < 32; j += 8)
			s += (a[k] >> j & 255) * (char)(b[k * n + i] >> j);`, false, true, false},
}

const dotRows, dotColumns = 7, 70

// dotData returns rows and columns with extreme and other bytes, and initial sums.
func dotData() (a, b, sums []uint32) {
	edges := []uint32{0x80808080, 0xffffffff, 0x7f7f7f7f, 0, 0x80ff7f80, 0x01020304, 0xff00817f}
	for i := range dotRows {
		a = append(a, edges[i])
	}
	for i := range dotRows * dotColumns {
		x := edges[i%len(edges)]
		if i%3 == 0 {
			x = uint32(i) * 2654435761
		}
		b = append(b, x)
	}
	for i := range dotColumns {
		sums = append(sums, []uint32{0, math.MaxInt32, 1 << 31, math.MaxUint32, uint32(i) * 1000003}[i%5])
	}
	return a, b, sums
}

// dotReference computes one sum.
func dotReference(signedA, signedB, saturates bool, a, b []uint32, column int, sum uint32) uint32 {
	byteOf := func(x uint32, k int, signed bool) int64 {
		if signed {
			return int64(int8(x >> (8 * k)))
		}
		return int64(uint8(x >> (8 * k)))
	}
	for k, x := range a {
		product := int64(0)
		for j := range 4 {
			product += byteOf(x, j, signedA) * byteOf(b[k*dotColumns+column], j, signedB)
		}
		switch {
		case !saturates:
			sum += uint32(product)
		case signedA || signedB:
			sum = uint32(min(max(int64(int32(sum))+product, math.MinInt32), math.MaxInt32))
		default:
			sum = uint32(min(int64(sum)+product, math.MaxUint32))
		}
	}
	return sum
}

// Dot products have the same results with AVX512_VNNI, which launches use where the processor has
// it, and without. Emitted code does not require it.
func TestDotProductInstructions(t *testing.T) {
	a, b, sums := dotData()
	for _, test := range dotKernels {
		source := fmt.Sprintf(`kernel void rows(global const uint *a, global const uint *b, global uint *out, int rows) {
	size_t i = get_global_id(0), n = get_global_size(0);
	uint s = out[i];
	for (int k = 0; k < rows; k++) {
		%s
	}
	out[i] = s;
}`, test.body)
		want := make([]uint32, dotColumns)
		for i, sum := range sums {
			want[i] = dotReference(test.signedA, test.signedB, test.saturates, a, b, i, sum)
		}
		for _, level := range []native.Level{native.V4, native.VNNI} {
			for _, width := range []int{1, 4, 8, 16, 32, 64} {
				t.Run(fmt.Sprintf("%s level %d x%d", test.name, level, width), func(t *testing.T) {
					defer native.Assume(level)()
					p, err := Compile(source, Options{Strategy: Strategy{Target: AVX512, Width: width}, Emulate: true, Debug: Debug{Verify: true}})
					require.NoError(t, err)
					defer func() { require.NoError(t, p.Close()) }()
					k := p.Kernels()[0]
					out := append([]uint32(nil), sums...)
					require.NoError(t, k.Launch(context.Background(), NDRange(dotColumns), a, b, out, int32(dotRows)))
					require.Equal(t, want, out)
					stats, err := k.Stats()
					require.NoError(t, err)
					require.Equal(t, level == native.VNNI, stats["dot products formed"] > 0)
					listing, err := k.Emit("asm")
					require.NoError(t, err)
					require.NotContains(t, string(listing), "vpdpbusd")
				})
			}
		}
	}
}
