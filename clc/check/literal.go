package check

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/clc/types"
)

// intLit types an integer or character constant (C99 §6.4.4.1, §6.4.4.4).
func (c *checker) intLit(e *ast.IntLit) ast.Expr {
	if e.Typ != nil {
		return e
	}
	if strings.HasSuffix(e.Text, "'") {
		return c.charLit(e)
	}
	digits := e.Text
	i := len(digits)
	hex := strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X")
	for i > 0 && strings.IndexByte("uUlL", digits[i-1]) >= 0 {
		i--
	}
	suffix := strings.ToLower(digits[i:])
	digits = digits[:i]
	base, body := 10, digits
	switch {
	case hex:
		base, body = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"), strings.HasPrefix(digits, "0B"):
		base, body = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base, body = 8, digits[1:]
	}
	unsigned := strings.Contains(suffix, "u")
	long := strings.Contains(suffix, "l")
	switch suffix {
	case "", "u", "l", "ul", "lu", "ll", "ull", "llu":
	default:
		c.errorf(e.At, "unknown suffix '%s' on an integer constant", e.Text[i:])
		return c.bad(e)
	}
	v, err := strconv.ParseUint(body, base, 64)
	if err != nil {
		if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
			c.errorf(e.At, "integer constant '%s' is too large", e.Text)
		} else {
			c.errorf(e.At, "'%s' is not an integer constant", e.Text)
		}
		return c.bad(e)
	}
	e.Value = v
	either := unsigned || base != 10 // hex, octal and binary constants may become unsigned
	switch {
	case !unsigned && !long && v <= math.MaxInt32:
		e.Typ = types.Int
	case either && !long && v <= math.MaxUint32:
		e.Typ = types.UInt
	case !unsigned && v <= math.MaxInt64:
		e.Typ = types.Long
	default:
		e.Typ = types.ULong
	}
	return e
}

func (c *checker) charLit(e *ast.IntLit) ast.Expr {
	if len(e.Text) < 2 || e.Text[0] != '\'' {
		c.errorf(e.At, "wide character constants are not supported: %s", e.Text)
		return c.bad(e)
	}
	val, msg := parse.Unescape(e.Text[1 : len(e.Text)-1])
	if strings.IndexFunc(e.Text, func(r rune) bool { return r > 127 }) >= 0 {
		msg = "a character constant holds characters of one byte, found " + e.Text
	}
	if msg != "" {
		c.errorf(e.At, "%s", msg)
		return c.bad(e)
	}
	// Of several characters the last four count, the first of them the most significant.
	// A single one is a char, which is signed (C99 §6.4.4.4 leaves both to the
	// implementation).
	var bits uint32
	for _, b := range []byte(val) {
		bits = bits<<8 | uint32(b)
	}
	e.Value = uint64(int64(int32(bits)))
	if len(val) == 1 {
		e.Value = uint64(int64(int8(bits)))
	}
	e.Typ = types.Int
	return e
}

// floatSuffixes are the suffixes of floating constants (OpenCL C 1.2 §9.5; f16 is from
// ISO/IEC TS 18661-3 and accepted by clang too).
var floatSuffixes = []struct {
	text string
	typ  *types.Scalar
}{{"f16", types.Half}, {"f", types.Float}, {"h", types.Half}, {"l", types.Double}}

// floatLit types a floating constant. Its text is rounded only once.
func (c *checker) floatLit(e *ast.FloatLit) ast.Expr {
	if e.Typ != nil {
		return e
	}
	text := e.Text
	typ := types.Double
	if c.opts.SinglePrecisionConstant {
		typ = types.Float
	}
	hex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")
	body := text
	if n := len(text); n > 0 && (!hex || strings.ContainsAny(text, "pP")) {
		for _, suffix := range floatSuffixes {
			if at := n - len(suffix.text); at > 0 && strings.EqualFold(text[at:], suffix.text) {
				typ, body = suffix.typ, text[:at]
				break
			}
		}
	}
	bits := 64
	if typ == types.Float {
		bits = 32
	}
	v, err := strconv.ParseFloat(body, bits)
	if ne, ok := err.(*strconv.NumError); ok && ne.Err != strconv.ErrRange || strings.Contains(body, "_") {
		c.errorf(e.At, "'%s' is not a floating constant", e.Text)
		return c.bad(e)
	}
	if typ == types.Half {
		v = roundHalf(towardOdd(v, body))
	}
	e.Value, e.Typ = v, typ
	return e
}

// towardOdd rounds text to odd: v is text rounded to nearest; if v is even and inexact,
// the result is the neighbor on the other side of the exact value. Rounding the result to
// fewer bits then gives the correctly rounded value even near ties.
func towardOdd(v float64, text string) float64 {
	if math.Abs(v) < 0x1p-30 || math.Abs(v) > 0x1p20 || math.Float64bits(v)&1 == 1 { // not near a tie of half, or odd
		return v
	}
	number, ok := new(big.Rat).SetString(text)
	if !ok {
		return v
	}
	switch number.Cmp(new(big.Rat).SetFloat64(v)) {
	case -1:
		return math.Nextafter(v, math.Inf(-1))
	case 1:
		return math.Nextafter(v, math.Inf(1))
	}
	return v
}

// roundHalf rounds v to the nearest IEEE 754 binary16 value, ties to even.
func roundHalf(v float64) float64 {
	a := math.Abs(v)
	if a == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return v
	}
	_, exp := math.Frexp(a) // a = f * 2^exp, f in [0.5, 1)
	ulp := math.Ldexp(1, max(exp-11, -24))
	r := math.RoundToEven(a/ulp) * ulp
	if r > 65504 {
		r = math.Inf(1)
	}
	return math.Copysign(r, v)
}

// newInt returns the constant v of type t as a replacement for e.
func newInt(e ast.Expr, t types.Type, v int64, text string) *ast.IntLit {
	n := &ast.IntLit{Value: uint64(v), Text: text}
	n.At = e.Pos()
	n.Typ = t
	return n
}
