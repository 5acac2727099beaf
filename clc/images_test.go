package clc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
)

// TestImages compiles samplers and images in all places where programs may use them.
func TestImages(t *testing.T) {
	m, err := clc.Compile("in.cl", `
typedef image2d_t picture;
sampler_t a = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
const sampler_t b = CLK_ADDRESS_CLAMP_TO_EDGE;
static constant const sampler_t c = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
float4 get(picture im, sampler_t s, float2 at) { return read_imagef(im, s, at); }
float4 copied(read_write image2d_t im, int2 at) {
  float4 v = read_imagef(im, at);
  write_imagef(im, at + 1, v);
  return get(im, b, convert_float2(at));
}
kernel void k(__read_only image2d_t in, __write_only image3d_t out, read_write image2d_t both, sampler_t s,
              image2d_depth_t z, write_only image2d_array_depth_t zs, global float4 *p, image1d_buffer_t numbers) {
  __constant sampler_t d = CLK_ADDRESS_NONE;
  const sampler_t e = CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float2 f = convert_float2(at);
  p[0] = get(in, a, f) + get(in, b, f) + get(in, c, f) + get(in, s, f) + read_imagef(in, d, at) + read_imagef(in, e, f);
  p[1] = copied(both, at) + read_imagef(in, CLK_ADDRESS_CLAMP, at) + read_imagef(z, s, f) + read_imagef(z, at);
  write_imagef(out, (int4)(at, 0, 0), (float4)(get_image_width(out), get_image_height(z), get_image_depth(out), 1));
  write_imagef(zs, (int4)(at, 1, 0), read_imagef(numbers, at.x).w);
  half4 h = read_imageh(in, at);
  write_imageh(both, at, h);
  if (get_image_channel_data_type(in) == CLK_UNORM_INT8 && get_image_channel_order(in) == CLK_RGBA) p[2] = 0;
}`, clc.Options{})
	require.NoError(t, err)
	f := m.Funcs[0]
	require.NoError(t, kernel.Verify(f))
	for i, want := range []struct {
		kind     kernel.ArgKind
		typ      alu.Type
		elem     string
		size     int
		readOnly bool
	}{
		{kernel.ArgImage, alu.PtrConstant, "image2d_t", 8, true},
		{kernel.ArgImage, alu.PtrConstant, "image3d_t", 8, false},
		{kernel.ArgImage, alu.PtrConstant, "image2d_t", 8, false},
		{kernel.ArgScalar, alu.I32, "uint", 4, false},
		{kernel.ArgImage, alu.PtrConstant, "image2d_depth_t", 8, true},
		{kernel.ArgImage, alu.PtrConstant, "image2d_array_depth_t", 8, false},
		{kernel.ArgBuffer, alu.PtrGlobal, "float", 8, false},
		{kernel.ArgImage, alu.PtrConstant, "image1d_buffer_t", 8, true},
	} {
		a := f.Args[i]
		require.Equal(t, want.kind, a.Kind, a.Name)
		require.Equal(t, want.typ, a.Type, a.Name)
		require.Equal(t, want.elem, a.Elem, a.Name)
		require.Equal(t, want.size, a.Size, a.Name)
		require.Equal(t, want.readOnly, a.ReadOnly, a.Name)
	}
	again, err := kernel.Parse("out.simt", m.String())
	require.NoError(t, err)
	require.Equal(t, m.String(), again.String())
}

// TestImageCodeSize bounds the number of operations of an image call, which determines
// the compile time of kernels with many calls.
func TestImageCodeSize(t *testing.T) {
	for _, c := range []struct {
		call string
		most int
	}{
		{"read_imagef(im, at)", 170},
		{"read_imagef(im, edge, at)", 250},
		{"read_imagef(im, edge, convert_float2(at))", 215},
		{"read_imagef(im, smooth, convert_float2(at))", 250},
	} {
		m, err := clc.Compile("in.cl", `
const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE;
const sampler_t smooth = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void k(image2d_t im, global float4 *p, int2 at) { p[0] = `+c.call+`; }`, clc.Options{})
		require.NoError(t, err)
		n := 0
		for _, b := range m.Funcs[0].Blocks {
			n += len(b.Values)
		}
		require.LessOrEqual(t, n, c.most, c.call)
	}
}
