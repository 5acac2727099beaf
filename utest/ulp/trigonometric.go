package ulp

import (
	"math"
	"math/big"
)

var trigonometric = []Function{
	{Name: "sin", Arity: 1, Float: 4, Double: 4, Ref: one(math.Sin), Big: oneBig(bigSin)},
	{Name: "cos", Arity: 1, Float: 4, Double: 4, Ref: one(math.Cos), Big: oneBig(bigCos)},
	{Name: "tan", Arity: 1, Float: 5, Double: 5, Ref: one(math.Tan), Big: oneBig(func(x *big.Float) *big.Float {
		s, c := bigSinCos(x)
		return quo(s, c)
	})},
	{Name: "sincos", Arity: 1, Float: 4, Double: 4, Ref: one(math.Sin), Big: oneBig(bigSin), Statement: "T c; r = sincos(x, &c);"},
	{Name: "sincos.cos", Arity: 1, Float: 4, Double: 4, Ref: one(math.Cos), Big: oneBig(bigCos), Statement: "sincos(x, &r);"},
	{Name: "sinpi", Arity: 1, Float: 4, Double: 4, Ref: one(refSinPi), Big: oneBig(func(x *big.Float) *big.Float {
		s, _ := bigSinCosPi(x)
		return s
	})},
	{Name: "cospi", Arity: 1, Float: 4, Double: 4, Ref: one(refCosPi), Big: oneBig(func(x *big.Float) *big.Float {
		_, c := bigSinCosPi(x)
		return c
	})},
	{Name: "tanpi", Arity: 1, Float: 6, Double: 6, Ref: one(refTanPi), Big: oneBig(func(x *big.Float) *big.Float {
		s, c := bigSinCosPi(x)
		return quo(s, c)
	})},
}

func bigSin(x *big.Float) *big.Float {
	s, _ := bigSinCos(x)
	return s
}

func bigCos(x *big.Float) *big.Float {
	_, c := bigSinCos(x)
	return c
}

// nearest splits x into an integer, modulo 4, and the remainder.
func nearest(x float64) (n int, rest float64) {
	m := math.Mod(x, 4)
	r := math.RoundToEven(m)
	return int(r), m - r
}

// refSinPi and the like are exact at multiples of 1/2 (OpenCL C 1.2 §7.5.1).
func refSinPi(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	n, r := nearest(x)
	y := math.Sin(r * math.Pi)
	if n&1 != 0 {
		y = -y
	}
	if r == 0 {
		return math.Copysign(0, x)
	}
	return y
}

func refCosPi(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	n, r := nearest(x)
	if math.Abs(r) == 0.5 {
		return 0
	}
	y := math.Cos(r * math.Pi)
	if math.Abs(r) > 0.25 {
		y = math.Sin((0.5 - math.Abs(r)) * math.Pi)
	}
	if n&1 != 0 {
		return -y
	}
	return y
}

func refTanPi(x float64) float64 {
	if x-x != 0 {
		return math.NaN()
	}
	n, r := nearest(x)
	switch {
	case math.Abs(r) == 0.5:
		return math.Copysign(math.Inf(1), r)
	case r == 0 && n&1 != 0:
		return math.Copysign(0, -x)
	case r == 0:
		return math.Copysign(0, x)
	case math.Abs(r) > 0.25:
		return math.Copysign(1/math.Tan((0.5-math.Abs(r))*math.Pi), r)
	}
	return math.Tan(r * math.Pi)
}
