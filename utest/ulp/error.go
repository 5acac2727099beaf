package ulp

import (
	"math"
	"math/big"
)

// Type is a floating type of measured functions.
type Type uint8

const (
	Float Type = iota
	Double
)

func (t Type) String() string { return [...]string{"float", "double"}[t] }

// unit returns the exponent of the unit in the last place of numbers in [2^e, 2^(e+1)).
func (t Type) unit(e int) int {
	if t == Float {
		return max(e, -126) - 23
	}
	return max(e, -1022) - 52
}

// limit is the exponent at which numbers overflow.
func (t Type) limit() int {
	if t == Float {
		return 128
	}
	return 1024
}

// errorOf returns the error of got in ULP of want. An infinite result counts as 2^limit. The
// error is infinite if exactly one of them is NaN, or if zeros differ in sign.
func (t Type) errorOf(got, want float64) float64 {
	switch {
	case got == want:
		if want == 0 && math.Signbit(got) != math.Signbit(want) {
			return math.Inf(1)
		}
		return 0
	case got != got && want != want:
		return 0
	case got != got || want != want:
		return math.Inf(1)
	}
	huge := math.Ldexp(1, min(t.limit(), 1023))
	if t == Float {
		if math.Abs(want) >= huge && math.Abs(got) >= huge && got > 0 == (want > 0) {
			return 0
		}
	} else if math.IsInf(got, 0) || math.IsInf(want, 0) {
		// 2^1024 exceeds the doubles: halve both numbers.
		half := func(x float64) float64 {
			if math.IsInf(x, 0) {
				return math.Copysign(huge, x)
			}
			return x / 2
		}
		return math.Ldexp(math.Abs(half(got)-half(want)), -970)
	}
	if math.IsInf(want, 0) || math.Abs(want) > huge {
		want = math.Copysign(huge, want)
	}
	if math.IsInf(got, 0) {
		got = math.Copysign(huge, got)
	}
	unit := t.unit(-1 << 30)
	if want != 0 {
		bits := int(math.Float64bits(want)>>52) & 0x7ff
		unit = t.unit(max(bits, 1) - 1023)
	}
	return math.Abs(got-want) * math.Float64frombits(uint64(1023-max(unit, -1022))<<52) * tail(unit)
}

// tail is the part of 2^-unit beyond the exponent range of doubles.
func tail(unit int) float64 {
	if unit < -1022 {
		return math.Ldexp(1, -1022-unit)
	}
	return 1
}

// errorOfBig is errorOf for a want of higher precision than double.
func (t Type) errorOfBig(got float64, want *big.Float) float64 {
	if want.Sign() == 0 || got != got {
		w, _ := want.Float64()
		return t.errorOf(got, w)
	}
	e := want.MantExp(nil) - 1
	g := num()
	if math.IsInf(got, 0) {
		if e >= t.limit() && got > 0 == (want.Sign() > 0) {
			return 0
		}
		g = scale(whole(int64(math.Copysign(1, got))), t.limit())
	} else {
		g.SetFloat64(got)
	}
	if e >= t.limit() {
		e = t.limit() - 1
		want = scale(whole(int64(want.Sign())), t.limit())
	}
	d, _ := scale(sub(g, want), -t.unit(e)).Float64()
	return math.Abs(d)
}
