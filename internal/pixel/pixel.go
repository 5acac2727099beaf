// Package pixel knows the formats of OpenCL's images (OpenCL 1.2 §5.3.1.1):
// the orders and types of their channels, and where these are in a texel.
//
// It must not know how images are described to kernels or written on command
// lines.
package pixel

import (
	"fmt"
	"strings"
)

// Order says which channels a texel has, and in which order they lie in memory.
type Order uint16

// The orders, with OpenCL's numbers. Those with an x have a channel that
// nobody looks at, or, if packed, bits.
const (
	R Order = 0x10b0 + iota
	A
	RG
	RA
	RGB
	RGBA
	BGRA
	ARGB
	Intensity
	Luminance
	Rx
	RGx
	RGBx
	Depth
)

// Type says what a channel is.
type Type uint16

// The types, with OpenCL's numbers. Norm ones stand for -1 to 1 or 0 to 1; UShort565 and
// its like are all channels of a texel in one word, red in the high bits.
const (
	SNorm8 Type = 0x10d0 + iota
	SNorm16
	UNorm8
	UNorm16
	UNorm565
	UNorm555
	UNorm101010
	Int8
	Int16
	Int32
	UInt8
	UInt16
	UInt32
	Half
	Float
)

// orders lists names and, in the order of memory, channels.
var orders = [...]struct{ name, channels string }{
	{"r", "r"}, {"a", "a"}, {"rg", "rg"}, {"ra", "ra"}, {"rgb", "rgb"}, {"rgba", "rgba"}, {"bgra", "bgra"},
	{"argb", "argb"}, {"intensity", "i"}, {"luminance", "l"}, {"rx", "rx"}, {"rgx", "rgx"}, {"rgbx", "rgbx"}, {"depth", "r"},
}

// Number is what the numbers of a channel mean.
type Number uint8

const (
	Norm Number = iota
	Integer
	Floating
)

var kinds = [...]struct {
	name   string
	bits   int
	number Number
	signed bool
	packed []int // bits of red, green and blue, from the high ones
}{
	{"snorm8", 8, Norm, true, nil}, {"snorm16", 16, Norm, true, nil},
	{"unorm8", 8, Norm, false, nil}, {"unorm16", 16, Norm, false, nil},
	{"unorm565", 16, Norm, false, []int{5, 6, 5}}, {"unorm555", 16, Norm, false, []int{5, 5, 5}},
	{"unorm101010", 32, Norm, false, []int{10, 10, 10}},
	{"int8", 8, Integer, true, nil}, {"int16", 16, Integer, true, nil}, {"int32", 32, Integer, true, nil},
	{"uint8", 8, Integer, false, nil}, {"uint16", 16, Integer, false, nil}, {"uint32", 32, Integer, false, nil},
	{"half", 16, Floating, true, nil}, {"float", 32, Floating, true, nil},
}

func (o Order) known() bool { return o >= R && int(o-R) < len(orders) }
func (t Type) known() bool  { return t >= SNorm8 && int(t-SNorm8) < len(kinds) }

// String names the order as command lines do: "rgba".
func (o Order) String() string {
	if !o.known() {
		return fmt.Sprintf("order %#x", uint16(o))
	}
	return orders[o-R].name
}

// String names the type as command lines do: "unorm8".
func (t Type) String() string {
	if !t.known() {
		return fmt.Sprintf("type %#x", uint16(t))
	}
	return kinds[t-SNorm8].name
}

// Number says what the type's numbers mean.
func (t Type) Number() Number { return kinds[t-SNorm8].number }

// Signed reports whether the type has negative numbers.
func (t Type) Signed() bool { return kinds[t-SNorm8].signed }

// Bits is the size of a channel, or of all if they are packed.
func (t Type) Bits() int { return kinds[t-SNorm8].bits }

// Packed reports whether a word has all channels.
func (t Type) Packed() bool { return kinds[t-SNorm8].packed != nil }

// Format is how a texel lies in memory.
type Format struct {
	Order Order
	Type  Type
}

// Parse reads "ORDER,TYPE".
func Parse(text string) (Format, error) {
	order, kind, ok := strings.Cut(text, ",")
	if !ok {
		return Format{}, fmt.Errorf("%q: want a format ORDER,TYPE as rgba,unorm8", text)
	}
	var f Format
	for i, o := range orders {
		if o.name == order {
			f.Order = R + Order(i)
		}
	}
	for i, k := range kinds {
		if k.name == kind {
			f.Type = SNorm8 + Type(i)
		}
	}
	switch {
	case f.Order == 0:
		return f, fmt.Errorf("unknown channel order %q; orders are %s", order, names(len(orders), func(i int) string { return orders[i].name }))
	case f.Type == 0:
		return f, fmt.Errorf("unknown channel type %q; types are %s", kind, names(len(kinds), func(i int) string { return kinds[i].name }))
	}
	return f, f.Check()
}

func names(n int, name func(int) string) string {
	var all []string
	for i := range n {
		all = append(all, name(i))
	}
	return strings.Join(all, " ")
}

// String formats the format as Parse reads it.
func (f Format) String() string { return f.Order.String() + "," + f.Type.String() }

// Check reports formats that do not exist (tables 5.6 and 5.7 of OpenCL 1.2).
func (f Format) Check() error {
	if !f.Order.known() || !f.Type.known() {
		return fmt.Errorf("no image format has %s and %s", f.Order, f.Type)
	}
	ok := true
	switch f.Order {
	case RGB, RGBx:
		ok = f.Type.Packed()
	case BGRA, ARGB:
		ok = f.Type.Bits() == 8
	case Intensity, Luminance:
		ok = f.Type.Number() != Integer
	case Depth:
		ok = f.Type == UNorm16 || f.Type == Float
	case RGx:
		ok = false // texels of 3 channels have no size that memory is fond of
	}
	if !ok || f.Type.Packed() && f.Order != RGB && f.Order != RGBx {
		return fmt.Errorf("no image format has order %s with type %s", f.Order, f.Type)
	}
	return nil
}

// Channels is how many numbers a texel is in memory.
func (f Format) Channels() int {
	if f.Type.Packed() {
		return 1
	}
	return len(orders[f.Order-R].channels)
}

// Size is that of a texel in bytes.
func (f Format) Size() int { return f.Channels() * f.Type.Bits() / 8 }

// Field is where a component is in a texel.
type Field struct {
	Shift, Bits int // Bits is 0 if the texel does not have it
}

// Fields says where red, green, blue and alpha are when the texel is read as
// one number, and which of them are written.
func (f Format) Fields() (read [4]Field, written [4]bool) {
	if f.Type.Packed() {
		at := 0
		bits := kinds[f.Type-SNorm8].packed
		for i := 2; i >= 0; i-- {
			read[i] = Field{at, bits[i]}
			written[i] = true
			at += bits[i]
		}
		return read, written
	}
	bits := f.Type.Bits()
	for i, c := range orders[f.Order-R].channels {
		field := Field{i * bits, bits}
		switch c {
		case 'i', 'l':
			n := 4
			if c == 'l' {
				n = 3
			}
			for k := range n {
				read[k] = field
			}
			written[0] = true
		case 'x':
		default:
			k := strings.IndexRune("rgba", c)
			read[k], written[k] = field, true
		}
	}
	return read, written
}

// OpaqueBorder reports whether what lies outside an image has alpha 1
// (OpenCL 1.2 §8.1).
func (f Format) OpaqueBorder() bool {
	switch f.Order {
	case R, RG, RGB, Luminance, Depth:
		return true
	}
	return false
}
