package interval

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
)

// result is the bounds of a result, and the readings in which it is exact.
type result struct {
	Bounds
	exact Exact
}

func unsigned(t alu.Type, lo, hi uint64) result { return result{Bounds: Unsigned(t, lo, hi)} }
func signed(t alu.Type, lo, hi int64) result    { return result{Bounds: Signed(t, lo, hi)} }

// arithmetic has the rules for the bounds of operations on integers; res is the type of the result,
// t that of the operands, y the second operand. Interval arithmetic as usual (Moore, "Interval
// Analysis", 1966), in both readings; results that may wrap are unknown.
var arithmetic = map[alu.Op]func(res, t alu.Type, x, y Bounds) result{
	alu.Add: func(res, _ alu.Type, x, y Bounds) result {
		b := result{Bounds: Any(res)}
		if hi, carry := bits.Add64(x.UHi, y.UHi, 0); carry == 0 && hi <= res.Mask() {
			b.ULo, b.UHi, b.exact.Unsigned = x.ULo+y.ULo, hi, true
		}
		lo, ok1 := addSigned(x.SLo, y.SLo)
		hi, ok2 := addSigned(x.SHi, y.SHi)
		return b.ifSigned(res, lo, hi, ok1 && ok2)
	},
	alu.Sub: func(res, _ alu.Type, x, y Bounds) result {
		b := result{Bounds: Any(res)}
		if x.ULo >= y.UHi {
			b.ULo, b.UHi, b.exact.Unsigned = x.ULo-y.UHi, x.UHi-y.ULo, true
		}
		lo, ok1 := subSigned(x.SLo, y.SHi)
		hi, ok2 := subSigned(x.SHi, y.SLo)
		return b.ifSigned(res, lo, hi, ok1 && ok2)
	},
	alu.Mul: func(res, _ alu.Type, x, y Bounds) result {
		b := result{Bounds: Any(res)}
		if over, hi := bits.Mul64(x.UHi, y.UHi); over == 0 && hi <= res.Mask() {
			b.ULo, b.UHi, b.exact.Unsigned = x.ULo*y.ULo, hi, true
		}
		lo, hi, ok := corners(x, y, mulSigned)
		return b.ifSigned(res, lo, hi, ok)
	},
	alu.Shl: func(res, t alu.Type, x, y Bounds) result {
		c, ok := Shift(t, y)
		if !ok {
			return result{Bounds: Any(res)}
		}
		b := result{Bounds: Any(res)}
		if x.UHi<<c>>c == x.UHi && x.UHi<<c <= res.Mask() {
			b.ULo, b.UHi, b.exact.Unsigned = x.ULo<<c, x.UHi<<c, true
		}
		return b.ifSigned(res, x.SLo<<c, x.SHi<<c, x.SLo<<c>>c == x.SLo && x.SHi<<c>>c == x.SHi)
	},
	alu.LShr: func(res, t alu.Type, x, y Bounds) result {
		if c, ok := Shift(t, y); ok {
			return unsigned(res, x.ULo>>c, x.UHi>>c)
		}
		return unsigned(res, 0, x.UHi)
	},
	alu.AShr: func(res, t alu.Type, x, y Bounds) result {
		if c, ok := Shift(t, y); ok {
			return signed(res, x.SLo>>c, x.SHi>>c)
		}
		return signed(res, min(x.SLo, 0), max(x.SHi, -1))
	},
	alu.UMulHi: func(res, t alu.Type, x, y Bounds) result {
		high := func(a, b uint64) uint64 {
			hi, lo := bits.Mul64(a, b)
			if t.Bits() == 64 {
				return hi
			}
			return lo >> t.Bits()
		}
		return unsigned(res, high(x.ULo, y.ULo), high(x.UHi, y.UHi))
	},
	alu.SMulHi: func(res, t alu.Type, x, y Bounds) result {
		if lo, hi, ok := corners(x, y, mulSigned); ok && t.Bits() < 64 {
			return signed(res, lo>>t.Bits(), hi>>t.Bits())
		}
		return result{Bounds: Any(res)}
	},
	alu.UDiv: func(res, _ alu.Type, x, y Bounds) result { // division by 0 is division by 1
		return unsigned(res, x.ULo/max(y.UHi, 1), x.UHi/max(y.ULo, 1))
	},
	alu.SDiv: func(res, _ alu.Type, x, y Bounds) result {
		if y.SLo < 0 {
			return result{Bounds: Any(res)}
		}
		y.SLo, y.SHi = max(y.SLo, 1), max(y.SHi, 1)
		lo, hi, _ := corners(x, y, func(a, b int64) (int64, bool) { return a / b, true })
		return signed(res, lo, hi)
	},
	alu.URem: func(res, _ alu.Type, x, y Bounds) result {
		if x.UHi < y.ULo {
			return unsigned(res, x.ULo, x.UHi)
		}
		return unsigned(res, 0, min(x.UHi, max(y.UHi, 1)-1))
	},
	alu.SRem: func(res, _ alu.Type, x, y Bounds) result {
		if y.SLo < 0 {
			return result{Bounds: Any(res)}
		}
		if x.SLo >= 0 && x.SHi < y.SLo {
			return signed(res, x.SLo, x.SHi)
		}
		limit := max(y.SHi, 1) - 1
		return signed(res, max(min(x.SLo, 0), -limit), min(max(x.SHi, 0), limit))
	},
	alu.And: func(res, _ alu.Type, x, y Bounds) result { return unsigned(res, 0, min(x.UHi, y.UHi)) },
	alu.Or: func(res, _ alu.Type, x, y Bounds) result {
		b := unsigned(res, max(x.ULo, y.ULo), ones(x.UHi|y.UHi))
		switch { // more ones make a negative number larger
		case x.SHi < 0:
			b.SLo, b.SHi = x.SLo, -1
		case y.SHi < 0:
			b.SLo, b.SHi = y.SLo, -1
		}
		return b
	},
	alu.Xor: func(res, _ alu.Type, x, y Bounds) result { return unsigned(res, 0, ones(x.UHi|y.UHi)) },
	alu.SMin: func(res, _ alu.Type, x, y Bounds) result {
		return signed(res, min(x.SLo, y.SLo), min(x.SHi, y.SHi))
	},
	alu.SMax: func(res, _ alu.Type, x, y Bounds) result {
		return signed(res, max(x.SLo, y.SLo), max(x.SHi, y.SHi))
	},
	alu.UMin: func(res, _ alu.Type, x, y Bounds) result {
		return unsigned(res, min(x.ULo, y.ULo), min(x.UHi, y.UHi))
	},
	alu.UMax: func(res, _ alu.Type, x, y Bounds) result {
		return unsigned(res, max(x.ULo, y.ULo), max(x.UHi, y.UHi))
	},
	alu.UAddSat: func(res, _ alu.Type, x, y Bounds) result {
		add := func(a, b uint64) uint64 { return alu.Eval(alu.UAddSat, res, res, a, b, 0) }
		b := unsigned(res, add(x.ULo, y.ULo), add(x.UHi, y.UHi))
		hi, carry := bits.Add64(x.UHi, y.UHi, 0)
		b.exact.Unsigned = carry == 0 && hi <= res.Mask()
		return b
	},
	alu.USubSat: func(res, _ alu.Type, x, y Bounds) result {
		b := unsigned(res, x.ULo-min(x.ULo, y.UHi), x.UHi-min(x.UHi, y.ULo))
		b.exact.Unsigned = x.ULo >= y.UHi
		return b
	},
	alu.SAddSat: func(res, _ alu.Type, x, y Bounds) result {
		return signed(res, saturated(alu.SAddSat, res, x.SLo, y.SLo), saturated(alu.SAddSat, res, x.SHi, y.SHi))
	},
	alu.SSubSat: func(res, _ alu.Type, x, y Bounds) result {
		return signed(res, saturated(alu.SSubSat, res, x.SLo, y.SHi), saturated(alu.SSubSat, res, x.SHi, y.SLo))
	},
	alu.Abs: func(res, _ alu.Type, x, _ Bounds) result {
		switch {
		case x.SLo >= 0:
			return signed(res, x.SLo, x.SHi)
		case x.SHi < 0:
			return unsigned(res, uint64(-x.SHi), uint64(-x.SLo)&res.Mask()) // the minimum is its own absolute value
		}
		return unsigned(res, 0, max(uint64(-x.SLo)&res.Mask(), uint64(x.SHi)))
	},
	alu.Clz: func(res, t alu.Type, x, _ Bounds) result {
		zeros := func(v uint64) uint64 { return uint64(t.Bits() - bits.Len64(v)) }
		return unsigned(res, zeros(x.UHi), zeros(x.ULo))
	},
	alu.Popcount: func(res, _ alu.Type, x, _ Bounds) result { return unsigned(res, 0, uint64(bits.Len64(x.UHi))) },
	alu.Trunc: func(res, _ alu.Type, x, _ Bounds) result {
		b := result{Bounds: Any(res)}
		if x.UHi <= res.Mask() {
			b.ULo, b.UHi, b.exact.Unsigned = x.ULo, x.UHi, true
		}
		return b.ifSigned(res, x.SLo, x.SHi, true)
	},
	alu.ZExt: func(res, _ alu.Type, x, _ Bounds) result {
		b := unsigned(res, x.ULo, x.UHi)
		b.exact.Unsigned = true // and Signed, as it is not negative
		return b
	},
	alu.SExt: func(res, _ alu.Type, x, _ Bounds) result {
		b := signed(res, x.SLo, x.SHi)
		b.exact.Signed = true
		return b
	},
}

