package ulp

import (
	"math"
	"math/big"
)

// hyperbolic are the hyperbolic functions and their inverses.
var hyperbolic = []Function{
	{Name: "acosh", Arity: 1, Float: 4, Double: 4, Ref: one(math.Acosh), Big: oneBig(bigAcosh)},
	{Name: "asinh", Arity: 1, Float: 4, Double: 4, Ref: one(math.Asinh), Big: oneBig(bigAsinh)},
	{Name: "atanh", Arity: 1, Float: 5, Double: 5, Ref: one(math.Atanh), Big: oneBig(bigAtanh)},
	{Name: "cosh", Arity: 1, Float: 4, Double: 4, Ref: one(refCosh), Big: oneBig(bigCosh)},
	{Name: "sinh", Arity: 1, Float: 4, Double: 4, Ref: one(refSinh), Big: oneBig(bigSinh)},
	{Name: "tanh", Arity: 1, Float: 5, Double: 5, Ref: one(math.Tanh), Big: oneBig(bigTanh)},
}

// bigAtanh returns atanh x = ln(1 + 2x/(1-x)) / 2.
func bigAtanh(x *big.Float) *big.Float {
	return scale(bigLog1p(quo(scale(x, 1), sub(whole(1), x))), -1)
}

// bigAsinh returns atanh(x / sqrt(1 + x^2)), which is accurate for small x.
func bigAsinh(x *big.Float) *big.Float {
	root := bigSqrt(add(whole(1), mul(x, x)))
	if f, _ := x.Float64(); math.Abs(f) < 0.5 {
		return atanhSeries(quo(x, root))
	}
	if x.Sign() < 0 {
		return neg(bigAsinh(neg(x)))
	}
	return bigLog(add(x, root))
}

func bigAcosh(x *big.Float) *big.Float {
	return bigLog(add(x, bigSqrt(mul(sub(x, whole(1)), add(x, whole(1))))))
}

func bigSinh(x *big.Float) *big.Float {
	if x.Sign() < 0 {
		return neg(bigSinh(neg(x)))
	}
	q := bigExpm1(x)
	return scale(add(q, quo(q, add(whole(1), q))), -1)
}

func bigCosh(x *big.Float) *big.Float {
	e := bigExp(x)
	return scale(add(e, quo(whole(1), e)), -1)
}

func bigTanh(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) > 1000 {
		return whole(int64(x.Sign()))
	}
	q := bigExpm1(scale(x, 1))
	return quo(q, add(whole(2), q))
}

// math.Cosh and math.Sinh overflow where e^x does, which is too early.

func refCosh(x float64) float64 {
	if math.Abs(x) > 700 {
		return math.Abs(refSinh(x))
	}
	return math.Cosh(x)
}

func refSinh(x float64) float64 {
	if e := math.Exp(math.Abs(x) / 2); math.Abs(x) > 700 {
		return math.Copysign(e/2*e, x)
	}
	return math.Sinh(x)
}
