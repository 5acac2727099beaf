package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"github.com/simtc/simtc/internal/pixel"
	"github.com/simtc/simtc/launch/native"
)

// Image is an image whose texels lie in memory of the caller. Kernels access them in
// place.
type Image struct {
	// Width, Height, Depth and ArraySize are in texels and layers. Dimensions that the
	// image's type lacks are 0 or 1.
	Width, Height, Depth, ArraySize int
	// RowPitch and SlicePitch are the distances in bytes between rows and between slices
	// or layers: multiples of the texel size, or 0 for no padding.
	RowPitch, SlicePitch int
	Order                ChannelOrder
	Type                 ChannelType
	// Data is aligned to 4 bytes, or to the texel size if that is less.
	Data []byte
}

// ChannelOrder is the set and order of a texel's channels.
type ChannelOrder = pixel.Order

// ChannelType is the data type of a channel.
type ChannelType = pixel.Type

// Sampler specifies how a kernel reads an image: the bitwise or of one flag of each kind.
type Sampler uint32

// Flags of samplers. Their values are those of OpenCL C's constants in this implementation.
const (
	NormalizedCoords      Sampler = 1 // coordinates range from 0 to 1
	AddressNone           Sampler = 0 // coordinates outside the image are undefined behaviour
	AddressClampToEdge    Sampler = 2
	AddressClamp          Sampler = 4 // border color outside the image
	AddressRepeat         Sampler = 6 // needs normalized coordinates, like:
	AddressMirroredRepeat Sampler = 8
	FilterNearest         Sampler = 0x10
	FilterLinear          Sampler = 0x20
)

// Check returns an error unless s has exactly one flag of each kind.
func (s Sampler) Check() error {
	address := s &^ (NormalizedCoords | FilterNearest | FilterLinear)
	filter := s & (FilterNearest | FilterLinear)
	switch {
	case address > AddressMirroredRepeat:
		return fmt.Errorf("sampler %#x has an unknown address mode", uint32(s))
	case filter != FilterNearest && filter != FilterLinear:
		return fmt.Errorf("sampler %#x must have exactly one of FilterNearest and FilterLinear", uint32(s))
	}
	return nil
}

// ImageArg returns the argument for an image.
func ImageArg(im Image) Arg { return Arg{Buffer: im.Data, isBuf: true, image: &im} }

// Offsets in bytes of the fields of an image descriptor: struct image in
// builtins/image/image.cl.
const (
	imageData         = 0
	imageWidth        = 8
	imageHeight       = 12
	imageDepth        = 16
	imageLayers       = 20
	imageRowPitch     = 24
	imageSlicePitch   = 28
	imageOrder        = 32
	imageType         = 36
	imageLoad         = 40
	imageKind         = 44
	imageSign         = 48
	imageOpaque       = 52
	imageOpaqueBorder = 56
	imageLow          = 60
	imageMask         = 64
	imageShift        = 80
	imageWriteMask    = 96
	imageScale        = 112
	imageWriteScale   = 128
	imageWriteLow     = 144
	imageLeast        = 148
	imageGreatest     = 152
	imageTexel        = 156
	imageSize         = 192
)

// Values of imageLoad: the memory layout of a texel.
const (
	load1 = iota
	load2
	load4
	load2x32
	load4x16
	load4x32
)

// Values of imageKind: the representation of a channel.
const (
	kindInteger = iota
	kindHalf
	kindFloat
)

// shape is an image with all defaults filled in.
type shape struct {
	width, height, depth, layers int
	row, slice                   int
	format                       pixel.Format
}

