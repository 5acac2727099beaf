package ulp

import (
	"math"
	"math/rand"
)

// interesting are arguments with special results, extrema or poles; sweeps sample around them,
// with both signs.
var interesting = []float64{
	0, 0x1p-1074, 0x1p-1023, 0x1p-1022, 0x1p-149, 0x1p-127, 0x1p-126, 0x1p-60, 0x1p-30, 0x1p-24, 0x1p-12, 0x1p-6, 0.1, 0.25,
	1.0 / 3, math.Ln2 / 2, 0.5, math.Sqrt2 / 2, math.Pi / 4, 1, math.Sqrt2, 1.5, math.Pi / 2, 2, math.E, 3, math.Pi, 2.5,
	4, 5, 2 * math.Pi, 7, 8, 10, 16, 32, 64, 88.72283, 89, 100, 103.97208, 126, 127, 128, 149, 150, 709.782712893384, 745.1332191019412,
	1000, 1022, 1024, 1074, 0x1p20, 0x1p23, 0x1p24, 0x1p25, 0x1p31, 0x1p32, 0x1p52, 0x1p53, 0x1p63, 0x1p64, 1e10, 1e22, 0x1p100, 0x1.fffffep127,
	0x1p200, 0x1p1000, math.MaxFloat64, math.Inf(1), math.NaN(),
}

// Specials lists the interesting arguments rounded to type t, with both signs.
func Specials(t Type) []float64 {
	var out []float64
	for _, x := range interesting {
		if t == Float {
			x = float64(float32(x))
		}
		if len(out) > 0 && out[len(out)-2] == x {
			continue
		}
		out = append(out, x, -x)
	}
	return out
}

// near returns a number a few steps from x.
func (t Type) near(x float64, steps int) float64 {
	if t == Float {
		return float64(math.Float32frombits(uint32(int(math.Float32bits(float32(x))) + steps)))
	}
	return math.Float64frombits(uint64(int(math.Float64bits(x)) + steps))
}

// random returns a number of random bits or, equally often, one of moderate size.
func (t Type) random(r *rand.Rand) float64 {
	switch r.Intn(4) {
	case 0, 1:
		if t == Float {
			return float64(math.Float32frombits(r.Uint32()))
		}
		return math.Float64frombits(r.Uint64())
	case 2:
		return t.round((r.Float64()*2 - 1) * math.Ldexp(1, r.Intn(12)-2))
	}
	return t.round(math.Exp(r.NormFloat64() * 4))
}

func (t Type) round(x float64) float64 {
	if t == Float {
		return float64(float32(x))
	}
	return x
}

// Sweep makes arguments (pairs of them) for f: all pairs of special values, then n more, near
// special values and random.
func (f *Function) Sweep(t Type, n int, seed int64) (a, b []float64) {
	r := rand.New(rand.NewSource(seed))
	specials := Specials(t)
	take := func(x, y float64) {
		if f.Hi != 0 {
			if !(f.Lo <= x && x <= f.Hi) {
				x = t.round(f.Lo + (f.Hi-f.Lo)*r.Float64())
			}
			if f.Arity == 2 && !f.Int && !(f.Lo <= y && y <= f.Hi) {
				y = t.round(f.Lo + (f.Hi-f.Lo)*r.Float64())
			}
		}
		if f.Int {
			y = clampInt(y)
			if t == Float {
				y = float64(int32(float32(y)))
			}
		}
		if f.Arity == 1 {
			y = 0
		}
		a, b = append(a, x), append(b, y)
	}
	for _, x := range specials {
		if f.Arity == 1 {
			take(x, 0)
			continue
		}
		for _, y := range specials {
			take(x, y)
		}
	}
	for i := range n {
		x, y := t.random(r), t.random(r)
		if i%4 == 0 {
			x = t.near(specials[r.Intn(len(specials))], r.Intn(41)-20)
		}
		if i%8 < 2 {
			y = t.near(specials[r.Intn(len(specials))], r.Intn(5)-2)
		}
		if i%16 == 9 {
			// near multiples of pi/2, where argument reduction cancels most
			x = t.round(math.Trunc(math.Exp2(r.Float64()*20)) * (math.Pi / 2))
		}
		if f.Int && i%2 == 0 {
			y = float64(r.Intn(41) - 20)
		}
		if i%16 == 5 && f.Arity == 2 && x > 0 && x < math.Inf(1) {
			// results over the whole range, for pow
			y = t.round((r.Float64()*2 - 1) * float64(t.limit()+60) / math.Log2(x))
		}
		take(x, y)
	}
	return a, b
}

// clampInt converts any number to an int that floats represent.
func clampInt(y float64) float64 {
	if y != y {
		return 0
	}
	return math.Trunc(max(min(y, 0x7fffff80), -0x80000000))
}
