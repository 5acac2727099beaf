package alu

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FormatConst formats the bits of a constant: true, -5, 1.5, or hexadecimal bits for a
// NaN or an infinity.
func FormatConst(t Type, bits uint64) string {
	switch t {
	case I1:
		return strconv.FormatBool(bits&1 != 0)
	case F32:
		f := float64(math.Float32frombits(uint32(bits)))
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprintf("%#x", bits)
		}
		return decimalPoint(strconv.FormatFloat(f, 'g', -1, 32))
	case F64:
		f := math.Float64frombits(bits)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fmt.Sprintf("%#x", bits)
		}
		return decimalPoint(strconv.FormatFloat(f, 'g', -1, 64))
	case F16:
		return fmt.Sprintf("%#x", bits)
	}
	return strconv.FormatInt(t.Signed(bits), 10)
}

func decimalPoint(s string) string {
	if strings.ContainsAny(s, ".e") {
		return s
	}
	return s + ".0"
}

// ParseConst is the inverse of FormatConst.
func ParseConst(t Type, s string) (uint64, bool) {
	switch {
	case t == I1:
		b, err := strconv.ParseBool(s)
		if b {
			return 1, err == nil
		}
		return 0, err == nil
	case t == Void:
		return 0, false
	case strings.HasPrefix(s, "0x"):
		u, err := strconv.ParseUint(s, 0, 64)
		return u, err == nil && u&^t.Mask() == 0
	case t == F32 || t == F64:
		f, err := strconv.ParseFloat(s, t.Bits())
		if err != nil {
			return 0, false
		}
		return floatBits(t, f), true
	case t == F16:
		return 0, false
	}
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		lo, hi := -int64(1)<<(t.Bits()-1), int64(t.Mask())
		return uint64(i) & t.Mask(), i >= lo && (t.Bits() == 64 || i <= hi)
	}
	u, err := strconv.ParseUint(s, 10, 64)
	return u, err == nil && u&^t.Mask() == 0
}

func floatBits(t Type, f float64) uint64 {
	if t == F32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}
