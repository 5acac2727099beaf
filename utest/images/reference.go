// Package images implements the rules of chapter 8 of the OpenCL 1.2 specification in Go,
// in a simple form, and tests kernels that use images against them.
//
// It is independent of the compiler's implementation: it uses only the compiler's names
// of formats.
package images

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"

	"github.com/simtc/simtc"
)

// texture is an image in the terms of the specification.
type texture struct {
	im   simtc.Image
	dims int // of a layer
	w    [3]int
	row  int
	slc  int
}

func newTexture(im simtc.Image, dims int) *texture {
	t := &texture{im: im, dims: dims, w: [3]int{im.Width, max(im.Height, 1), max(im.Depth, 1)}}
	if t.row = im.RowPitch; t.row == 0 {
		t.row = im.Width * texelSize(im.Order, im.Type)
	}
	if t.slc = im.SlicePitch; t.slc == 0 {
		t.slc = t.row * t.w[1]
	}
	return t
}

// channelsOf gives the channels of every order as they are in memory.
var channelsOf = map[simtc.ChannelOrder]string{
	simtc.OrderR: "r", simtc.OrderRx: "rx", simtc.OrderA: "a", simtc.OrderRG: "rg", simtc.OrderRA: "ra", simtc.OrderRGBA: "rgba",
	simtc.OrderBGRA: "bgra", simtc.OrderARGB: "argb", simtc.OrderIntensity: "i", simtc.OrderLuminance: "l",
	simtc.OrderRGB: "rgb", simtc.OrderRGBx: "rgb", simtc.OrderDepth: "r",
}

// bytesOf is the size of a channel in bytes.
var bytesOf = map[simtc.ChannelType]int{
	simtc.TypeSNorm8: 1, simtc.TypeSNorm16: 2, simtc.TypeUNorm8: 1, simtc.TypeUNorm16: 2,
	simtc.TypeInt8: 1, simtc.TypeInt16: 2, simtc.TypeInt32: 4, simtc.TypeUInt8: 1, simtc.TypeUInt16: 2, simtc.TypeUInt32: 4,
	simtc.TypeHalf: 2, simtc.TypeFloat: 4,
}

func texelSize(o simtc.ChannelOrder, t simtc.ChannelType) int {
	switch t {
	case simtc.TypeUNorm565, simtc.TypeUNorm555:
		return 2
	case simtc.TypeUNorm101010:
		return 4
	}
	return bytesOf[t] * len(channelsOf[o])
}

// color holds red, green, blue and alpha.
type color [4]float64

// decode converts a channel to a number (§8.3).
func decode(b []byte, t simtc.ChannelType) float64 {
	le := binary.LittleEndian
	switch t {
	case simtc.TypeUNorm8:
		return float64(b[0]) / 255
	case simtc.TypeUNorm16:
		return float64(le.Uint16(b)) / 65535
	case simtc.TypeSNorm8:
		return max(-1, float64(int8(b[0]))/127)
	case simtc.TypeSNorm16:
		return max(-1, float64(int16(le.Uint16(b)))/32767)
	case simtc.TypeInt8:
		return float64(int8(b[0]))
	case simtc.TypeInt16:
		return float64(int16(le.Uint16(b)))
	case simtc.TypeInt32:
		return float64(int32(le.Uint32(b)))
	case simtc.TypeUInt8:
		return float64(b[0])
	case simtc.TypeUInt16:
		return float64(le.Uint16(b))
	case simtc.TypeUInt32:
		return float64(le.Uint32(b))
	case simtc.TypeHalf:
		return float64(float16.Frombits(le.Uint16(b)).Float32())
	}
	return float64(math.Float32frombits(le.Uint32(b)))
}

// encode converts a number to a channel.
func encode(b []byte, t simtc.ChannelType, v float64) {
	le := binary.LittleEndian
	norm := func(scale, low float64) int64 {
		if v != v {
			return 0 // like every saturating conversion
		}
		return int64(math.RoundToEven(min(max(float64(float32(v)*float32(scale)), low), scale)))
	}
	clamp := func(low, high float64) int64 { return int64(min(max(v, low), high)) }
	switch t {
	case simtc.TypeUNorm8:
		b[0] = byte(norm(255, 0))
	case simtc.TypeUNorm16:
		le.PutUint16(b, uint16(norm(65535, 0)))
	case simtc.TypeSNorm8:
		b[0] = byte(norm(127, -128))
	case simtc.TypeSNorm16:
		le.PutUint16(b, uint16(norm(32767, -32768)))
	case simtc.TypeInt8:
		b[0] = byte(clamp(-128, 127))
	case simtc.TypeInt16:
		le.PutUint16(b, uint16(clamp(-32768, 32767)))
	case simtc.TypeInt32:
		le.PutUint32(b, uint32(clamp(math.MinInt32, math.MaxInt32)))
	case simtc.TypeUInt8:
		b[0] = byte(clamp(0, 255))
	case simtc.TypeUInt16:
		le.PutUint16(b, uint16(clamp(0, 65535)))
	case simtc.TypeUInt32:
		le.PutUint32(b, uint32(clamp(0, math.MaxUint32)))
	case simtc.TypeHalf:
		le.PutUint16(b, float16.Fromfloat32(float32(v)).Bits())
	default:
		le.PutUint32(b, math.Float32bits(float32(v)))
	}
}

