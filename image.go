package simtc

import (
	"github.com/simtc/simtc/internal/pixel"
	"github.com/simtc/simtc/launch"
)

// Image is an image argument: texels in memory that the kernel accesses in place. Launch fails
// if the image does not fit the parameter's type or the data is too short for its sizes.
type Image = launch.Image

// ImageArg returns the argument for an image; compare Bytes and Buffer.
func ImageArg(im Image) Arg { return launch.ImageArg(im) }

// ChannelOrder is the set of a texel's channels and their order in memory. Not all orders
// support every ChannelType: see OpenCL 1.2 §5.3.1.1.
type ChannelOrder = launch.ChannelOrder

// The channel orders. A channel named x is ignored; Intensity sets all four components,
// Luminance red, green and blue.
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

// ChannelType is the data type of a channel.
type ChannelType = launch.ChannelType

// The channel types: fixed-point numbers from 0 to 1 or -1 to 1 (Norm), integers and floats,
// with their size in bits. The three with several sizes pack red, green and blue in one word,
// red in the high bits; they need OrderRGB or OrderRGBx.
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

// Sampler is the argument for a sampler: the bitwise or of one address mode, one filter and
// optionally NormalizedCoords.
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
