package ulp

import (
	"math"
	"math/big"
	"sync"
)

// prec is the precision of the references in bits. Arguments are exact; the constants below
// suffice for the argument reduction of every double.
const prec = 256

func num() *big.Float                { return new(big.Float).SetPrec(prec) }
func whole(n int64) *big.Float       { return num().SetInt64(n) }
func add(x, y *big.Float) *big.Float { return num().Add(x, y) }
func sub(x, y *big.Float) *big.Float { return num().Sub(x, y) }
func mul(x, y *big.Float) *big.Float { return num().Mul(x, y) }
func quo(x, y *big.Float) *big.Float { return num().Quo(x, y) }
func neg(x *big.Float) *big.Float    { return num().Neg(x) }

// scale returns x * 2^n.
func scale(x *big.Float, n int) *big.Float { return num().SetMantExp(x, n) }

// small reports whether term is negligible beside sum.
func small(term, sum *big.Float) bool {
	return term.Sign() == 0 || sum.Sign() != 0 && term.MantExp(nil) < sum.MantExp(nil)-prec
}

// bigPi is pi to more bits than the exponent range of doubles, by Machin's formula.
var bigPi = sync.OnceValue(func() *big.Float {
	const bits = 1400
	inverse := func(n int64) *big.Int { // atan(1/n) * 2^bits
		term := new(big.Int).Lsh(big.NewInt(1), bits)
		term.Quo(term, big.NewInt(n))
		sum := new(big.Int).Set(term)
		for k := int64(1); term.Sign() != 0; k++ {
			term.Quo(term, big.NewInt(-n*n))
			sum.Add(sum, new(big.Int).Quo(term, big.NewInt(2*k+1)))
		}
		return sum
	}
	p := inverse(5)
	p.Lsh(p, 4)
	q := inverse(239)
	p.Sub(p, q.Lsh(q, 2))
	f := new(big.Float).SetPrec(bits).SetInt(p)
	return f.SetMantExp(f, -bits)
})

// bigLn2 is ln 2 = 2 atanh(1/3).
var bigLn2 = sync.OnceValue(func() *big.Float {
	return scale(atanhSeries(quo(whole(1), whole(3))), 1)
})

// atanhSeries sums x + x^3/3 + x^5/5 + ...
func atanhSeries(x *big.Float) *big.Float {
	sum, power, square := num().Set(x), num().Set(x), mul(x, x)
	for k := int64(3); ; k += 2 {
		power = mul(power, square)
		term := quo(power, whole(k))
		if small(term, sum) {
			return sum
		}
		sum = add(sum, term)
	}
}

// bigExp returns e^x, or a number beyond all doubles if e^x is. It sums a short series for a
// small part r of x and squares repeatedly: each step maps u = e^r - 1 to u*(u+2) and may
// lose a bit of prec.
func bigExp(x *big.Float) *big.Float {
	const most, squares = 4000, 12
	if x.MantExp(nil) > 11 {
		return scale(whole(1), most*x.Sign())
	}
	k, r := reduceLn2(x)
	u := expm1Series(scale(r, -squares))
	for range squares {
		u = mul(u, add(u, whole(2)))
	}
	return scale(add(u, whole(1)), k)
}

// reduceLn2 splits x = k*ln2 + r.
func reduceLn2(x *big.Float) (int, *big.Float) {
	f, _ := x.Float64()
	k := math.RoundToEven(f / math.Ln2)
	return int(k), sub(x, mul(num().SetFloat64(k), bigLn2()))
}

// expm1Series returns e^x - 1 of small x, also accurate for tiny x.
func expm1Series(x *big.Float) *big.Float {
	sum, term := num().Set(x), num().Set(x)
	for k := int64(2); ; k++ {
		term = quo(mul(term, x), whole(k))
		if small(term, sum) {
			return sum
		}
		sum = add(sum, term)
	}
}

func bigExpm1(x *big.Float) *big.Float {
	if f, _ := x.Float64(); math.Abs(f) < 0.5 {
		return expm1Series(x)
	}
	return sub(bigExp(x), whole(1))
}

