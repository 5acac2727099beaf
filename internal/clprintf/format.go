package clprintf

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// Printer formats values.
type Printer struct {
	specs []spec
	args  []Arg
}

// Printer returns a printer for f, which Check must have accepted.
func (f *Format) Printer() (*Printer, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	specs, err := parse(f.Text)
	return &Printer{specs, f.Args}, err
}

// Append appends the text for arguments with the layout of Arg.Size in memory, followed
// by the strings counted by Extra.
func (p *Printer) Append(out, memory []byte) []byte {
	tail := memory[min((&Format{Args: p.args}).Size(), len(memory)):]
	i := 0
	for k := range p.specs {
		s := &p.specs[k]
		if s.verb == 0 {
			out = append(out, s.text...)
			continue
		}
		a := p.args[i]
		i++
		if a.Elem == "chars" {
			n := int(min(binary.LittleEndian.Uint64(memory), MaxChars, uint64(len(tail))))
			out = s.append(out, Arg{Elem: "string", Count: 1, Text: string(tail[:n])}, nil)
			tail = tail[min((n+7)&^7, len(tail)):]
			memory = memory[a.Size():]
			continue
		}
		for c := range a.Count {
			if c > 0 {
				out = append(out, ',')
			}
			out = s.append(out, a, memory[c*elems[a.Elem]:])
		}
		memory = memory[a.Size():]
	}
	return out
}

// append formats one component.
func (s *spec) append(out []byte, a Arg, memory []byte) []byte {
	switch {
	case s.verb == 's':
		text := a.Text
		if s.precision >= 0 && s.precision < len(text) {
			text = text[:s.precision]
		}
		return s.pad(out, "", text, false)
	case a.Elem == "string": // the address is not available
		return s.pad(out, "0x", "0", false)
	case strings.IndexByte(floats, s.verb) >= 0:
		return s.float(out, number(a.Elem, memory))
	}
	return s.integer(out, a.Elem, memory)
}

// pad extends text to the width of its field. Zeros, if requested, are inserted between a
// prefix (a sign, 0x) and the text.
func (s *spec) pad(out []byte, prefix, text string, zeros bool) []byte {
	fill := max(s.width-len(prefix)-len(text), 0)
	spaces := strings.Repeat(" ", fill)
	switch {
	case s.minus:
		return append(append(append(out, prefix...), text...), spaces...)
	case zeros:
		return append(append(append(out, prefix...), strings.Repeat("0", fill)...), text...)
	}
	return append(append(append(out, spaces...), prefix...), text...)
}

// bits reads an integer and extends it by the signedness of its type.
func bits(elem string, memory []byte) int64 {
	le := binary.LittleEndian
	switch elem {
	case "char":
		return int64(int8(memory[0]))
	case "uchar":
		return int64(memory[0])
	case "short":
		return int64(int16(le.Uint16(memory)))
	case "ushort":
		return int64(le.Uint16(memory))
	case "int":
		return int64(int32(le.Uint32(memory)))
	case "uint":
		return int64(le.Uint32(memory))
	}
	return int64(le.Uint64(memory))
}

func number(elem string, memory []byte) float64 {
	switch elem {
	case "float":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(memory)))
	case "double":
		return math.Float64frombits(binary.LittleEndian.Uint64(memory))
	case "ulong":
		return float64(uint64(bits(elem, memory)))
	}
	return float64(bits(elem, memory))
}

// bits returns the number of bits used by an integer conversion: scalars are ints unless
// a length modifier is given, as in C; vectors have the size of their components.
func (s *spec) bits(elem string) int {
	switch s.length {
	case "hh":
		return 8
	case "h":
		return 16
	case "hl":
		return 32
	case "":
		if s.vector == 0 {
			return 32
		}
		return 8 * elems[elem]
	}
	return 64
}

