package images

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/x448/float16"

	"github.com/simtc/simtc"
)

// kind is an image type with the swizzle of its coordinates.
type kind struct {
	name    string
	dims    int
	array   bool
	swizzle string
}

var kinds = []kind{
	{"image1d_t", 1, false, "x"}, {"image1d_array_t", 1, true, "xy"}, {"image2d_t", 2, false, "xy"},
	{"image2d_array_t", 2, true, "xyzw"}, {"image3d_t", 3, false, "xyzw"},
}

// format is a supported image format.
type format struct {
	order simtc.ChannelOrder
	kind  simtc.ChannelType
}

func formats() (all []format) {
	norms := []simtc.ChannelType{simtc.TypeSNorm8, simtc.TypeSNorm16, simtc.TypeUNorm8, simtc.TypeUNorm16}
	floats := []simtc.ChannelType{simtc.TypeHalf, simtc.TypeFloat}
	ints := []simtc.ChannelType{simtc.TypeInt8, simtc.TypeInt16, simtc.TypeInt32, simtc.TypeUInt8, simtc.TypeUInt16, simtc.TypeUInt32}
	add := func(o simtc.ChannelOrder, lists ...[]simtc.ChannelType) {
		for _, l := range lists {
			for _, t := range l {
				all = append(all, format{o, t})
			}
		}
	}
	for _, o := range []simtc.ChannelOrder{simtc.OrderR, simtc.OrderRx, simtc.OrderA, simtc.OrderRG, simtc.OrderRA, simtc.OrderRGBA} {
		add(o, norms, floats, ints)
	}
	for _, o := range []simtc.ChannelOrder{simtc.OrderIntensity, simtc.OrderLuminance} {
		add(o, norms, floats)
	}
	for _, o := range []simtc.ChannelOrder{simtc.OrderBGRA, simtc.OrderARGB} {
		add(o, []simtc.ChannelType{simtc.TypeUNorm8, simtc.TypeSNorm8, simtc.TypeInt8, simtc.TypeUInt8})
	}
	for _, o := range []simtc.ChannelOrder{simtc.OrderRGB, simtc.OrderRGBx} {
		add(o, []simtc.ChannelType{simtc.TypeUNorm565, simtc.TypeUNorm555, simtc.TypeUNorm101010})
	}
	return all
}

// suffix returns the suffix of the functions for a channel type.
func (f format) suffix() string {
	switch name := f.kind.String(); {
	case strings.HasPrefix(name, "int"):
		return "i"
	case strings.HasPrefix(name, "uint"):
		return "ui"
	}
	return "f"
}

// image returns a small image with random texels and with gaps between rows.
func (k kind) image(rng *rand.Rand, f format) simtc.Image {
	im := simtc.Image{Width: 1 + rng.Intn(9), Order: f.order, Type: f.kind}
	if k.dims >= 2 {
		im.Height = 1 + rng.Intn(7)
	}
	if k.dims == 3 {
		im.Depth = 1 + rng.Intn(5)
	}
	if k.array {
		im.ArraySize = 1 + rng.Intn(4)
	}
	n := texelSize(f.order, f.kind)
	if rng.Intn(2) == 0 {
		im.RowPitch = (im.Width + rng.Intn(3)) * n
		im.SlicePitch = im.RowPitch*max(im.Height, 1) + rng.Intn(2)*n
	}
	t := newTexture(im, k.dims)
	im.Data = make([]byte, t.slc*max(im.Depth, 1)*max(im.ArraySize, 1)+8)
	im.Data = im.Data[rng.Intn(3)*min(n, 4):]
	rng.Read(im.Data)
	for at := 0; at+4 <= len(im.Data); at += 4 { // no NaNs or infinities
		switch b := im.Data[at:]; f.kind {
		case simtc.TypeFloat:
			binary.LittleEndian.PutUint32(b, math.Float32bits(rng.Float32()*8-4))
		case simtc.TypeHalf:
			binary.LittleEndian.PutUint16(b, float16.Fromfloat32(rng.Float32()*8-4).Bits())
			binary.LittleEndian.PutUint16(b[2:], float16.Fromfloat32(rng.Float32()*8-4).Bits())
		}
	}
	return im
}

