package alu_test

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/simtc/simtc/alu"
)

var ints = []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64}

// edges are bit patterns at the limits of some type.
var edges = []uint64{
	0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 0x7f, 0x80, 0x81, 0xfe, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 1 << 32, math.MaxInt64, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64,
	0x5555555555555555, 0xaaaaaaaaaaaaaaaa,
}

func operand(t alu.Type) *rapid.Generator[uint64] {
	return rapid.Custom(func(r *rapid.T) uint64 {
		if rapid.Bool().Draw(r, "edge") {
			return rapid.SampledFrom(edges).Draw(r, "bits") & t.Mask()
		}
		return rapid.Uint64().Draw(r, "bits") & t.Mask()
	})
}

// asInt interprets bits as a signed or an unsigned number.
func asInt(t alu.Type, bits uint64, signed bool) *big.Int {
	x := new(big.Int).SetUint64(bits)
	if signed && bits>>(t.Bits()-1)&1 != 0 {
		x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())))
	}
	return x
}

// wrapped returns x modulo 2^bits.
func wrapped(t alu.Type, x *big.Int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	return new(big.Int).Mod(x, m).Uint64()
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return big.NewInt(0)
}

// reference computes integer operations on numbers of any size.
var reference = map[alu.Op]struct {
	signed bool
	f      func(t alu.Type, a, b *big.Int) *big.Int
}{
	alu.Add:  {false, func(_ alu.Type, a, b *big.Int) *big.Int { return a.Add(a, b) }},
	alu.Sub:  {false, func(_ alu.Type, a, b *big.Int) *big.Int { return a.Sub(a, b) }},
	alu.Mul:  {false, func(_ alu.Type, a, b *big.Int) *big.Int { return a.Mul(a, b) }},
	alu.And:  {false, func(_ alu.Type, a, b *big.Int) *big.Int { return a.And(a, b) }},
	alu.Or:   {false, func(_ alu.Type, a, b *big.Int) *big.Int { return a.Or(a, b) }},
	alu.Xor:  {false, func(_ alu.Type, a, b *big.Int) *big.Int { return a.Xor(a, b) }},
	alu.UDiv: {false, divide(false)}, alu.URem: {false, divide(true)},
	alu.SDiv: {true, divide(false)}, alu.SRem: {true, divide(true)},
	alu.UMulHi: {false, high}, alu.SMulHi: {true, high},
	alu.Shl:  {false, shift(func(a *big.Int, n uint) *big.Int { return a.Lsh(a, n) })},
	alu.LShr: {false, shift(func(a *big.Int, n uint) *big.Int { return a.Rsh(a, n) })},
	alu.AShr: {true, shift(func(a *big.Int, n uint) *big.Int { return a.Rsh(a, n) })},
	alu.SMin: {true, pick(-1)}, alu.UMin: {false, pick(-1)}, alu.SMax: {true, pick(1)}, alu.UMax: {false, pick(1)},
	alu.UAddSat: {false, saturated(false, (*big.Int).Add)}, alu.USubSat: {false, saturated(false, (*big.Int).Sub)},
	alu.SAddSat: {true, saturated(true, (*big.Int).Add)}, alu.SSubSat: {true, saturated(true, (*big.Int).Sub)},
	alu.Eq:  {false, func(_ alu.Type, a, b *big.Int) *big.Int { return truth(a.Cmp(b) == 0) }},
	alu.Ne:  {false, func(_ alu.Type, a, b *big.Int) *big.Int { return truth(a.Cmp(b) != 0) }},
	alu.Slt: {true, func(_ alu.Type, a, b *big.Int) *big.Int { return truth(a.Cmp(b) < 0) }},
	alu.Sle: {true, func(_ alu.Type, a, b *big.Int) *big.Int { return truth(a.Cmp(b) <= 0) }},
	alu.Ult: {false, func(_ alu.Type, a, b *big.Int) *big.Int { return truth(a.Cmp(b) < 0) }},
	alu.Ule: {false, func(_ alu.Type, a, b *big.Int) *big.Int { return truth(a.Cmp(b) <= 0) }},
	alu.Rotl: {false, func(t alu.Type, a, b *big.Int) *big.Int {
		n := uint(b.Uint64()) & uint(t.Bits()-1)
		low := new(big.Int).Rsh(a, uint(t.Bits())-n)
		return a.Or(a.Lsh(a, n), low)
	}},
	alu.Abs: {true, func(_ alu.Type, a, _ *big.Int) *big.Int { return a.Abs(a) }},
	alu.Clz: {false, func(t alu.Type, a, _ *big.Int) *big.Int { return big.NewInt(int64(t.Bits() - a.BitLen())) }},
	alu.Popcount: {false, func(t alu.Type, a, _ *big.Int) *big.Int {
		n := int64(0)
		for i := range t.Bits() {
			n += int64(a.Bit(i))
		}
		return big.NewInt(n)
	}},
}