// packedBits gives the widths of red, green and blue in packed words.
var packedBits = map[simtc.ChannelType][3]int{
	simtc.TypeUNorm565: {5, 6, 5}, simtc.TypeUNorm555: {5, 5, 5}, simtc.TypeUNorm101010: {10, 10, 10},
}

func (t *texture) at(i [3]int, layer int) []byte {
	n := texelSize(t.im.Order, t.im.Type)
	p := i[0]*n + i[1]*t.row + (i[2]+layer)*t.slc
	return t.im.Data[p : p+n]
}

// border is the color of texels out of bounds (§8.1).
func (t *texture) border() color {
	switch t.im.Order {
	case simtc.OrderR, simtc.OrderRG, simtc.OrderRGB, simtc.OrderLuminance, simtc.OrderDepth:
		return color{3: 1}
	}
	return color{}
}

// texel reads a texel, or returns the border color out of bounds.
func (t *texture) texel(i [3]int, layer int) color {
	for d := range 3 {
		if i[d] < 0 || i[d] >= t.w[d] {
			return t.border()
		}
	}
	b := t.at(i, layer)
	c := color{3: 1}
	if bits, ok := packedBits[t.im.Type]; ok {
		word := uint32(b[0]) | uint32(b[1])<<8
		if len(b) == 4 {
			word |= uint32(b[2])<<16 | uint32(b[3])<<24
		}
		for k := 2; k >= 0; k-- {
			mask := uint32(1)<<bits[k] - 1
			c[k] = float64(word&mask) / float64(mask)
			word >>= bits[k]
		}
		return c
	}
	size := bytesOf[t.im.Type]
	for k, name := range channelsOf[t.im.Order] {
		v := decode(b[k*size:], t.im.Type)
		switch name {
		case 'r':
			c[0] = v
		case 'g':
			c[1] = v
		case 'b':
			c[2] = v
		case 'a':
			c[3] = v
		case 'i':
			c = color{v, v, v, v}
		case 'l':
			c = color{v, v, v, 1}
		}
	}
	return c
}

// write stores a texel; writes out of bounds are ignored.
func (t *texture) write(i [3]int, layer int, c color) {
	for d := range 3 {
		if i[d] < 0 || i[d] >= t.w[d] {
			return
		}
	}
	if layer < 0 || layer >= max(t.im.ArraySize, 1) {
		return
	}
	b := t.at(i, layer)
	if bits, ok := packedBits[t.im.Type]; ok {
		word := uint32(0)
		for k := range 3 {
			top := float64(uint32(1)<<bits[k] - 1)
			v := math.RoundToEven(min(max(float64(float32(c[k])*float32(top)), 0), top))
			if v != v {
				v = 0
			}
			word = word<<bits[k] | uint32(v)
		}
		for k := range b {
			b[k] = byte(word >> (8 * k))
		}
		return
	}
	size := bytesOf[t.im.Type]
	for k, name := range channelsOf[t.im.Order] {
		at := map[rune]int{'r': 0, 'g': 1, 'b': 2, 'a': 3, 'i': 0, 'l': 0}
		if n, ok := at[name]; ok {
			encode(b[k*size:], t.im.Type, c[n])
		} else {
			clear(b[k*size:])
		}
	}
}

// read samples the image at float coordinates (§8.2).
func (t *texture) read(s simtc.Sampler, at [4]float32) color {
	linear := s&simtc.FilterLinear != 0
	mode := s & 14
	layer := 0
	if t.im.ArraySize > 0 {
		layer = int(min(max(math.RoundToEven(float64(at[t.dims])), 0), float64(t.im.ArraySize-1)))
	}
	var i0, i1 [3]int
	var weight [3]float64
	for d := range t.dims {
		w := t.w[d]
		u := at[d]
		switch {
		case mode == simtc.AddressRepeat:
			u = (u - floor(u)) * float32(w)
		case mode == simtc.AddressMirroredRepeat:
			u = float32(math.Abs(float64(u-2*float32(math.RoundToEven(float64(0.5*u)))))) * float32(w)
		case s&simtc.NormalizedCoords != 0:
			u *= float32(w)
		}
		if linear {
			u -= 0.5
		}
		i0[d] = int(floor(u))
		i1[d] = i0[d] + 1
		weight[d] = float64(u - floor(u))
		for _, i := range []*int{&i0[d], &i1[d]} {
			switch mode {
			case simtc.AddressRepeat:
				if *i < 0 {
					*i += w
				}
				if *i > w-1 {
					*i -= w
				}
			case simtc.AddressClampToEdge, simtc.AddressMirroredRepeat:
				*i = min(max(*i, 0), w-1)
			}
		}
	}
	if !linear {
		return t.texel(i0, layer)
	}
	var sum color
	for k := range 1 << t.dims {
		i, w := i0, 1.0
		for d := range t.dims {
			if k>>d&1 != 0 {
				i[d] = i1[d]
				w *= weight[d]
			} else {
				w *= 1 - weight[d]
			}
		}
		for c, v := range t.texel(i, layer) {
			sum[c] += w * v
		}
	}
	return sum
}

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }
