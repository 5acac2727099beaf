package ulp

import "math"

// exact are functions with correctly rounded results (a bound of half a unit), and the native
// ones with 13 bits. A function that stores a second result through a pointer is measured by
// the one that it returns.
var exact = []Function{
	{Name: "ceil", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(math.Ceil)},
	{Name: "copysign", Arity: 2, Float: 0.5, Double: 0.5, Ref: math.Copysign},
	{Name: "fabs", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(math.Abs)},
	{Name: "fdim", Arity: 2, Float: 0.5, Double: 0.5, Ref: refFdim},
	{Name: "floor", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(math.Floor)},
	{Name: "fmax", Arity: 2, Float: 0.5, Double: 0.5, Ref: refFmax},
	{Name: "fmin", Arity: 2, Float: 0.5, Double: 0.5, Ref: refFmin},
	{Name: "fmod", Arity: 2, Float: 0.5, Double: 0.5, Ref: math.Mod},
	// The reference rounds to a number below 1 in double, but not in float.
	{Name: "fract", Arity: 1, Float: 1, Double: 0.5, Ref: one(refFract), Statement: "T whole; r = fract(x, &whole);"},
	{Name: "frexp", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(refFrexp), Statement: "int e; r = frexp(x, &e);"},
	{Name: "ilogb", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(refIlogb), Statement: "r = ilogb(x);"},
	{Name: "ldexp", Arity: 2, Int: true, Float: 0.5, Double: 0.5, Ref: func(x, n float64) float64 { return math.Ldexp(x, int(n)) }},
	{Name: "logb", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(math.Logb)},
	{Name: "maxmag", Arity: 2, Float: 0.5, Double: 0.5, Ref: refMaxmag},
	{Name: "minmag", Arity: 2, Float: 0.5, Double: 0.5, Ref: refMinmag},
	{Name: "modf", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(refModf), Statement: "T whole; r = modf(x, &whole);"},
	{Name: "nextafter", Arity: 2, Double: 0.5, Ref: refNextafter},
	{Name: "remainder", Arity: 2, Float: 0.5, Double: 0.5, Ref: math.Remainder},
	{Name: "remquo", Arity: 2, Float: 0.5, Double: 0.5, Ref: math.Remainder, Statement: "int q; r = remquo(x, y, &q);"},
	{Name: "rint", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(math.RoundToEven)},
	{Name: "round", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(math.Round)},
	{Name: "trunc", Arity: 1, Float: 0.5, Double: 0.5, Ref: one(math.Trunc)},
	{Name: "half_divide", Arity: 2, Float: 8192, Ref: func(x, y float64) float64 { return x / y }},
	{Name: "half_recip", Arity: 1, Float: 8192, Ref: one(func(x float64) float64 { return 1 / x })},
	{Name: "half_rsqrt", Arity: 1, Float: 8192, Ref: one(refRsqrt)},
	{Name: "half_sqrt", Arity: 1, Float: 8192, Ref: one(math.Sqrt)},
}

func refFdim(x, y float64) float64 {
	if x <= y {
		return 0
	}
	return x - y
}

// Of a number and NaN the result is the number. Either zero is allowed, but all targets return
// the same.

func refFmax(x, y float64) float64 {
	if x > y || y != y {
		return x
	}
	return y
}

func refFmin(x, y float64) float64 {
	if x < y || y != y {
		return x
	}
	return y
}

func refMaxmag(x, y float64) float64 {
	switch a, b := math.Abs(x), math.Abs(y); {
	case a > b:
		return x
	case b > a:
		return y
	}
	return refFmax(x, y)
}

func refMinmag(x, y float64) float64 {
	switch a, b := math.Abs(x), math.Abs(y); {
	case a < b:
		return x
	case b < a:
		return y
	}
	return refFmin(x, y)
}

func refFract(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return math.Copysign(0, x)
	}
	if r := x - math.Floor(x); r < 1 || r != r {
		return r
	}
	return 0x1.fffffffffffffp-1
}

func refFrexp(x float64) float64 {
	m, _ := math.Frexp(x)
	return m
}

func refModf(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(0, x)
	}
	_, f := math.Modf(x)
	return math.Copysign(f, x)
}

// refIlogb: FP_ILOGB0 is INT_MIN, FP_ILOGBNAN INT_MAX.
func refIlogb(x float64) float64 {
	switch {
	case x == 0:
		return math.MinInt32
	case x-x != 0:
		return math.MaxInt32
	}
	return math.Logb(x)
}

func refNextafter(x, y float64) float64 {
	if x == y {
		return y // zeros may differ in sign
	}
	return math.Nextafter(x, y)
}
