// Package pixel defines the formats of OpenCL images (OpenCL 1.2 §5.3.1.1): the orders
// and types of channels, and their positions in a texel.
//
// It is independent of image descriptors and of command line syntax.
package pixel

import (
	"fmt"
	"strings"
)

// Order is the set of channels of a texel and their order in memory.
type Order uint16

// The orders, with OpenCL's numbers. Orders with an x have an unused channel, or unused
// bits if packed.
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

// Type is the data type of a channel.
type Type uint16

// The types, with OpenCL's numbers. Norm types represent -1 to 1 or 0 to 1. UShort565 and
// similar types hold all channels of a texel in one word, red in the high bits.
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

// orders lists names and channels, in memory order.
var orders = [...]struct{ name, channels string }{
	{"r", "r"}, {"a", "a"}, {"rg", "rg"}, {"ra", "ra"}, {"rgb", "rgb"}, {"rgba", "rgba"}, {"bgra", "bgra"},
	{"argb", "argb"}, {"intensity", "i"}, {"luminance", "l"}, {"rx", "rx"}, {"rgx", "rgx"}, {"rgbx", "rgbx"}, {"depth", "r"},
}

// Number is the interpretation of a channel's bits.
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
	packed []int // widths of red, green and blue, from the high bits down
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

// String returns the name used on command lines: "rgba".
func (o Order) String() string {
	if !o.known() {
		return fmt.Sprintf("order %#x", uint16(o))
	}
	return orders[o-R].name
}

// String returns the name used on command lines: "unorm8".
func (t Type) String() string {
	if !t.known() {
		return fmt.Sprintf("type %#x", uint16(t))
	}
	return kinds[t-SNorm8].name
}

// Number returns the interpretation of the type's bits.
func (t Type) Number() Number { return kinds[t-SNorm8].number }

// Signed reports whether the type has negative numbers.
func (t Type) Signed() bool { return kinds[t-SNorm8].signed }

// Bits returns the size of a channel, or of all channels if they are packed.
func (t Type) Bits() int { return kinds[t-SNorm8].bits }

// Packed reports whether one word holds all channels.
func (t Type) Packed() bool { return kinds[t-SNorm8].packed != nil }

// Format is the memory format of a texel.
type Format struct {
	Order Order
	Type  Type
}

// Parse parses "ORDER,TYPE".
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

// String formats the format in the syntax of Parse.
func (f Format) String() string { return f.Order.String() + "," + f.Type.String() }

// Check returns an error for formats that do not exist (tables 5.6 and 5.7 of OpenCL
// 1.2).
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
		ok = false // texels of 3 unpacked channels are not supported
	}
	if !ok || f.Type.Packed() && f.Order != RGB && f.Order != RGBx {
		return fmt.Errorf("no image format has order %s with type %s", f.Order, f.Type)
	}
	return nil
}

// Channels returns the number of channels of a texel in memory.
func (f Format) Channels() int {
	if f.Type.Packed() {
		return 1
	}
	return len(orders[f.Order-R].channels)
}

// Size returns the size of a texel in bytes.
func (f Format) Size() int { return f.Channels() * f.Type.Bits() / 8 }

// Field is the position of a component in a texel.
type Field struct {
	Shift, Bits int // Bits is 0 if the texel lacks the component
}

// Fields returns the positions of red, green, blue and alpha in a texel read as one
// number, and which of them are written.
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

// OpaqueBorder reports whether texels out of bounds have alpha 1 (OpenCL 1.2 §8.1).
func (f Format) OpaqueBorder() bool {
	switch f.Order {
	case R, RG, RGB, Luminance, Depth:
		return true
	}
	return false
}
