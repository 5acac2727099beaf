// Package clprintf parses the format strings of OpenCL C's printf (OpenCL C 1.2
// §6.12.13), checks them against the types of arguments, and formats values.
//
// It is independent of the source of the values.
package clprintf

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Format is a format string with the arguments of a call.
type Format struct {
	Text string
	Args []Arg
}

// Arg is the type of an argument, or a string that is known at compile time.
type Arg struct {
	Elem  string // an OpenCL scalar type of at least the size of int, "float", "double", "pointer", "string" or "chars"
	Count int    // components
	Text  string // the text of a "string"
}

// String describes the argument for messages.
func (a Arg) String() string {
	if a.Count > 1 {
		return fmt.Sprintf("%s%d", a.Elem, a.Count)
	}
	return a.Elem
}

// elems gives the sizes of arguments in memory, in bytes.
var elems = map[string]int{
	"char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "long": 8, "ulong": 8,
	"float": 4, "double": 8, "pointer": 8, "string": 0, "chars": 8,
}

// ElemSize returns the size of a component in bytes, 0 for strings; ok reports whether
// the type exists.
func ElemSize(elem string) (n int, ok bool) {
	n, ok = elems[elem]
	return n, ok
}

// Size is the size of the argument in memory in bytes, a multiple of 8. Components are
// adjacent.
func (a Arg) Size() int { return (elems[a.Elem]*a.Count + 7) &^ 7 }

// Size is the size of all arguments in bytes.
func (f *Format) Size() int {
	n := 0
	for _, a := range f.Args {
		n += a.Size()
	}
	return n
}

// Extra returns the number of bytes of strings that follow the arguments of a record at
// the start of memory: for each argument of type "chars", whose value is the length, its
// bytes padded to a multiple of 8.
func (f *Format) Extra(memory []byte) int {
	n, at := 0, 0
	for _, a := range f.Args {
		if a.Elem == "chars" && at+8 <= len(memory) {
			n += (int(min(binary.LittleEndian.Uint64(memory[at:]), MaxChars)) + 7) &^ 7
		}
		at += a.Size()
	}
	return n
}

// MaxChars bounds the bytes of a string that is not known at compile time.
const MaxChars = 1 << 16

// Taker describes a conversion that takes an argument.
type Taker struct {
	Verb      byte
	Precision int // -1 if none is given
}

// Takers returns the conversions of a format that take an argument, in order, or nil if
// the format is invalid.
func Takers(format string) []Taker {
	specs, err := parse(format)
	if err != nil {
		return nil
	}
	out := []Taker{}
	for _, s := range specs {
		if s.verb != 0 {
			out = append(out, Taker{s.verb, s.precision})
		}
	}
	return out
}

type spec struct {
	text                          string
	minus, plus, space, alt, zero bool
	width, precision              int // precision -1: not given
	vector                        int // components, 0 for scalars
	length                        string
	verb                          byte
	at                            int // offset in the format string
	written                       string
}

// conversions are the known conversion letters, by argument type.
const (
	integers = "dioux" + "Xc"
	floats   = "fFeEgGaA"
)

// maxWidth bounds widths and precisions in characters.
const maxWidth = 4096

// Error is an error at one byte of a format.
type Error struct {
	At  int
	Arg int // index of the argument concerned; -1 if none
	Msg string
}

func (e *Error) Error() string { return e.Msg }

// parse splits a format into text and conversions.
func parse(format string) ([]spec, error) {
	var out []spec
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, spec{text: text})
			text = ""
		}
	}
	for at := 0; at < len(format); {
		n := strings.IndexByte(format[at:], '%')
		if n < 0 {
			text += format[at:]
			break
		}
		text += format[at : at+n]
		at += n
		s, end, err := conversion(format, at)
		if err != nil {
			return nil, err
		}
		at = end
		if s.verb == '%' {
			text += "%"
			continue
		}
		flush()
		out = append(out, s)
	}
	flush()
	return out, nil
}