// shape validates an image that is passed for a parameter of the named type.
func (im *Image) shape(name string) (shape, error) {
	s := shape{width: im.Width, height: max(im.Height, 1), depth: max(im.Depth, 1), layers: max(im.ArraySize, 1)}
	s.format = pixel.Format{Order: im.Order, Type: im.Type}
	if err := s.format.Check(); err != nil {
		return s, err
	}
	if im.Order == pixel.Depth != strings.Contains(name, "depth") {
		return s, fmt.Errorf("the image has channel order %s", im.Order)
	}
	array := strings.Contains(name, "array")
	dims := int(name[len("image")] - '0')
	if im.Width < 1 || dims >= 2 && im.Height < 1 || dims == 3 && im.Depth < 1 || array && im.ArraySize < 1 {
		return s, fmt.Errorf("the image has no texels (%d x %d x %d, %d layers)", im.Width, im.Height, im.Depth, im.ArraySize)
	}
	if dims < 2 && s.height > 1 || dims < 3 && s.depth > 1 || !array && s.layers > 1 || im.Height < 0 || im.Depth < 0 || im.ArraySize < 0 {
		return s, fmt.Errorf("the image has dimensions that its type lacks (%d x %d x %d, %d layers)", im.Width, im.Height, im.Depth, im.ArraySize)
	}
	texel := s.format.Size()
	for _, n := range []int{s.width, s.height, s.depth, s.layers} {
		if n > maxBuffer {
			return s, fmt.Errorf("the image exceeds %d bytes", maxBuffer)
		}
	}
	pitch := func(what string, given int, lowest int64) (int, error) {
		if lowest > maxBuffer {
			return 0, fmt.Errorf("the image exceeds %d bytes", maxBuffer)
		}
		if given == 0 {
			return int(lowest), nil
		}
		if int64(given) < lowest || given%texel != 0 || given > maxBuffer {
			return 0, fmt.Errorf("the %s pitch of %d bytes is not a multiple of %d of at least %d", what, given, texel, lowest)
		}
		return given, nil
	}
	var err error
	if s.row, err = pitch("row", im.RowPitch, int64(s.width)*int64(texel)); err != nil {
		return s, err
	}
	if s.slice, err = pitch("slice", im.SlicePitch, int64(s.row)*int64(s.height)); err != nil {
		return s, err
	}
	last := (int64(s.depth)*int64(s.layers)-1)*int64(s.slice) + int64(s.height-1)*int64(s.row) + int64(s.width)*int64(texel)
	if last > maxBuffer || len(im.Data) > maxBuffer {
		return s, fmt.Errorf("the image exceeds %d bytes", maxBuffer)
	}
	if last > int64(len(im.Data)) {
		return s, fmt.Errorf("the image's data has %d bytes, want at least %d", len(im.Data), last)
	}
	if align := uintptr(min(texel, 4)); uintptr(unsafe.Pointer(unsafe.SliceData(im.Data)))%align != 0 {
		return s, fmt.Errorf("the image's data is not aligned to %d bytes", align)
	}
	return s, nil
}

// describe returns the image's descriptor without the address of the data.
func (s *shape) describe() []byte {
	d := native.AlignedBytes(imageSize, 64)
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(d[at:], v) }
	putF := func(at int, v float64) { put(at, math.Float32bits(float32(v))) }
	flag := func(at int, v bool) {
		if v {
			put(at, 1)
		}
	}
	put(imageWidth, uint32(s.width))
	put(imageHeight, uint32(s.height))
	put(imageDepth, uint32(s.depth))
	put(imageLayers, uint32(s.layers))
	put(imageRowPitch, uint32(s.row))
	put(imageSlicePitch, uint32(s.slice))
	put(imageOrder, uint32(s.format.Order))
	put(imageType, uint32(s.format.Type))

	f, t := s.format, s.format.Type
	load := map[int]int{1: load1, 2: load2, 4: load4, 8: load2x32, 16: load4x32}[f.Size()]
	if load == load2x32 && t.Bits() == 16 {
		load = load4x16
	}
	put(imageLoad, uint32(load))
	kind := kindInteger
	if t.Number() == pixel.Floating {
		if kind = kindHalf; t.Bits() == 32 {
			kind = kindFloat
		}
	}
	put(imageKind, uint32(kind))
	put(imageTexel, uint32(f.Size()))
	if t.Signed() && kind == kindInteger && t.Bits() < 32 {
		put(imageSign, 1<<(t.Bits()-1))
	}
	fields, written := f.Fields()
	for i, field := range fields {
		mask := uint32(1)<<field.Bits - 1
		put(imageMask+4*i, mask)
		if load <= load4 {
			put(imageShift+4*i, uint32(field.Shift))
		}
		if written[i] {
			put(imageWriteMask+4*i, mask)
		}
		bits := field.Bits
		if t.Signed() {
			bits--
		}
		if bits > 0 && t.Number() == pixel.Norm {
			greatest := math.Ldexp(1, bits) - 1
			putF(imageScale+4*i, 1/greatest)
			putF(imageWriteScale+4*i, greatest)
		} else {
			putF(imageScale+4*i, 1)
		}
	}
	opaque := fields[3].Bits == 0
	flag(imageOpaque, opaque)
	flag(imageOpaqueBorder, opaque && f.OpaqueBorder())
	switch bits := t.Bits(); {
	case t.Signed() && t.Number() == pixel.Norm:
		putF(imageLow, -1)
		putF(imageWriteLow, -math.Ldexp(1, bits-1))
	case t.Signed():
		putF(imageLow, math.Inf(-1))
		put(imageLeast, uint32(math.MaxUint32)<<(bits-1))
		put(imageGreatest, uint32(1)<<(bits-1)-1)
	default:
		put(imageGreatest, uint32(1<<bits-1))
	}
	return d
}

// imageFromGo converts an Image or *Image.
func imageFromGo(v any) (Arg, error) {
	switch v := v.(type) {
	case Image:
		return ImageArg(v), nil
	case *Image:
		if v != nil {
			return ImageArg(*v), nil
		}
	}
	return Arg{}, fmt.Errorf("wants an Image, got %T", v)
}
