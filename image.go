package simtc

import (
	"github.com/simtc/simtc/internal/pixel"
	"github.com/simtc/simtc/launch"
)

// Image is the argument for an image: texels in memory that the kernel reads and
// writes while it runs. An image that does not fit the parameter's type, or whose
// data is too short for its sizes, makes Launch fail.
type Image = launch.Image

// ImageArg returns the argument for an image, as Bytes and Buffer do for values
// and buffers.
func ImageArg(im Image) Arg { return launch.ImageArg(im) }

// ChannelOrder says which channels a texel has, and in which order they lie in
// memory. Not all go with every ChannelType: see OpenCL 1.2 §5.3.1.1.
type ChannelOrder = launch.ChannelOrder

// The channel orders. The channel of an x is not looked at; Intensity is all
// four components, Luminance red, green and blue.
const (
	OrderR         = pixel.R
	OrderA         = pixel.A
	OrderRG        = pixel.RG
	OrderRA        = pixel.RA
	OrderRGB       = pixel.RGB
	OrderRGBA      = pixel.RGBA
	OrderBGRA      = pixel.BGRA
	OrderARGB      = pixel.ARGB
	OrderIntensity = pixel.Intensity
	OrderLuminance = pixel.Luminance
	OrderRx        = pixel.Rx
	OrderRGBx      = pixel.RGBx
	OrderDepth     = pixel.Depth
)

// ChannelType says what a channel is.
type ChannelType = launch.ChannelType

// The channel types: numbers that stand for 0 to 1 or -1 to 1 (Norm), integers
// and floats, of so many bits. The three with several numbers are red, green and
// blue in one word, red in the high bits, and go with OrderRGB and OrderRGBx.
const (
	TypeSNorm8      = pixel.SNorm8
	TypeSNorm16     = pixel.SNorm16
	TypeUNorm8      = pixel.UNorm8
	TypeUNorm16     = pixel.UNorm16
	TypeUNorm565    = pixel.UNorm565
	TypeUNorm555    = pixel.UNorm555
	TypeUNorm101010 = pixel.UNorm101010
	TypeInt8        = pixel.Int8
	TypeInt16       = pixel.Int16
	TypeInt32       = pixel.Int32
	TypeUInt8       = pixel.UInt8
	TypeUInt16      = pixel.UInt16
	TypeUInt32      = pixel.UInt32
	TypeHalf        = pixel.Half
	TypeFloat       = pixel.Float
)

// Sampler is the argument for a sampler: one address mode, one filter and maybe
// NormalizedCoords, or'ed.
type Sampler = launch.Sampler

// The flags of samplers.
const (
	NormalizedCoords      = launch.NormalizedCoords
	AddressNone           = launch.AddressNone
	AddressClampToEdge    = launch.AddressClampToEdge
	AddressClamp          = launch.AddressClamp
	AddressRepeat         = launch.AddressRepeat
	AddressMirroredRepeat = launch.AddressMirroredRepeat
	FilterNearest         = launch.FilterNearest
	FilterLinear          = launch.FilterLinear
)