// conversion parses the conversion that begins at byte start of format.
func conversion(format string, start int) (spec, int, error) {
	s := spec{precision: -1, at: start}
	at := start + 1
	bad := func(f string, v ...any) (spec, int, error) {
		return s, 0, &Error{start, -1, fmt.Sprintf(f, v...)}
	}
	next := func() byte {
		if at < len(format) {
			return format[at]
		}
		return 0
	}
	number := func() (int, bool) {
		n := 0
		for ; next() >= '0' && next() <= '9'; at++ {
			if n = 10*n + int(next()-'0'); n > maxWidth {
				return n, false
			}
		}
		return n, true
	}
flags:
	for {
		switch next() {
		case '-':
			s.minus = true
		case '+':
			s.plus = true
		case ' ':
			s.space = true
		case '#':
			s.alt = true
		case '0':
			s.zero = true
		default:
			break flags
		}
		at++
	}
	ok := true
	if s.width, ok = number(); ok && next() == '.' {
		at++
		s.precision, ok = number()
	}
	if !ok {
		return bad("a width or precision above %d", maxWidth)
	}
	if next() == '*' {
		return bad("'*' is not a width or precision in OpenCL C")
	}
	if next() == 'v' {
		at++
		digits := at
		s.vector, ok = number()
		if !ok || !strings.Contains(" 2 3 4 8 16 ", " "+format[digits:at]+" ") {
			return bad("'v' wants 2, 3, 4, 8 or 16")
		}
	}
	for _, length := range []string{"hh", "hl", "h", "ll", "l", "z", "j", "t", "L"} {
		if strings.HasPrefix(format[at:], length) {
			s.length = length
			at += len(length)
			break
		}
	}
	s.verb = next()
	at++
	s.written = format[start:min(at, len(format))]
	switch {
	case s.verb == 0:
		return bad("the conversion '%s' is not complete", s.written)
	case s.verb == '%' && s.vector == 0 && s.length == "":
		return s, at, nil
	case !strings.ContainsRune(integers+floats+"sp", rune(s.verb)) || s.verb >= 0x80:
		return bad("unknown conversion '%s'", s.written)
	case s.vector > 0 && strings.IndexByte("csp", s.verb) >= 0:
		return bad("'%s' does not work on vectors", s.written)
	case s.length == "hl" && s.vector == 0:
		return bad("'%s': 'hl' applies only to vectors", s.written)
	}
	return s, at, nil
}

// Check reports whether f's arguments match its text. Integers and floats are accepted
// for each other and converted.
func (f *Format) Check() error {
	specs, err := parse(f.Text)
	if err != nil {
		return err
	}
	i := 0
	for _, s := range specs {
		if s.verb == 0 {
			continue
		}
		if i == len(f.Args) {
			return &Error{s.at, -1, fmt.Sprintf("there is no argument for '%s'", s.written)}
		}
		if msg := s.fits(f.Args[i]); msg != "" {
			return &Error{s.at, i, fmt.Sprintf("'%s' %s", s.written, msg)}
		}
		i++
	}
	if i < len(f.Args) {
		return &Error{len(f.Text), i, "no conversion takes the argument"}
	}
	return nil
}

// Conversions returns a message for each integer argument that is converted to a float,
// or float argument converted to an integer. The format must be free of errors.
func (f *Format) Conversions() []*Error {
	specs, err := parse(f.Text)
	if err != nil {
		return nil
	}
	var out []*Error
	i := 0
	for _, s := range specs {
		if s.verb == 0 || i >= len(f.Args) {
			continue
		}
		a := f.Args[i]
		is := a.Elem == "float" || a.Elem == "double"
		if wants := strings.IndexByte(floats, s.verb) >= 0; s.verb != 's' && s.verb != 'p' && is != wants {
			kind := "an integer"
			if wants {
				kind = "a float"
			}
			out = append(out, &Error{s.at, i, fmt.Sprintf("'%s' wants %s, not %s, which is converted", s.written, kind, a)})
		}
		i++
	}
	return out
}

// fits describes the mismatch of argument a, or returns "".
func (s *spec) fits(a Arg) string {
	number := a.Elem != "pointer" && a.Elem != "string" && a.Elem != "chars"
	switch {
	case s.verb == 's':
		if a.Elem != "string" && a.Elem != "chars" {
			return "wants a string, not " + a.String()
		}
		return ""
	case s.verb == 'p':
		if number {
			return "wants a pointer, not " + a.String()
		}
		return ""
	case !number:
		return "wants a number, not a " + a.Elem
	case s.vector > 0 && a.Count != s.vector:
		return fmt.Sprintf("wants a vector of %d components, not %s", s.vector, a)
	case s.vector == 0 && a.Count > 1:
		return fmt.Sprintf("wants a scalar, not %s; vectors take 'v%d' before the conversion", a, a.Count)
	}
	return ""
}
