package simtc_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// nil of any type is a null pointer; an empty slice is a pointer to no memory.
func TestNullAndEmptyBuffers(t *testing.T) {
	const source = `__kernel void null(__global int *out, __global int *p) { out[0] = p == 0 ? 1 : 2; }`
	some := make([]int32, 4)
	for _, target := range simtc.Targets() {
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Emulate: target == simtc.AVX512})
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

// Floats are rounded to the parameter's type, including half, for which a uint16 is its bits.
// Numbers out of range are errors, as for integers.
func TestFloatArguments(t *testing.T) {
	p := compile(t, `
__kernel void h(__global float *o, half x) { o[0] = x; }
__kernel void h2(__global float *o, half2 x) { o[0] = x.x; o[1] = x.y; }
__kernel void f(__global float *o, float x) { o[0] = x; }`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}})
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		kernel string
		arg    any
		want   [2]float32
		wrong  string
	}{
		{"h", 1, [2]float32{1}, ""},
		{"h", float32(-1.5), [2]float32{-1.5}, ""},
		{"h", 0.1, [2]float32{0.099975586}, ""},
		{"h", uint16(0x3c00), [2]float32{1}, ""},
		{"h", uint8(7), [2]float32{7}, ""},
		{"h", math.Inf(-1), [2]float32{-inf}, ""},
		{"h", 65519, [2]float32{65504}, ""},
		{"h", 65520, [2]float32{}, "wants a value of half, got 65520"},
		{"h", true, [2]float32{}, "wants a value of half, got bool"},
		{"h2", []float32{1, 2}, [2]float32{1, 2}, ""},
		{"h2", []int{1, 2}, [2]float32{1, 2}, ""},
		{"h2", [2]uint16{0x3c00, 0x4000}, [2]float32{1, 2}, ""},
		{"f", math.MaxFloat32, [2]float32{math.MaxFloat32}, ""},
		{"f", math.Inf(1), [2]float32{inf}, ""},
		{"f", 1e300, [2]float32{}, "wants a value of float, got 1e+300"},
		{"f", -1e39, [2]float32{}, "wants a value of float, got -1e+39"},
	} {
		k, err := p.Kernel(c.kernel)
		require.NoError(t, err)
		out := make([]float32, 2)
		err = k.Launch(context.Background(), simtc.NDRange(1), out, c.arg)
		if c.wrong != "" {
			require.ErrorContains(t, err, c.wrong)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, [2]float32(out), "%s(%v)", c.kernel, c.arg)
	}
	k, err := p.Kernel("f")
	require.NoError(t, err)
	out := make([]float32, 1)
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(1), out, math.NaN()))
	require.True(t, out[0] != out[0])
}

// Elements of a slice that are arrays or structs have the layout of the pointee.
func TestElementsOfSlices(t *testing.T) {
	p := compile(t, `
__kernel void f3(__global float3 *p) { p[get_global_id(0)] = 1; }
__kernel void f4(__global float4 *p) { p[get_global_id(0)] = 1; }
__kernel void u3(__global uchar3 *p) { p[get_global_id(0)] = 1; }
__kernel void f1(__global float *p) { p[get_global_id(0)] = 1; }`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}})
	type xyz struct{ X, Y, Z float32 }
	type xyzw struct{ X, Y, Z, W float32 }
	for _, c := range []struct {
		kernel string
		arg    any
		wrong  string
	}{
		{"f3", make([][3]float32, 4), "wants a slice of elements of 16 bytes, those of [][3]float32 have 12; a float3 has the size of 4 floats in memory: pass a slice of [4]float32"},
		{"f3", make([]xyz, 4), "wants a slice of elements of 16 bytes, those of []simtc_test.xyz have 12"},
		{"f3", make([][4]float32, 2), ""},
		{"f3", make([]xyzw, 2), ""},
		{"f3", make([]float32, 8), ""},
		{"f3", make([]byte, 32), ""},
		{"f4", make([][2][4]float32, 1), ""},
		{"f4", make([][2]float32, 4), "wants a slice of elements of 16 bytes"},
		{"u3", make([][3]uint8, 4), "wants a slice of elements of 4 bytes"},
		{"u3", make([]uint8, 8), ""},
		{"f1", make([][3]float32, 1), ""},
		{"f1", make([]xyz, 1), ""},
	} {
		k, err := p.Kernel(c.kernel)
		require.NoError(t, err)
		err = k.Launch(context.Background(), simtc.NDRange(2), c.arg)
		if c.wrong == "" {
			require.NoError(t, err, "%s(%T)", c.kernel, c.arg)
			continue
		}
		require.ErrorContains(t, err, c.wrong)
	}
}

// Local memory beyond the maximum of a work-group is an error with its size.
func TestTooMuchLocalMemory(t *testing.T) {
	const source = `__kernel void k(__global int *o, __local int *l, __local int *m) { l[get_local_id(0)] = 1; o[0] = l[0]; m[0] = 2; }`
	for _, target := range simtc.Targets() {
		k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Emulate: target == simtc.AVX512}).Kernel("")
		require.NoError(t, err)
		launch := func(l, m int) error {
			return k.Launch(context.Background(), simtc.NDRange(1), make([]int32, 1), simtc.LocalMemory(l), simtc.LocalMemory(m))
		}
		require.NoError(t, launch(4, 4))
		require.ErrorContains(t, launch(1<<30, 4), "needs 1073741824 bytes of local memory, more than the maximum of 67108864", target)
		require.ErrorContains(t, launch(4, 1<<30), "needs 1073741952 bytes of local memory", target)
		require.ErrorContains(t, launch(math.MaxInt, math.MaxInt), "bytes of local memory", target)
		require.ErrorContains(t, launch(-1, 4), "a size above 0", target)
	}
}
