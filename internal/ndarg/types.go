package ndarg

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/x448/float16"
)

// Elem is a scalar type.
type Elem uint8

const (
	Char Elem = iota
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	Half
	Float
	Double
)

var elems = [...]struct {
	name   string
	size   int
	signed bool
	float  bool
}{
	Char: {"char", 1, true, false}, UChar: {"uchar", 1, false, false},
	Short: {"short", 2, true, false}, UShort: {"ushort", 2, false, false},
	Int: {"int", 4, true, false}, UInt: {"uint", 4, false, false},
	Long: {"long", 8, true, false}, ULong: {"ulong", 8, false, false},
	Half: {"half", 2, true, true}, Float: {"float", 4, true, true}, Double: {"double", 8, true, true},
}

func (e Elem) String() string { return elems[e].name }
func (e Elem) size() int      { return elems[e].size }

// IsFloat reports whether e is half, float or double.
func (e Elem) IsFloat() bool { return elems[e].float }

// Size is the size of e in bytes.
func (e Elem) Size() int { return elems[e].size }

// Type is a scalar or vector type.
type Type struct {
	Elem  Elem
	Lanes int // components: 1, 2, 3, 4, 8 or 16
}

// Size is the size in memory in bytes: a vector of 3 takes the space of 4.
func (t Type) Size() int {
	n := t.Lanes
	if n == 3 {
		n = 4
	}
	return n * t.Elem.size()
}

// String formats the type as in OpenCL C.
func (t Type) String() string {
	if t.Lanes == 1 {
		return t.Elem.String()
	}
	return t.Elem.String() + strconv.Itoa(t.Lanes)
}

// ParseType parses the name of a type.
func ParseType(name string) (Type, error) {
	base := strings.TrimRight(name, "0123456789")
	lanes := 1
	if digits := name[len(base):]; digits != "" {
		switch digits {
		case "2", "3", "4", "8", "16":
			lanes, _ = strconv.Atoi(digits)
		default:
			return Type{}, fmt.Errorf("unknown type %q: vectors have 2, 3, 4, 8 or 16 components", name)
		}
	}
	for i, e := range elems {
		if e.name == base {
			return Type{Elem(i), lanes}, nil
		}
	}
	return Type{}, fmt.Errorf("unknown type %q", name)
}

// number is a literal, as an integer and as a float.
type number struct {
	i int64
	f float64
}

// holds reports whether n is in the range of e, signed or unsigned: -1 and 4294967295 are
// valid for both int and uint.
func (e Elem) holds(n number) bool {
	bits := 8 * e.size()
	return e.IsFloat() || bits == 64 || n.i >= -1<<(bits-1) && n.i < 1<<bits
}

// ordered reports whether a <= b, for integers.
func (e Elem) ordered(a, b number) bool {
	if e == ULong {
		return uint64(a.i) <= uint64(b.i)
	}
	return a.i <= b.i
}

// parseNumber parses a literal of type e. Integers out of range are truncated to their
// low bits, as in C.
func parseNumber(text string, e Elem) (number, error) {
	if e.IsFloat() {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && math.IsInf(f, 0) {
			err = nil // too large: infinity
		}
		if err != nil {
			if n, ierr := parseInt(text); ierr == nil {
				return number{n, float64(n)}, nil
			}
			return number{}, fmt.Errorf("%q is not a number", text)
		}
		return number{int64(f), f}, nil
	}
	n, err := parseInt(text)
	if err != nil {
		return number{}, err
	}
	return number{n, float64(n)}, nil
}

func parseInt(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, nil
	}
	u, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not an integer of 64 bits", text)
	}
	return int64(u), nil
}

// put stores n at p.
func (e Elem) put(p []byte, n number) {
	switch e {
	case Half:
		binary.LittleEndian.PutUint16(p, float16.Fromfloat32(float32(n.f)).Bits())
	case Float:
		binary.LittleEndian.PutUint32(p, math.Float32bits(float32(n.f)))
	case Double:
		binary.LittleEndian.PutUint64(p, math.Float64bits(n.f))
	default:
		e.putInt(p, n.i)
	}
}

func (e Elem) putInt(p []byte, i int64) {
	switch e.size() {
	case 1:
		p[0] = byte(i)
	case 2:
		binary.LittleEndian.PutUint16(p, uint16(i))
	case 4:
		binary.LittleEndian.PutUint32(p, uint32(i))
	default:
		binary.LittleEndian.PutUint64(p, uint64(i))
	}
}

// bits loads the element at p, zero-extended.
func (e Elem) bits(p []byte) uint64 {
	switch e.size() {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(p))
	case 4:
		return uint64(binary.LittleEndian.Uint32(p))
	}
	return binary.LittleEndian.Uint64(p)
}

// Number returns the element at p as a double; 64-bit integers are rounded.
func (e Elem) Number(p []byte) float64 {
	b := e.bits(p)
	switch e {
	case Half:
		return float64(float16.Frombits(uint16(b)).Float32())
	case Float:
		return float64(math.Float32frombits(uint32(b)))
	case Double:
		return math.Float64frombits(b)
	}
	if elems[e].signed {
		shift := 64 - 8*e.size()
		return float64(int64(b) << shift >> shift)
	}
	return float64(b)
}

// Format formats the element at p for readers.
func (e Elem) Format(p []byte) string {
	switch {
	case e == Float || e == Half:
		return strconv.FormatFloat(e.Number(p), 'g', -1, 32)
	case e == Double:
		return strconv.FormatFloat(e.Number(p), 'g', -1, 64)
	case elems[e].signed:
		shift := 64 - 8*e.size()
		return strconv.FormatInt(int64(e.bits(p))<<shift>>shift, 10)
	}
	return strconv.FormatUint(e.bits(p), 10)
}