func saturated(op alu.Op, t alu.Type, x, y int64) int64 {
	return t.Signed(alu.Eval(op, t, t, uint64(x)&t.Mask(), uint64(y)&t.Mask(), 0))
}

// ifSigned adds signed bounds that hold if ok and if they fit in t.
func (b result) ifSigned(t alu.Type, lo, hi int64, ok bool) result {
	if all := Any(t); ok && lo >= all.SLo && hi <= all.SHi {
		b.SLo, b.SHi, b.exact.Signed = lo, hi, true
	}
	return b
}

// Shift returns a shift by a constant, taken modulo the width as package alu does.
func Shift(t alu.Type, y Bounds) (uint64, bool) {
	c, ok := y.Constant()
	return c & uint64(t.Bits()-1), ok
}

// corners applies f, which is monotone in each operand, to the ends of x and y.
func corners(x, y Bounds, f func(a, b int64) (int64, bool)) (lo, hi int64, ok bool) {
	ok = true
	for i, a := range [2]int64{x.SLo, x.SHi} {
		for j, b := range [2]int64{y.SLo, y.SHi} {
			v, fits := f(a, b)
			ok = ok && fits
			if i == 0 && j == 0 {
				lo, hi = v, v
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	return lo, hi, ok
}

func addSigned(a, b int64) (int64, bool) {
	s := a + b
	return s, (s < a) == (b < 0)
}

func subSigned(a, b int64) (int64, bool) {
	d := a - b
	return d, (d > a) == (b < 0)
}

func mulSigned(a, b int64) (int64, bool) {
	p := a * b
	const minimum = -1 << 63
	return p, a == 0 || p/a == b && (a != -1 || b != minimum)
}