// divide truncates toward zero; a divisor of 0 counts as 1.
func divide(rem bool) func(alu.Type, *big.Int, *big.Int) *big.Int {
	return func(_ alu.Type, a, b *big.Int) *big.Int {
		if b.Sign() == 0 {
			b.SetInt64(1)
		}
		if rem {
			return a.Rem(a, b)
		}
		return a.Quo(a, b)
	}
}

func high(t alu.Type, a, b *big.Int) *big.Int { return a.Rsh(a.Mul(a, b), uint(t.Bits())) }

func shift(f func(*big.Int, uint) *big.Int) func(alu.Type, *big.Int, *big.Int) *big.Int {
	return func(t alu.Type, a, b *big.Int) *big.Int {
		return f(a, uint(wrapped(t, b))&uint(t.Bits()-1))
	}
}

func saturated(signed bool, f func(r, a, b *big.Int) *big.Int) func(alu.Type, *big.Int, *big.Int) *big.Int {
	return func(t alu.Type, a, b *big.Int) *big.Int {
		low, high := new(big.Int), new(big.Int).SetUint64(t.Mask())
		if signed {
			high.Rsh(high, 1)
			low.Not(high)
		}
		r := f(new(big.Int), a, b)
		if r.Cmp(low) < 0 {
			return low
		}
		if r.Cmp(high) > 0 {
			return high
		}
		return r
	}
}

func pick(sign int) func(alu.Type, *big.Int, *big.Int) *big.Int {
	return func(_ alu.Type, a, b *big.Int) *big.Int {
		if a.Cmp(b) == sign {
			return a
		}
		return b
	}
}

// Integer operations are compared with arithmetic of arbitrary precision. Package legalize compares
// those without a reference with their expansions.
func TestIntegers(t *testing.T) {
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		in := alu.InfoOf(op)
		ref, ok := reference[op]
		if !ok {
			continue
		}
		for _, typ := range ints {
			res := typ
			if in.Class == alu.Compare {
				res = alu.I1
			}
			check := func(t require.TestingT, a, b uint64) {
				want := wrapped(res, ref.f(typ, asInt(typ, a, ref.signed), asInt(typ, b, ref.signed)))
				require.Equal(t, want, alu.Eval(op, res, typ, a, b, 0), "%s.%s %#x, %#x", in.Name, typ, a, b)
			}
			for _, a := range edges {
				for _, b := range edges {
					check(t, a&typ.Mask(), b&typ.Mask())
				}
			}
			rapid.Check(t, func(r *rapid.T) { check(r, operand(typ).Draw(r, "a"), operand(typ).Draw(r, "b")) })
		}
	}
}

func TestDotUS(t *testing.T) {
	for _, c := range []struct{ a, b, c, want, saturated uint32 }{
		{0x01020304, 0x05060708, 100, 170, 170},
		{0xffffffff, 0x7f7f7f7f, 0, 4 * 255 * 127, 4 * 255 * 127},
		{0xffffffff, 0x80808080, 1, ^uint32(4*255*128 - 2), ^uint32(4*255*128 - 2)},
		{0x80808080, 0xffffffff, 0, ^uint32(4*128 - 1), ^uint32(4*128 - 1)},
		{1, 1, math.MaxInt32, 1 << 31, math.MaxInt32},
		{0xff, 0x80, 0x80000000, 0x80000000 - 255*128, 1 << 31},
		{0x0101, 0x807f, math.MaxInt32, math.MaxInt32 - 1, math.MaxInt32 - 1}, // only the whole sum saturates
	} {
		for op, want := range map[alu.Op]uint32{alu.DotUS: c.want, alu.DotUSSat: c.saturated} {
			got := alu.Eval(op, alu.I32, alu.I32, uint64(c.a), uint64(c.b), uint64(c.c))
			require.Equal(t, uint64(want), got, "%s %#x, %#x, %#x", alu.InfoOf(op).Name, c.a, c.b, c.c)
		}
	}
}

