package launch

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/pixel"
	"github.com/simtc/simtc/kernel"
)

func TestImageShapes(t *testing.T) {
	data := make([]byte, 4096)
	for _, c := range []struct {
		typ  string
		im   Image
		want string
	}{
		{"image2d_t", Image{Width: 8, Height: 4}, ""},
		{"image2d_t", Image{Width: 8, Height: 4, RowPitch: 36}, ""},
		{"image3d_t", Image{Width: 8, Height: 4, Depth: 2, SlicePitch: 2048}, ""},
		{"image1d_array_t", Image{Width: 8, ArraySize: 4, SlicePitch: 64}, ""},
		{"image2d_t", Image{Width: 8}, "the image has no texels"},
		{"image3d_t", Image{Width: 8, Height: 1}, "the image has no texels"},
		{"image2d_array_t", Image{Width: 8, Height: 1}, "the image has no texels"},
		{"image1d_t", Image{Width: 8, Height: 2}, "the image has dimensions that its type lacks"},
		{"image2d_t", Image{Width: 8, Height: 2, Depth: -1}, "the image has dimensions that its type lacks"},
		{"image2d_t", Image{Width: 8, Height: 2, ArraySize: 2}, "the image has dimensions that its type lacks"},
		{"image2d_t", Image{Width: 8, Height: 2, RowPitch: 28}, "the row pitch of 28 bytes is not a multiple of 4 of at least 32"},
		{"image2d_t", Image{Width: 8, Height: 2, RowPitch: 34}, "the row pitch of 34 bytes"},
		{"image3d_t", Image{Width: 8, Height: 2, Depth: 2, SlicePitch: 60}, "the slice pitch of 60 bytes"},
		{"image2d_t", Image{Width: 33, Height: 32}, "the image's data has 4096 bytes, want at least 4224"},
		{"image2d_t", Image{Width: 1 << 30, Height: 1 << 30}, "the image exceeds"},
		{"image2d_t", Image{Width: math.MaxInt, Height: math.MaxInt}, "the image exceeds"},
		{"image3d_t", Image{Width: 1 << 20, Height: 1 << 20, Depth: 1 << 20}, "the image exceeds"},
		{"image2d_depth_t", Image{Width: 8, Height: 2}, "the image has channel order rgba"},
		{"image2d_t", Image{Width: 8, Height: 2, Order: pixel.RGB}, "no image format has order rgb with type unorm8"},
		{"image2d_t", Image{Width: 8, Height: 2, Order: 7}, "no image format has order 0x7 and unorm8"},
		{"image2d_t", Image{Width: 8, Height: 2, Data: data[1:]}, "the image's data is not aligned to 4 bytes"},
		{"image2d_t", Image{Width: 8, Height: 2, Data: []byte{}}, "the image's data has 0 bytes, want at least 64"},
	} {
		if c.im.Order == 0 {
			c.im.Order = pixel.RGBA
		}
		c.im.Type = pixel.UNorm8
		if c.im.Data == nil {
			c.im.Data = data
		}
		_, err := c.im.shape(c.typ)
		if c.want == "" {
			require.NoError(t, err, "%+v", c.im)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
}

// The maximum of a channel must convert to exactly 1.
func TestImageScales(t *testing.T) {
	for _, k := range []pixel.Type{pixel.UNorm8, pixel.UNorm16, pixel.SNorm8, pixel.SNorm16} {
		s := shape{width: 1, height: 1, format: pixel.Format{Order: pixel.RGBA, Type: k}}
		scalesToOne(t, &s)
	}
	for _, k := range []pixel.Type{pixel.UNorm565, pixel.UNorm555, pixel.UNorm101010} {
		s := shape{width: 1, height: 1, format: pixel.Format{Order: pixel.RGB, Type: k}}
		scalesToOne(t, &s)
	}
}

func scalesToOne(t *testing.T, s *shape) {
	t.Helper()
	d := s.describe()
	f := func(at int) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(d[at:])) }
	for i := range 3 {
		require.Equal(t, float32(1), f(imageScale+4*i)*f(imageWriteScale+4*i), "%s %d", s.format, i)
	}
}

func TestImageArguments(t *testing.T) {
	f := &kernel.Func{Name: "k", Args: []kernel.Arg{
		{Name: "im", CType: "image2d_t", Kind: kernel.ArgImage, Type: alu.PtrConstant, Elem: "image2d_t", Count: 1, Size: 8, Align: 8},
		{Name: "s", CType: "sampler_t", Kind: kernel.ArgScalar, Type: alu.I32, Elem: "uint", Count: 1, Size: 4, Align: 4},
	}}
	f.LayoutArgs()
	im := Image{Width: 2, Height: 2, Order: pixel.R, Type: pixel.UInt8, Data: []byte{1, 2, 3, 4}}
	args, err := FromGo(f, []any{&im, FilterLinear | AddressClamp})
	require.NoError(t, err)
	places := map[int]int{}
	block, err := layOut(f, args, func(i int, b []byte) uint64 {
		places[i] = len(b)
		return uint64(100 + i)
	})
	require.NoError(t, err)
	require.Equal(t, map[int]int{0: 4, -1: imageSize}, places)
	require.Equal(t, uint64(99), binary.LittleEndian.Uint64(block))
	require.Equal(t, uint32(0x24), binary.LittleEndian.Uint32(block[8:]))

	for _, wrong := range []any{nil, 3, im.Data, (*Image)(nil)} {
		_, err = FromGo(f, []any{wrong, 0})
		require.ErrorContains(t, err, "wants an Image")
	}
	_, err = layOut(f, []Arg{Buffer(im.Data), Bytes(make([]byte, 4))}, nil)
	require.ErrorContains(t, err, "argument 0 (image2d_t im): wants an image")
	im.Width = 3
	_, err = layOut(f, []Arg{ImageArg(im), Bytes(make([]byte, 4))}, nil)
	require.ErrorContains(t, err, "argument 0 (image2d_t im): the image's data has 4 bytes, want at least 6")
	f.Args[0].Kind = kernel.ArgBuffer
	_, err = layOut(f, []Arg{ImageArg(im), Bytes(make([]byte, 4))}, nil)
	require.ErrorContains(t, err, "wants a buffer")
}
