package builtins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/types"
)

func imageType(t *testing.T, name string, access types.Quals) types.Type {
	t.Helper()
	o, ok := types.ByName(name).(*types.Opaque)
	require.True(t, ok, name)
	return o.WithAccess(access)
}

// TestImageBodies checks that every function on every image type has a body for all
// coordinate types.
func TestImageBodies(t *testing.T) {
	sampler := types.ByName("sampler_t")
	bodies := 0
	for name, coords := range map[string]int{
		"image1d_t": 1, "image1d_buffer_t": 1, "image1d_array_t": 2, "image2d_t": 2, "image2d_array_t": 4, "image3d_t": 4,
		"image2d_depth_t": 2, "image2d_array_depth_t": 4,
	} {
		for _, f := range builtins.Names() {
			if f.Special != "image" {
				continue
			}
			at, atF := types.VectorOf(types.Int, coords), types.VectorOf(types.Float, coords)
			im := imageType(t, name, types.ReadWrite)
			for _, args := range [][]types.Type{
				{im}, {im, at}, {im, sampler, at}, {im, sampler, atF}, {im, types.UInt, atF},
				{im, at, types.VectorOf(types.Float, 4)}, {im, at, types.Float},
			} {
				result, params, handle, err := builtins.Library{}.Lookup(f.Name, args)
				if err != nil {
					continue
				}
				require.NotNil(t, result)
				require.Len(t, params, len(args))
				fn, err := builtins.ImageBody(handle.(*builtins.Call))
				require.NoError(t, err, "%s%v", f.Name, args)
				require.Len(t, fn.Params, len(args))
				bodies++
			}
		}
	}
	require.Greater(t, bodies, 150)
}

func TestImageOverloads(t *testing.T) {
	image := imageType(t, "image2d_t", 0)
	output := imageType(t, "image2d_t", types.WriteOnly)
	sampler := types.ByName("sampler_t")
	int2, float2, float4 := types.VectorOf(types.Int, 2), types.VectorOf(types.Float, 2), types.VectorOf(types.Float, 4)
	for _, c := range []struct {
		name   string
		args   []types.Type
		result string
		err    string
	}{
		{"read_imagef", []types.Type{image, sampler, float2}, "float4", ""},
		{"read_imageui", []types.Type{image, types.Int, int2}, "uint4", ""},
		{"read_imageh", []types.Type{image, int2}, "half4", ""},
		{"read_imagef", []types.Type{imageType(t, "image2d_depth_t", 0), int2}, "float", ""},
		{"write_imagef", []types.Type{output, int2, float4}, "void", ""},
		{"get_image_dim", []types.Type{imageType(t, "image3d_t", 0)}, "int4", ""},
		{"get_image_array_size", []types.Type{imageType(t, "image1d_array_t", 0)}, "ulong", ""},
		{"read_imagef", []types.Type{output, sampler, int2}, "", "the image is write-only"},
		{"write_imagef", []types.Type{image, int2, float4}, "", "the image is read-only"},
		{"read_imagef", []types.Type{image, sampler, types.Int}, "", "the coordinates must be int2 or float2"},
		{"read_imagef", []types.Type{image, float2}, "", "the coordinates must be int2"},
		{"read_imagef", []types.Type{types.Int, int2}, "", "the first argument must be an image"},
		{"read_imagef", nil, "", "it takes an image"},
		{"read_imagei", []types.Type{image, sampler}, "", "the coordinates must be int2"},
		{"read_imagei", []types.Type{imageType(t, "image2d_depth_t", 0), int2}, "", "depth images contain floats"},
		{"read_imagef", []types.Type{imageType(t, "image1d_buffer_t", 0), sampler, types.Int}, "", "is read without a sampler"},
		{"read_imagef", []types.Type{imageType(t, "image2d_msaa_t", 0), int2, types.Int}, "", "multi-sample images are not supported"},
		{"get_image_depth", []types.Type{image}, "", "the image has none"},
		{"write_imagei", []types.Type{output, int2}, "", "it takes 3 arguments"},
	} {
		result, _, _, err := builtins.Library{}.Lookup(c.name, c.args)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, c.result, result.String(), c.name)
	}
}