// samplers returns all valid samplers for float coordinates.
func samplers(suffix string) (all []simtc.Sampler) {
	filters := []simtc.Sampler{simtc.FilterNearest}
	if suffix == "f" {
		filters = append(filters, simtc.FilterLinear)
	}
	for _, filter := range filters {
		for _, mode := range []simtc.Sampler{simtc.AddressNone, simtc.AddressClampToEdge, simtc.AddressClamp} {
			all = append(all, filter|mode, filter|mode|simtc.NormalizedCoords)
		}
		all = append(all, filter|simtc.AddressRepeat|simtc.NormalizedCoords, filter|simtc.AddressMirroredRepeat|simtc.NormalizedCoords)
	}
	return all
}

// coordinates returns coordinates inside the image, outside, at edges and at the centers
// of texels.
func (k kind) coordinates(rng *rand.Rand, im simtc.Image, s simtc.Sampler, n int) [][4]float32 {
	w := [4]int{im.Width, max(im.Height, 1), max(im.Depth, 1), 1}
	if k.array {
		w[k.dims] = im.ArraySize
	}
	out := make([][4]float32, n)
	for i := range out {
		for d := range 4 {
			x := (rng.Float32()*3 - 1) * float32(w[d])
			if rng.Intn(4) == 0 {
				x = float32(math.Round(float64(x*2))) / 2
			}
			if mode := s & 14; (mode == simtc.AddressClamp || mode == simtc.AddressClampToEdge) && rng.Intn(20) == 0 {
				x *= 1e10 // exceeds the range of int
			}
			if s&14 == simtc.AddressNone {
				x = rng.Float32() * float32(w[d])
				if s&simtc.FilterLinear != 0 {
					x = min(max(x, 0.5), float32(w[d])-0.5)
				}
			}
			if s&simtc.NormalizedCoords != 0 && !(k.array && d == k.dims) {
				x /= float32(w[d])
			}
			out[i][d] = x
		}
	}
	return out
}

const items = 96

var vectorTypes = map[string]string{"f": "float4", "i": "int4", "ui": "uint4"}

func readSource(k kind, suffix string) string {
	return fmt.Sprintf(`
__kernel void sampled(__read_only %[1]s im, sampler_t s, __global const float4 *at, __global %[3]s *out) {
  size_t i = get_global_id(0);
  out[i] = read_image%[2]s(im, s, at[i].%[4]s);
}
__kernel void clamped(__read_only %[1]s im, sampler_t s, __global const int4 *at, __global %[3]s *out) {
  size_t i = get_global_id(0);
  out[i] = read_image%[2]s(im, s, at[i].%[4]s);
}
__kernel void plain(__read_only %[1]s im, __global const int4 *at, __global %[3]s *out) {
  size_t i = get_global_id(0);
  out[i] = read_image%[2]s(im, at[i].%[4]s);
}
__kernel void written(__write_only %[1]s im, __global const int4 *at, __global const %[3]s *in) {
  size_t i = get_global_id(0);
  write_image%[2]s(im, at[i].%[4]s, in[i]);
}
`, k.name, suffix, vectorTypes[suffix], k.swizzle)
}

// result decodes the color stored by a kernel.
func result(suffix string, b []byte) (c color) {
	for i := range c {
		bits := binary.LittleEndian.Uint32(b[4*i:])
		switch suffix {
		case "f":
			c[i] = float64(math.Float32frombits(bits))
		case "i":
			c[i] = float64(int32(bits))
		default:
			c[i] = float64(bits)
		}
	}
	return c
}