// Corner cases in which hardware and languages differ.
func TestDivisionIsTotal(t *testing.T) {
	for _, typ := range ints {
		low := uint64(1) << (typ.Bits() - 1)
		for _, c := range []struct {
			op         alu.Op
			a, b, want uint64
		}{
			{alu.UDiv, 77, 0, 77}, {alu.SDiv, 77, 0, 77}, {alu.URem, 77, 0, 0}, {alu.SRem, 77, 0, 0},
			{alu.SDiv, low, typ.Mask(), low}, {alu.SRem, low, typ.Mask(), 0}, {alu.SDiv, low, 0, low},
			{alu.SDiv, 7, typ.Mask() - 1, typ.Mask() - 2}, {alu.SRem, 7, typ.Mask() - 1, 1}, {alu.SRem, typ.Mask() - 6, 2, typ.Mask()},
		} {
			require.Equal(t, c.want, alu.Eval(c.op, typ, typ, c.a, c.b, 0), "%s.%s %#x, %#x", alu.InfoOf(c.op).Name, typ, c.a, c.b)
		}
	}
}

func f32(f float32) uint64 { return uint64(math.Float32bits(f)) }
func f64(f float64) uint64 { return math.Float64bits(f) }

// sameFloat compares bits; all NaNs are equal.
func sameFloat(t alu.Type, a, b uint64) bool {
	if t == alu.F32 {
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		return a == b || x != x && y != y
	}
	x, y := math.Float64frombits(a), math.Float64frombits(b)
	return a == b || x != x && y != y
}

// randomF32 returns floats with few and with many bits, near the limits of the range and
// near each other.
func randomF32(rng *rand.Rand) float32 {
	switch rng.Intn(5) {
	case 0:
		return math.Float32frombits(rng.Uint32())
	case 1: // any exponent, few bits
		return float32(math.Ldexp(float64(rng.Intn(64)-32), rng.Intn(280)-150))
	case 2:
		return float32(rng.Intn(1<<24)) / 4096
	case 3: // close to a power of two
		return math.Float32frombits(uint32(rng.Intn(255))<<23 + uint32(rng.Intn(5)-2))
	}
	return float32(rng.NormFloat64())
}

// exactFMA32 computes a*b+c exactly and rounds once.
func exactFMA32(a, b, c float32) float32 {
	x := new(big.Float).SetPrec(2000).SetFloat64(float64(a))
	x.Mul(x, new(big.Float).SetPrec(2000).SetFloat64(float64(b)))
	x.Add(x, new(big.Float).SetPrec(2000).SetFloat64(float64(c)))
	r, _ := x.Float32()
	return r
}

func TestFMA32IsRoundedOnce(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	finite := func(f float32) bool { return !math.IsInf(float64(f), 0) && f == f }
	n := 0
	for range 300_000 {
		a, b, c := randomF32(rng), randomF32(rng), randomF32(rng)
		if rng.Intn(3) == 0 { // cancel nearly all of the product
			c = -a * b
			if rng.Intn(2) == 0 {
				c = math.Nextafter32(c, 0)
			}
		}
		if rng.Intn(3) == 0 { // almost a tie, with a far smaller term
			a, b = float32(1+math.Ldexp(1, -12)), float32(1+math.Ldexp(1, -12))
			c = float32(math.Ldexp(float64(rng.Intn(64)-32), -60-rng.Intn(60)))
		}
		if !finite(a) || !finite(b) || !finite(c) {
			continue
		}
		want := exactFMA32(a, b, c)
		if want == 0 {
			continue // signs of zero are checked below
		}
		n++
		got := alu.Eval(alu.FMA, alu.F32, alu.F32, f32(a), f32(b), f32(c))
		require.Equal(t, f32(want), got, "fma(%g, %g, %g)", a, b, c)
	}
	require.Greater(t, n, 100_000)
}