func (s *spec) integer(out []byte, elem string, memory []byte) []byte {
	var x int64
	if elem == "float" || elem == "double" {
		x = toInt(number(elem, memory))
	} else {
		x = bits(elem, memory)
	}
	if s.verb == 'c' {
		return s.pad(out, "", string([]byte{byte(x)}), false)
	}
	prefix, digits := "", ""
	if s.verb == 'p' {
		return s.pad(out, "0x", strconv.FormatUint(uint64(x), 16), false)
	}
	shift := 64 - s.bits(elem)
	if s.verb == 'd' || s.verb == 'i' {
		x = x << shift >> shift
		digits = strconv.FormatInt(x, 10)
		if x < 0 {
			prefix, digits = "-", digits[1:]
		} else {
			prefix = s.sign()
		}
	} else {
		u := uint64(x) << shift >> shift
		base := map[byte]int{'o': 8, 'u': 10, 'x': 16, 'X': 16}[s.verb]
		digits = strconv.FormatUint(u, base)
		if s.verb == 'X' {
			digits = strings.ToUpper(digits)
		}
		if s.alt && u != 0 && base == 16 {
			prefix = "0" + string(s.verb)
		}
		x = int64(u)
	}
	if s.precision >= 0 {
		if s.precision == 0 && x == 0 {
			digits = ""
		}
		digits = strings.Repeat("0", max(s.precision-len(digits), 0)) + digits
	}
	if s.verb == 'o' && s.alt && !strings.HasPrefix(digits, "0") {
		digits = "0" + digits
	}
	return s.pad(out, prefix, digits, s.zero && s.precision < 0)
}

// toInt converts like kernels do: out-of-range values give the smallest integer.
func toInt(x float64) int64 {
	if !(x >= -0x1p63 && x < 0x1p63) {
		return math.MinInt64
	}
	return int64(x)
}

// sign returns the prefix of a nonnegative number.
func (s *spec) sign() string {
	switch {
	case s.plus:
		return "+"
	case s.space:
		return " "
	}
	return ""
}

// float formats a number as in C. The sign of a NaN is omitted, as it differs between
// targets.
func (s *spec) float(out []byte, x float64) []byte {
	prefix := s.sign()
	if math.Signbit(x) && x == x {
		prefix, x = "-", -x
	}
	upper := s.verb < 'a'
	text := ""
	zeros := s.zero
	switch verb := s.verb | 0x20; {
	case x != x:
		text, zeros = "nan", false
		prefix = s.sign()
	case math.IsInf(x, 0):
		text, zeros = "inf", false
	case verb == 'a':
		text = strings.TrimPrefix(hex(x, s.precision, s.alt), "0x")
		prefix += "0x"
	case verb == 'g':
		text = general(x, s.precision, s.alt)
	default:
		p := s.precision
		if p < 0 {
			p = 6
		}
		text = strconv.FormatFloat(x, verb, p, 64)
		if s.alt && p == 0 {
			text = point(text)
		}
	}
	if upper {
		prefix, text = strings.ToUpper(prefix), strings.ToUpper(text)
	}
	return s.pad(out, prefix, text, zeros)
}

// point inserts a decimal point after the integer digits.
func point(text string) string {
	at := strings.IndexAny(text, "ep")
	if at < 0 {
		at = len(text)
	}
	return text[:at] + "." + text[at:]
}

// general formats as %g: like %e or %f, whichever is shorter, with p significant digits,
// without trailing zeros unless alt is set (C99 §7.19.6.1).
func general(x float64, p int, alt bool) string {
	switch p {
	case -1:
		p = 6
	case 0:
		p = 1
	}
	e := strconv.FormatFloat(x, 'e', p-1, 64)
	at := strings.IndexByte(e, 'e')
	exp, _ := strconv.Atoi(e[at+1:])
	text, tail := e[:at], e[at:]
	if exp >= -4 && exp < p {
		text, tail = strconv.FormatFloat(x, 'f', p-1-exp, 64), ""
	}
	switch dot := strings.IndexByte(text, '.'); {
	case alt && dot < 0:
		text += "."
	case !alt && dot >= 0:
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + tail
}

// hex formats as %a, with a minimal exponent.
func hex(x float64, p int, alt bool) string {
	text := strconv.FormatFloat(x, 'x', p, 64)
	at := strings.IndexByte(text, 'p')
	exp := text[at+2:]
	for len(exp) > 1 && exp[0] == '0' {
		exp = exp[1:]
	}
	text = text[:at+2] + exp
	if alt && !strings.Contains(text, ".") {
		text = point(text)
	}
	return text
}
