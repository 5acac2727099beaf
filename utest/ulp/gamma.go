package ulp

import (
	"math"
	"math/big"
	"sync"
)

// gamma are the error and gamma functions. The specification sets no bound for lgamma; between
// its zeros the bound is 8 ULP, and near the negative zeros the rounding error of the terms of
// the reflection formula.
var gamma = []Function{
	{Name: "erf", Arity: 1, Float: 16, Double: 16, Ref: one(math.Erf), Big: oneBig(bigErf)},
	{Name: "erfc", Arity: 1, Float: 16, Double: 16, Ref: one(math.Erfc), Big: oneBig(bigErfc)},
	{Name: "tgamma", Arity: 1, Float: 16, Double: 16, Ref: one(refGamma), Big: oneBig(bigGamma)},
	{Name: "lgamma", Arity: 1, Float: 8, Double: 8, Absolute: 2e-14, Ref: one(refLgamma), Big: oneBig(bigLgamma)},
	{Name: "lgamma_r", Arity: 1, Float: 8, Double: 8, Absolute: 2e-14, Ref: one(refLgamma), Big: oneBig(bigLgamma),
		Statement: "int sign; r = lgamma_r(x, &sign);"},
}

// refGamma is math.Gamma, except where that returns 0 for the smallest numbers.
func refGamma(x float64) float64 {
	if x > -170 || x < -200 || x == math.Floor(x) {
		return math.Gamma(x)
	}
	r := math.Gamma(x + 16)
	for k := 15.0; k >= 0; k-- {
		r /= x + k
	}
	return r
}

func refLgamma(x float64) float64 {
	r, _ := math.Lgamma(math.Max(x, -math.MaxFloat64)) // math.Lgamma returns -infinity at -infinity
	return r
}

// rootPi is sqrt(pi).
var rootPi = sync.OnceValue(func() *big.Float { return bigSqrt(num().Set(bigPi())) })

// bigErf sums 2x e^(-x^2) / sqrt(pi) (1 + 2x^2/3 + (2x^2)^2/15 + ...), whose
// terms are positive.
func bigErf(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) > 7 {
		one := whole(int64(x.Sign()))
		if math.Abs(f) > 30 {
			return one
		}
		if x.Sign() < 0 {
			return sub(bigErfc(neg(x)), whole(1))
		}
		return sub(one, bigErfc(x))
	}
	square := mul(x, x)
	term, sum := whole(1), whole(1)
	for k := int64(1); ; k++ {
		term = quo(mul(term, scale(square, 1)), whole(2*k+1))
		if small(term, sum) {
			break
		}
		sum = add(sum, term)
	}
	return quo(mul(mul(scale(x, 1), bigExp(neg(square))), sum), rootPi())
}

// bigErfc is e^(-x^2) / sqrt(pi) times Laplace's continued fraction
// 1/(x + (1/2)/(x + (2/2)/(x + ...))), for large x.
func bigErfc(x *big.Float) *big.Float {
	f, _ := x.Float64()
	if f < 3 {
		return sub(whole(1), bigErf(x))
	}
	t := num().Set(x)
	for k := int64(20 + 5000/(f*f)); k > 0; k-- {
		t = add(x, quo(scale(whole(k), -1), t))
	}
	return quo(bigExp(neg(mul(x, x))), mul(t, rootPi()))
}

// stirling are the coefficients B(2k) / (2k (2k-1)) of Stirling's series.
var stirling = sync.OnceValue(func() []*big.Float {
	const n = 90
	b := make([]*big.Rat, n) // Bernoulli's numbers, by their recurrence
	for m := range b {
		sum, binomial := new(big.Rat), big.NewInt(1)
		for k := range m {
			sum.Add(sum, new(big.Rat).Mul(new(big.Rat).SetInt(binomial), b[k]))
			binomial.Mul(binomial, big.NewInt(int64(m+1-k)))
			binomial.Quo(binomial, big.NewInt(int64(k+1)))
		}
		b[m] = sum.Mul(sum, big.NewRat(-1, int64(m+1)))
		if m == 0 {
			b[m] = big.NewRat(1, 1)
		}
	}
	var out []*big.Float
	for k := 2; k < n; k += 2 {
		out = append(out, quo(num().SetRat(b[k]), whole(int64(k)*int64(k-1))))
	}
	return out
})

// bigLogGamma returns ln Gamma(x) for x >= 40 by Stirling's series.
func bigLogGamma(x *big.Float) *big.Float {
	inverse := quo(whole(1), x)
	square, power := mul(inverse, inverse), inverse
	sum := scale(bigLog(scale(num().Set(bigPi()), 1)), -1)
	for _, c := range stirling() {
		sum = add(sum, mul(c, power))
		power = mul(power, square)
	}
	half := num().SetFloat64(0.5)
	return add(sum, sub(mul(sub(x, half), bigLog(x)), x))
}

// rise returns x+n >= 40 and the product of x, x+1, ..., x+n-1.
func rise(x *big.Float) (up, product *big.Float) {
	product = whole(1)
	for x.Cmp(whole(40)) < 0 {
		product = mul(product, x)
		x = add(x, whole(1))
	}
	return x, product
}

func bigGamma(x *big.Float) *big.Float {
	if f, _ := x.Float64(); f < -0.5 {
		s, _ := bigSinCosPi(x)
		return quo(num().Set(bigPi()), mul(s, bigGamma(sub(whole(1), x))))
	}
	up, product := rise(x)
	return quo(bigExp(bigLogGamma(up)), product)
}

func bigLgamma(x *big.Float) *big.Float {
	if f, _ := x.Float64(); f < -0.5 {
		s, _ := bigSinCosPi(x)
		return sub(bigLog(quo(num().Set(bigPi()), num().Abs(s))), bigLgamma(sub(whole(1), x)))
	}
	up, product := rise(x)
	return sub(bigLogGamma(up), bigLog(num().Abs(product)))
}