func TestFloatCorners(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	zero := math.Copysign(0, -1)
	for _, c := range []struct {
		op            alu.Op
		a, b, c, want float64
	}{
		{alu.FMA, inf, 0, 1, nan}, {alu.FMA, inf, 1, -inf, nan}, {alu.FMA, 2, 3, inf, inf}, {alu.FMA, 1, zero, zero, zero},
		{alu.FMA, 1, 0, zero, 0}, {alu.FMA, -1, 1, 1, 0}, {alu.FMA, nan, 1, 1, nan},
		{alu.FAdd, 0, zero, 0, 0}, {alu.FAdd, zero, zero, 0, zero}, {alu.FAdd, inf, -inf, 0, nan}, {alu.FSub, 0, 0, 0, 0},
		{alu.FMul, zero, 5, 0, zero}, {alu.FMul, 0, inf, 0, nan}, {alu.FDiv, 1, 0, 0, inf}, {alu.FDiv, 1, zero, 0, -inf}, {alu.FDiv, 0, 0, 0, nan},
		{alu.FMin, 1, nan, 0, 1}, {alu.FMin, nan, 1, 0, 1}, {alu.FMin, nan, nan, 0, nan}, {alu.FMin, 0, zero, 0, zero}, {alu.FMin, zero, 0, 0, 0},
		{alu.FMax, 1, nan, 0, 1}, {alu.FMax, nan, 1, 0, 1}, {alu.FMax, 0, zero, 0, zero}, {alu.FMax, zero, 0, 0, 0}, {alu.FMax, -1, 2, 0, 2},
		{alu.PMin, 1, nan, 0, nan}, {alu.PMin, nan, 1, 0, 1}, {alu.PMin, 0, zero, 0, zero}, {alu.PMin, zero, 0, 0, 0}, {alu.PMin, 1, 2, 0, 1}, {alu.PMin, 2, 1, 0, 1},
		{alu.PMax, 1, nan, 0, nan}, {alu.PMax, nan, 1, 0, 1}, {alu.PMax, 0, zero, 0, zero}, {alu.PMax, zero, 0, 0, 0}, {alu.PMax, 1, 2, 0, 2}, {alu.PMax, 2, 1, 0, 2},
		{alu.FNeg, 0, 0, 0, zero}, {alu.FNeg, inf, 0, 0, -inf}, {alu.FAbs, zero, 0, 0, 0}, {alu.FAbs, -3, 0, 0, 3},
		{alu.FSqrt, -1, 0, 0, nan}, {alu.FSqrt, zero, 0, 0, zero}, {alu.FSqrt, 2.25, 0, 0, 1.5}, {alu.FSqrt, inf, 0, 0, inf},
		{alu.FFloor, -0.5, 0, 0, -1}, {alu.FCeil, -0.5, 0, 0, zero}, {alu.FTrunc, -1.5, 0, 0, -1}, {alu.FTrunc, -0.5, 0, 0, zero},
		{alu.FRint, 0.5, 0, 0, 0}, {alu.FRint, 1.5, 0, 0, 2}, {alu.FRint, 2.5, 0, 0, 2}, {alu.FRint, -0.5, 0, 0, zero}, {alu.FRint, inf, 0, 0, inf},
	} {
		name := alu.InfoOf(c.op).Name
		got := alu.Eval(c.op, alu.F64, alu.F64, f64(c.a), f64(c.b), f64(c.c))
		require.True(t, sameFloat(alu.F64, f64(c.want), got), "%s.f64(%g, %g, %g) = %g, want %g", name, c.a, c.b, c.c, math.Float64frombits(got), c.want)
		if float64(float32(c.a)) != c.a && c.a == c.a {
			continue // not a single
		}
		got = alu.Eval(c.op, alu.F32, alu.F32, f32(float32(c.a)), f32(float32(c.b)), f32(float32(c.c)))
		require.True(t, sameFloat(alu.F32, f32(float32(c.want)), got), "%s.f32(%g, %g, %g)", name, c.a, c.b, c.c)
	}
	for _, c := range []struct {
		a, b           float64
		eq, ne, lt, le uint64
	}{
		{1, 1, 1, 0, 0, 1}, {1, 2, 0, 1, 1, 1}, {2, 1, 0, 1, 0, 0}, {nan, 1, 0, 1, 0, 0}, {1, nan, 0, 1, 0, 0}, {nan, nan, 0, 1, 0, 0},
		{0, zero, 1, 0, 0, 1}, {-inf, inf, 0, 1, 1, 1},
	} {
		for i, op := range []alu.Op{alu.FEq, alu.FNe, alu.FLt, alu.FLe} {
			want := []uint64{c.eq, c.ne, c.lt, c.le}[i]
			require.Equal(t, want, alu.Eval(op, alu.I1, alu.F64, f64(c.a), f64(c.b), 0), "%s %g %g", alu.InfoOf(op).Name, c.a, c.b)
			require.Equal(t, want, alu.Eval(op, alu.I1, alu.F32, f32(float32(c.a)), f32(float32(c.b)), 0))
		}
	}
}

// TestSingles compares float arithmetic with double arithmetic rounded once, which is
// exact for these operations (2p+2 bits).
func TestSingles(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for range 200_000 {
		a, b := randomF32(rng), randomF32(rng)
		x, y := float64(a), float64(b)
		for op, want := range map[alu.Op]float64{alu.FAdd: x + y, alu.FSub: x - y, alu.FMul: x * y, alu.FDiv: x / y, alu.FSqrt: math.Sqrt(x)} {
			got := alu.Eval(op, alu.F32, alu.F32, f32(a), f32(b), 0)
			if !sameFloat(alu.F32, f32(float32(want)), got) {
				t.Fatalf("%s(%g, %g) = %#x, want %g", alu.InfoOf(op).Name, a, b, got, want)
			}
		}
	}
}