// near allows an error of 1.5 ULP for texel components (§8.3.1.1), and for filtered ones
// the rounding errors of a few operations on texels of magnitude 4.
func near(a, b color, s simtc.Sampler) bool {
	for i := range a {
		allowed := 1.5 * math.Abs(b[i]) * 0x1p-23
		if s&simtc.FilterLinear != 0 {
			allowed = 4e-6
		}
		if !(math.Abs(a[i]-b[i]) <= allowed) {
			return false
		}
	}
	return true
}

// emulated reports whether AVX-512 code runs in the emulator.
var emulated = simtc.Available(simtc.AVX512) != nil

// slow reports whether a target runs fewer cases.
func slow(target string) bool { return target != simtc.AVX512 || emulated }

// targets returns the targets that run here.
func targets(t *testing.T) (all []string) {
	for _, name := range simtc.Targets() {
		if name == simtc.AVX512 || simtc.Available(name) == nil {
			all = append(all, name)
		}
	}
	require.NotEmpty(t, all)
	return all
}

// each runs test for every image type and function suffix, with the kernels compiled for
// target.
func each(t *testing.T, test func(t *testing.T, k kind, suffix, target string, kernels func(string) *simtc.Kernel)) {
	for _, k := range kinds {
		for _, suffix := range []string{"f", "i", "ui"} {
			t.Run(k.name+"/"+suffix, func(t *testing.T) {
				t.Parallel()
				p, err := simtc.Compile(readSource(k, suffix), simtc.Options{Debug: simtc.Debug{EmulateMissing: true}})
				require.NoError(t, err)
				defer p.Close()
				for _, target := range targets(t) {
					if suffix != "f" && k.dims != 2 && (target == "vir" || target == "wasm-simd") {
						continue // similar to floats
					}
					test(t, k, suffix, target, func(name string) *simtc.Kernel {
						kernel, err := p.Kernel(name)
						require.NoError(t, err)
						way := simtc.Strategy{Target: target}
						if target == "avx512" || target == "vir" || target == "wasm-simd" {
							way.Width = 16
						}
						kernel, err = kernel.With(way)
						require.NoError(t, err)
						return kernel
					})
				}
			})
		}
	}
}

func TestSamplers(t *testing.T) {
	each(t, func(t *testing.T, k kind, suffix, target string, kernels func(string) *simtc.Kernel) {
		kernel := kernels("sampled")
		rng := rand.New(rand.NewSource(int64(len(k.name) + k.dims)))
		for i, f := range formats() {
			if f.suffix() != suffix || slow(target) && i%11 != 0 {
				continue
			}
			for j, s := range samplers(suffix) {
				if slow(target) && j%4 != i/11%4 {
					continue
				}
				im := k.image(rng, f)
				at := k.coordinates(rng, im, s, items)
				out := make([]byte, 16*items)
				require.NoError(t, kernel.Launch(context.Background(), simtc.NDRange(items), im, s, at, out))
				tex := newTexture(im, k.dims)
				for i := range at {
					want, got := tex.read(s, at[i]), result(suffix, out[16*i:])
					require.True(t, near(got, want, s), "%s: %s %s %s sampler %#x, %+v at %v: got %v, want %v",
						target, k.name, f.order, f.kind, s, tex.w, at[i], got, want)
				}
			}
		}
	})
}

