package ndarg

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/pixel"
)

func TestImages(t *testing.T) {
	for spec, want := range map[string]struct {
		image ImageSpec
		typ   string
		count int
	}{
		"image2d:rgba,unorm8:4x3":         {ImageSpec{"image2d_t", 4, 3, 0, 0, pixel.Format{Order: pixel.RGBA, Type: pixel.UNorm8}}, "uchar4", 12},
		"image1d:r,snorm16:2*3:index":     {ImageSpec{"image1d_t", 6, 0, 0, 0, pixel.Format{Order: pixel.R, Type: pixel.SNorm16}}, "short", 6},
		"image1d_buffer:rg,int32:5:r":     {ImageSpec{"image1d_buffer_t", 5, 0, 0, 0, pixel.Format{Order: pixel.RG, Type: pixel.Int32}}, "int2", 5},
		"image1d_array:ra,half:5x2":       {ImageSpec{"image1d_array_t", 5, 0, 0, 2, pixel.Format{Order: pixel.RA, Type: pixel.Half}}, "half2", 10},
		"image2d_array:a,float:5x2x3::wq": {ImageSpec{"image2d_array_t", 5, 2, 0, 3, pixel.Format{Order: pixel.A, Type: pixel.Float}}, "float", 30},
		"image3d:rgb,unorm565:5x2x3":      {ImageSpec{"image3d_t", 5, 2, 3, 0, pixel.Format{Order: pixel.RGB, Type: pixel.UNorm565}}, "ushort", 30},
		"image2d_depth:depth,unorm16:1x1": {ImageSpec{"image2d_depth_t", 1, 1, 0, 0, pixel.Format{Order: pixel.Depth, Type: pixel.UNorm16}}, "ushort", 1},
		"image2d:rgbx,unorm101010:2x2":    {ImageSpec{"image2d_t", 2, 2, 0, 0, pixel.Format{Order: pixel.RGBx, Type: pixel.UNorm101010}}, "uint", 4},
	} {
		a, err := Parse(spec)
		require.NoError(t, err, spec)
		require.Equal(t, Image, a.Kind, spec)
		im := want.image
		require.Equal(t, im, a.Image, spec)
		require.Equal(t, want.typ, a.Type.String(), spec)
		require.Equal(t, want.count, a.Count, spec)
		require.Equal(t, want.count*im.Format.Size(), a.Bytes, spec)
		b, err := a.New()
		require.NoError(t, err, spec)
		require.Len(t, b, a.Bytes, spec)
	}
	require.Equal(t, []byte{0, 0, 1, 0, 2, 0}, contents(t, "image1d:r,uint16:3:index"))
	for spec, want := range map[string]string{
		"image2d:rgba,unorm8":              "want image2d:ORDER,TYPE:WxH",
		"image2d:rgba:4x4":                 "want a format ORDER,TYPE",
		"image2d:abc,unorm8:4x4":           `unknown channel order "abc"; orders are r a rg`,
		"image2d:rgba,byte:4x4":            `unknown channel type "byte"; types are snorm8`,
		"image2d:rgba,unorm565:4x4":        "no image format has order rgba with type unorm565",
		"image2d:bgra,float:4x4":           "no image format has order bgra with type float",
		"image3d:r,float:4x4":              "want WxHxD",
		"image2d:r,float:0x4":              "an image of 0x4 texels",
		"image2d:r,float:100000x100000":    "an image of 100000x100000 texels",
		"image2d:r,float:axb":              `bad count "a"`,
		"image2d:r,float:4x4:nothing":      "unknown fill",
		"sampler:linear,nearest":           "a sampler is not both nearest and linear",
		"sampler:linear,linear":            `unknown word "linear"`,
		"sampler:bilinear":                 `unknown word "bilinear"; samplers are`,
		"sampler:linear,repeat,normalized": "",
	} {
		_, err := Parse(spec)
		if want != "" {
			require.ErrorContains(t, err, want, spec)
		} else {
			require.NoError(t, err, spec)
		}
	}
}

func TestSamplers(t *testing.T) {
	for spec, want := range map[string]byte{
		"sampler:":                           0x10,
		"sampler:nearest":                    0x10,
		"sampler:edge,linear":                0x22,
		"sampler:linear,clamp,normalized":    0x25,
		"sampler:unnormalized,none":          0x10,
		"sampler:normalized,nearest,repeat":  0x17,
		"sampler:normalized,linear,mirrored": 0x29,
	} {
		a, err := Parse(spec)
		require.NoError(t, err, spec)
		require.Equal(t, Value, a.Kind, spec)
		require.Equal(t, []byte{want, 0, 0, 0}, a.Value, spec)
	}
}
