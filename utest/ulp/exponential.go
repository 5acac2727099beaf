package ulp

import (
	"math"
	"math/big"
	"sync"
)

var exponential = []Function{
	{Name: "exp", Arity: 1, Float: 3, Double: 3, Ref: one(refExp), Big: oneBig(bigExp)},
	{Name: "exp2", Arity: 1, Float: 3, Double: 3, Ref: one(refExp2), Big: oneBig(bigExp2)},
	{Name: "exp10", Arity: 1, Float: 3, Double: 3, Ref: one(refExp10), Big: oneBig(bigExp10)},
	{Name: "expm1", Arity: 1, Float: 3, Double: 3, Ref: one(refExpm1), Big: oneBig(bigExpm1)},
	{Name: "log", Arity: 1, Float: 3, Double: 3, Ref: one(math.Log), Big: oneBig(bigLog)},
	{Name: "log2", Arity: 1, Float: 3, Double: 3, Ref: one(refLog2), Big: oneBig(func(x *big.Float) *big.Float { return quo(bigLog(x), bigLn2()) })},
	{Name: "log10", Arity: 1, Float: 3, Double: 3, Ref: one(refLog10), Big: oneBig(func(x *big.Float) *big.Float { return quo(bigLog(x), bigLn10()) })},
	{Name: "log1p", Arity: 1, Float: 2, Double: 2, Ref: one(math.Log1p), Big: oneBig(bigLog1p)},
	{Name: "pow", Arity: 2, Float: 16, Double: 16, Ref: math.Pow, Coarse: true, Big: bigPow},
	{Name: "powr", Arity: 2, Float: 16, Double: 16, Ref: refPowr, Coarse: true, Big: bigPow},
	{Name: "pown", Arity: 2, Int: true, Float: 16, Double: 16, Ref: math.Pow, Coarse: true, Big: bigPow},
	{Name: "rootn", Arity: 2, Int: true, Float: 16, Double: 16, Ref: refRootn, Coarse: true, Big: bigRootn},
}

// refExp and refExp2 leave results near overflow and underflow to Big, since package math
// returns infinity and 0 too early.
func refExp(x float64) float64 {
	switch {
	case 709 < x && x < 710:
		return math.MaxFloat64
	case -746 < x && x < -708:
		return 0x1p-1022
	}
	return math.Exp(x)
}

func refExpm1(x float64) float64 {
	if x > 700 {
		return refExp(x)
	}
	return math.Expm1(x)
}

func refExp2(x float64) float64 {
	if -1076 < x && x < -1022 {
		return 0x1p-1022
	}
	return math.Exp2(x)
}

// refExp10 is accurate to a few units of double: the error of x*ln10 contributes less than
// 2^-43.
func refExp10(x float64) float64 {
	const ln10Rest = -2.1707562233822494e-16 // ln 10 - math.Ln10
	hi := x * math.Ln10
	if math.IsInf(hi, 0) || hi != hi {
		return math.Exp(hi)
	}
	lo := math.FMA(x, math.Ln10, -hi) + x*ln10Rest
	y := refExp(hi)
	if math.Abs(hi) > 700 {
		return y
	}
	return y + y*lo
}

// refLog2 and refLog10 avoid cancellation between the exponent and the logarithm.
func refLog2(x float64) float64 {
	if 0.7 < x && x < 1.5 {
		return math.Log1p(x-1) / math.Ln2
	}
	return math.Log2(x)
}

func refLog10(x float64) float64 { return math.Log(x) / math.Ln10 }

// refPowr is powr at special values (OpenCL C 1.2 §7.5.1).
func refPowr(x, y float64) float64 {
	switch {
	case x != x || y != y || x < 0, y == 0 && (x == 0 || math.IsInf(x, 0)), x == 1 && math.IsInf(y, 0):
		return math.NaN()
	}
	return math.Pow(math.Abs(x), y)
}

func refRootn(x, n float64) float64 {
	odd := math.Mod(n, 2) != 0
	if n == 0 || x < 0 && !odd {
		return math.NaN()
	}
	r := math.Pow(math.Abs(x), 1/n)
	if odd {
		return math.Copysign(r, x)
	}
	return r
}

// bigLn10 is ln 10.
var bigLn10 = sync.OnceValue(func() *big.Float { return bigLog(whole(10)) })

func bigExp2(x *big.Float) *big.Float { return bigExp(mul(x, bigLn2())) }

func bigExp10(x *big.Float) *big.Float { return bigExp(mul(x, bigLn10())) }

// bigPow returns x^y, with the sign of odd powers of negative x. x^y must exist.
func bigPow(x, y *big.Float) *big.Float {
	if x.Sign() >= 0 {
		if y.Sign() == 0 {
			return whole(1)
		}
		return bigExp(mul(y, bigLog(x)))
	}
	r := bigPow(neg(x), y)
	if n, _ := y.Int(nil); n.Bit(0) == 1 {
		return neg(r)
	}
	return r
}

func bigRootn(x, n *big.Float) *big.Float {
	if x.Sign() < 0 {
		return neg(bigRootn(neg(x), n))
	}
	return bigExp(quo(bigLog(x), n))
}
