package ulp

import (
	"math"
	"math/big"
)

// inverse are the inverse trigonometric functions, the cube root and the
// hypotenuse.
var inverse = []Function{
	{Name: "acos", Arity: 1, Float: 4, Double: 4, Ref: one(math.Acos), Big: oneBig(bigAcos)},
	{Name: "acospi", Arity: 1, Float: 5, Double: 5, Ref: one(perPi(math.Acos)), Big: oneBig(bigPerPi(bigAcos))},
	{Name: "asin", Arity: 1, Float: 4, Double: 4, Ref: one(math.Asin), Big: oneBig(bigAsin)},
	{Name: "asinpi", Arity: 1, Float: 5, Double: 5, Ref: one(perPi(math.Asin)), Big: oneBig(bigPerPi(bigAsin))},
	{Name: "atan", Arity: 1, Float: 5, Double: 5, Ref: one(math.Atan), Big: oneBig(bigAtan)},
	{Name: "atanpi", Arity: 1, Float: 5, Double: 5, Ref: one(perPi(math.Atan)), Big: oneBig(bigPerPi(bigAtan))},
	{Name: "atan2", Arity: 2, Float: 6, Double: 6, Ref: math.Atan2, Big: bigAtan2},
	{Name: "atan2pi", Arity: 2, Float: 6, Double: 6, Ref: refAtan2Pi,
		Big: func(y, x *big.Float) *big.Float { return quo(bigAtan2(y, x), num().Set(bigPi())) }},
	{Name: "cbrt", Arity: 1, Float: 2, Double: 2, Ref: one(math.Cbrt), Big: oneBig(bigCbrt)},
	{Name: "hypot", Arity: 2, Float: 4, Double: 4, Ref: math.Hypot, Big: bigHypot},
}

func perPi(f func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		r := f(x)
		if q := r / math.Pi; q != 0 {
			return q
		}
		return r // 0, or rounded to 0: left to the precise reference
	}
}

func refAtan2Pi(y, x float64) float64 {
	r := math.Atan2(y, x)
	if q := r / math.Pi; q != 0 {
		return q
	}
	return r
}

func bigPerPi(f func(*big.Float) *big.Float) func(*big.Float) *big.Float {
	return func(x *big.Float) *big.Float { return quo(f(x), num().Set(bigPi())) }
}

// cofunction returns sqrt(1 - x^2).
func cofunction(x *big.Float) *big.Float {
	return bigSqrt(mul(sub(whole(1), x), add(whole(1), x)))
}

func bigAsin(x *big.Float) *big.Float { return bigAtan2(x, cofunction(x)) }

func bigAcos(x *big.Float) *big.Float { return bigAtan2(cofunction(x), x) }

func bigAtan2(y, x *big.Float) *big.Float {
	if x.Sign() == 0 && y.Sign() != 0 {
		half := scale(num().Set(bigPi()), -1)
		if y.Sign() < 0 {
			return neg(half)
		}
		return half
	}
	r := num()
	if y.Sign() != 0 {
		r = bigAtan(quo(y, x))
	}
	switch {
	case !x.Signbit():
		return r
	case y.Signbit():
		return sub(r, num().Set(bigPi()))
	}
	return add(r, num().Set(bigPi()))
}

// bigCbrt uses Newton's iteration, starting from a double.
func bigCbrt(x *big.Float) *big.Float {
	f, _ := x.Float64()
	y := num().SetFloat64(math.Cbrt(f))
	for range 3 {
		y = sub(y, quo(sub(mul(mul(y, y), y), x), mul(whole(3), mul(y, y))))
	}
	return y
}

func bigHypot(x, y *big.Float) *big.Float {
	return bigSqrt(add(mul(x, x), mul(y, y)))
}