// bigLog returns ln x: the logarithm of the fraction by Halley's iteration, starting from a
// double.
func bigLog(x *big.Float) *big.Float {
	m := num()
	e := x.MantExp(m)
	if f, _ := m.Float64(); f < math.Sqrt2/2 {
		m = scale(m, 1)
		e--
	}
	if d := sub(m, whole(1)); e == 0 && (d.Sign() == 0 || d.MantExp(nil) < -20) {
		return bigLog1p(sub(num().SetPrec(4*prec).Set(x), whole(1)))
	}
	f, _ := m.Float64()
	y := num().SetFloat64(math.Log(f))
	for range 2 {
		t := bigExp(y)
		y = add(y, scale(quo(sub(m, t), add(m, t)), 1))
	}
	return add(y, mul(whole(int64(e)), bigLn2()))
}

// bigLog1p returns ln(1+x) = 2 atanh(x / (2+x)).
func bigLog1p(x *big.Float) *big.Float {
	if x.Sign() == 0 || x.MantExp(nil) < -4 {
		return scale(atanhSeries(quo(x, add(whole(2), x))), 1)
	}
	return bigLog(add(x, whole(1)))
}

// bigSinCos returns the sine and cosine of a double.
func bigSinCos(x *big.Float) (sin, cos *big.Float) {
	wide := new(big.Float).SetPrec(1400)
	half := new(big.Float).SetPrec(1400).Quo(bigPi(), big.NewFloat(2))
	n, _ := wide.Add(wide.Quo(wide.Set(x), half), big.NewFloat(math.Copysign(0.5, sign(x)))).Int(nil)
	r := num().Set(wide.Sub(new(big.Float).SetPrec(1400).Set(x), wide.Mul(new(big.Float).SetPrec(1400).SetInt(n), half)))
	return turn(sinSeries(r), cosSeries(r), int(new(big.Int).And(n, big.NewInt(3)).Int64()))
}

func sign(x *big.Float) float64 { return float64(x.Sign()) }

// turn rotates a sine and cosine by a number of quarter turns.
func turn(s, c *big.Float, quarters int) (sin, cos *big.Float) {
	switch quarters & 3 {
	case 1:
		return c, neg(s)
	case 2:
		return neg(s), neg(c)
	case 3:
		return neg(c), s
	}
	return s, c
}

// bigSinCosPi returns the sine and cosine of pi*x.
func bigSinCosPi(x *big.Float) (sin, cos *big.Float) {
	f, _ := x.Float64()
	turns := 2 * math.Mod(f, 4)
	n := math.RoundToEven(turns)
	r := num().SetFloat64(turns - n) // exact: the difference of neighbors
	r = scale(mul(r, bigPi()), -1)
	return turn(sinSeries(r), cosSeries(r), int(n)+8)
}

func sinSeries(x *big.Float) *big.Float {
	return alternate(num().Set(x), mul(x, x), 2)
}

func cosSeries(x *big.Float) *big.Float {
	return alternate(whole(1), mul(x, x), 1)
}

// alternate sums term - term*square/(k(k+1)) + ..., with k increased by 2 per term.
func alternate(term, square *big.Float, k int64) *big.Float {
	sum := num().Set(term)
	for ; ; k += 2 {
		term = neg(quo(mul(term, square), whole(k*(k+1))))
		if small(term, sum) {
			return sum
		}
		sum = add(sum, term)
	}
}

// bigAtan returns the arc tangent. It halves the angle three times, which shortens the
// series.
func bigAtan(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return num()
	}
	if num().Abs(x).Cmp(whole(1)) > 0 {
		half := scale(num().Set(bigPi()), -1)
		if x.Sign() < 0 {
			half = neg(half)
		}
		return sub(half, bigAtan(quo(whole(1), x)))
	}
	r := num().Set(x)
	for range 3 {
		r = quo(r, add(whole(1), num().Sqrt(add(whole(1), mul(r, r)))))
	}
	sum, power, square := num().Set(r), num().Set(r), mul(r, r)
	for k := int64(3); ; k += 2 {
		power = neg(mul(power, square))
		term := quo(power, whole(k))
		if small(term, sum) {
			return scale(sum, 3)
		}
		sum = add(sum, term)
	}
}