// TestIntegerCoordinates reads at integer coordinates, with samplers and without.
func TestIntegerCoordinates(t *testing.T) {
	each(t, func(t *testing.T, k kind, suffix, target string, kernels func(string) *simtc.Kernel) {
		clamped, plain := kernels("clamped"), kernels("plain")
		rng := rand.New(rand.NewSource(int64(k.dims)))
		for i, f := range formats() {
			if f.suffix() != suffix || slow(target) && i%11 != 0 {
				continue
			}
			for _, s := range []simtc.Sampler{simtc.AddressNone, simtc.AddressClamp, simtc.AddressClampToEdge} {
				s |= simtc.FilterNearest
				im := k.image(rng, f)
				at := make([][4]int32, items)
				floats := make([][4]float32, items)
				for i, c := range k.coordinates(rng, im, s, items) {
					for d, x := range c {
						at[i][d] = int32(min(max(math.Floor(float64(x)), -1<<30), 1<<30))
						floats[i][d] = float32(at[i][d])
					}
				}
				out, direct := make([]byte, 16*items), make([]byte, 16*items)
				require.NoError(t, clamped.Launch(context.Background(), simtc.NDRange(items), im, s, at, out))
				require.NoError(t, plain.Launch(context.Background(), simtc.NDRange(items), im, at, direct))
				tex := newTexture(im, k.dims)
				for i := range at {
					want, got := tex.read(s, floats[i]), result(suffix, out[16*i:])
					require.True(t, near(got, want, s), "%s: %s %s %s sampler %#x, %+v at %v: got %v, want %v",
						target, k.name, f.order, f.kind, s, tex.w, at[i], got, want)
					if s == simtc.AddressNone {
						require.Equal(t, got, result(suffix, direct[16*i:]))
					}
				}
			}
		}
	})
}

func TestWrites(t *testing.T) {
	each(t, func(t *testing.T, k kind, suffix, target string, kernels func(string) *simtc.Kernel) {
		kernel := kernels("written")
		rng := rand.New(rand.NewSource(7))
		for i, f := range formats() {
			if f.suffix() != suffix || slow(target) && i%5 != 0 {
				continue
			}
			im := k.image(rng, f)
			tex := newTexture(im, k.dims)
			tex.im.Data = append([]byte(nil), im.Data...)
			// Every texel once, and coordinates around the image.
			var at [][4]int32
			w := [4]int{tex.w[0], tex.w[1], tex.w[2], 1}
			if k.array {
				w[k.dims] = im.ArraySize
			}
			for p := range (w[0] + 2) * (w[1] + 2) * (w[2] + 2) {
				c := [4]int32{int32(p%(w[0]+2) - 1), int32(p/(w[0]+2)%(w[1]+2) - 1), int32(p/(w[0]+2)/(w[1]+2) - 1), 0}
				for d := len(k.swizzle); d < 4; d++ {
					if c[d] != 0 {
						c[0] = -1 // out of bounds: it would write a texel a second time
					}
				}
				for d := k.dims; d < 4; d++ {
					if !(k.array && d == k.dims) && c[d] != 0 {
						c[0] = -1
					}
				}
				at = append(at, c)
			}
			in := make([]byte, 16*len(at))
			for i := 0; i < len(in); i += 4 {
				switch suffix {
				case "f":
					x := rng.Float32()*3 - 1.5
					if rng.Intn(20) == 0 && f.kind != simtc.TypeHalf && f.kind != simtc.TypeFloat {
						x = float32(math.NaN())
					}
					binary.LittleEndian.PutUint32(in[i:], math.Float32bits(x))
				default:
					binary.LittleEndian.PutUint32(in[i:], rng.Uint32()>>(8*rng.Intn(4)))
					if suffix == "i" && rng.Intn(2) == 0 {
						binary.LittleEndian.PutUint32(in[i:], -binary.LittleEndian.Uint32(in[i:]))
					}
				}
			}
			for i, c := range at {
				layer := 0
				place := [3]int{int(c[0]), int(c[1]), int(c[2])}
				if k.array {
					layer = int(c[k.dims])
					place[k.dims] = 0
				}
				for d := k.dims; d < 3; d++ {
					place[d] = 0
				}
				tex.write(place, layer, result(suffix, in[16*i:]))
			}
			require.NoError(t, kernel.Launch(context.Background(), simtc.NDRange(uint64(len(at))), im, at, in))
			require.Equal(t, tex.im.Data, im.Data, "%s: %s %s %s %+v", target, k.name, f.order, f.kind, tex.w)
		}
	})
}
