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

var types = []alu.Type{alu.I1, alu.I8, alu.I16, alu.I32, alu.I64, alu.F16, alu.F32, alu.F64}

func TestExtendAndTruncate(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		from := rapid.SampledFrom(types[:5]).Draw(r, "from")
		to := rapid.SampledFrom(types[:5]).Draw(r, "to")
		x := operand(from).Draw(r, "x")
		if to.Bits() < from.Bits() {
			require.Equal(r, x&to.Mask(), alu.Eval(alu.Trunc, to, from, x, 0, 0))
		}
		if to.Bits() > from.Bits() {
			require.Equal(r, x, alu.Eval(alu.ZExt, to, from, x, 0, 0))
			require.Equal(r, wrapped(to, asInt(from, x, true)), alu.Eval(alu.SExt, to, from, x, 0, 0))
		}
	})
}

// Integers become floats rounded once, to nearest even.
func TestIntToFloat(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		from := rapid.SampledFrom([]alu.Type{alu.I32, alu.I64}).Draw(r, "from")
		x := operand(from).Draw(r, "x")
		if rapid.Bool().Draw(r, "tie") { // more than 24 bits determine the rounding
			x = (x>>10<<10 | 1<<rapid.IntRange(0, 40).Draw(r, "bit")) & from.Mask()
		}
		for _, signed := range []bool{false, true} {
			op := alu.UIToFP
			if signed {
				op = alu.SIToFP
			}
			f := new(big.Float).SetPrec(80).SetInt(asInt(from, x, signed))
			single, _ := f.Float32()
			double, _ := f.Float64()
			require.Equal(r, f32(single), alu.Eval(op, alu.F32, from, x, 0, 0), "%#x", x)
			require.Equal(r, f64(double), alu.Eval(op, alu.F64, from, x, 0, 0), "%#x", x)
		}
	})
}

// Floats are converted to integers toward zero; out-of-range values as by AVX-512's vcvttp*.
func TestFloatToInt(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	inf, nan := math.Inf(1), math.NaN()
	special := []float64{
		0, math.Copysign(0, -1), 0.5, -0.5, 0.9999999, -0.9999999, -1, 1, inf, -inf, nan,
		1<<31 - 1, 1 << 31, -(1 << 31), -(1<<31 + 1), -(1<<31 + 0.5), 1<<32 - 1, 1 << 32, 1<<32 - 0.5,
		math.Nextafter(1<<31, 0), math.Nextafter(1<<63, 0), 1 << 63, -(1 << 63), math.Nextafter(-(1 << 63), -inf),
		math.Nextafter(1<<64, 0), 1 << 64, 1e300, -1e300, 5e-324,
	}
	for n := range 20_000 {
		f := math.Ldexp(rng.Float64()*2-1, rng.Intn(70))
		if n < len(special) {
			f = special[n]
		}
		for _, to := range []alu.Type{alu.I32, alu.I64} {
			for _, op := range []alu.Op{alu.FPToSI, alu.FPToUI} {
				want := toInt(to, f, op == alu.FPToSI)
				require.Equal(t, want, alu.Eval(op, to, alu.F64, f64(f), 0, 0), "%s.%s %g", alu.InfoOf(op).Name, to, f)
				g := float32(f)
				want = toInt(to, float64(g), op == alu.FPToSI)
				require.Equal(t, want, alu.Eval(op, to, alu.F32, f32(g), 0, 0), "%s.%s %g", alu.InfoOf(op).Name, to, g)
			}
		}
	}
}

func toInt(to alu.Type, f float64, signed bool) uint64 {
	bad := to.Mask()
	if signed {
		bad = 1 << (to.Bits() - 1)
	}
	if f != f || math.IsInf(f, 0) {
		return bad
	}
	x, _ := new(big.Float).SetFloat64(f).Int(nil) // toward zero
	lo, hi := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(to.Bits()))
	if signed {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	if x.Cmp(lo) < 0 || x.Cmp(hi) >= 0 {
		return bad
	}
	return wrapped(to, x)
}

// half rounds a float to half precision with exact arithmetic.
func half(f float64) uint64 {
	sign := uint64(0)
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	switch {
	case f != f:
		return 0x7e00
	case f >= 65520: // halfway from the largest half to the next
		return sign | 0x7c00
	case f < math.Ldexp(1, -14): // subnormal: multiples of 2^-24
		return sign | uint64(math.RoundToEven(math.Ldexp(f, 24)))
	}
	e := math.Ilogb(f)
	m := uint64(math.RoundToEven(math.Ldexp(f, 10-e))) // 1024 to 2048
	return sign | uint64(e+14)<<10 + m                 // a carry increments the exponent
}

func TestHalves(t *testing.T) {
	// Every half converts to the single and the double of its value, and back.
	for h := uint64(0); h < 1<<16; h++ {
		single := alu.Eval(alu.FPExt, alu.F32, alu.F16, h, 0, 0)
		double := alu.Eval(alu.FPExt, alu.F64, alu.F16, h, 0, 0)
		e, m := h>>10&31, float64(h&1023)
		want := math.Ldexp(m+1024, int(e)-25)
		switch {
		case e == 31 && m != 0:
			want = math.NaN()
		case e == 31:
			want = math.Inf(1)
		case e == 0:
			want = math.Ldexp(m, -24)
		}
		if h&0x8000 != 0 {
			want = -want
		}
		require.True(t, sameFloat(alu.F64, f64(want), double), "%#x", h)
		require.True(t, sameFloat(alu.F32, f32(float32(want)), single), "%#x", h)
		if want == want {
			require.Equal(t, h, alu.Eval(alu.FPTrunc, alu.F16, alu.F32, single, 0, 0))
			require.Equal(t, h, alu.Eval(alu.FPTrunc, alu.F16, alu.F64, double, 0, 0))
		}
	}
	// All other numbers are rounded once.
	rng := rand.New(rand.NewSource(4))
	for range 200_000 {
		f := math.Ldexp(rng.Float64()*2-1, rng.Intn(48)-30)
		if rng.Intn(2) == 0 { // near a tie between halves
			tie := math.Ldexp(float64(2*rng.Intn(2048)+1), rng.Intn(30)-25)
			f = tie * (1 + float64(rng.Intn(3)-1)*math.Ldexp(1, -[]int{20, 23, 26, 40, 52}[rng.Intn(5)]))
		}
		if got := alu.Eval(alu.FPTrunc, alu.F16, alu.F64, f64(f), 0, 0); got != half(f) {
			t.Fatalf("double %g (%#x) became %#x, want %#x", f, f64(f), got, half(f))
		}
		g := float64(float32(f))
		if got := alu.Eval(alu.FPTrunc, alu.F16, alu.F32, f32(float32(f)), 0, 0); got != half(g) {
			t.Fatalf("single %g became %#x, want %#x", g, got, half(g))
		}
	}
	require.Equal(t, f32(float32(math.Pi)), alu.Eval(alu.FPTrunc, alu.F32, alu.F64, f64(math.Pi), 0, 0))
	require.Equal(t, f32(float32(math.Inf(1))), alu.Eval(alu.FPTrunc, alu.F32, alu.F64, f64(1e300), 0, 0))
}

// The result of every operation has only the bits of its type.
func TestResultsFitTheirType(t *testing.T) {
	all := append([]alu.Type{alu.PtrGlobal, alu.PtrPrivate}, types...)
	rapid.Check(t, func(r *rapid.T) {
		op := alu.Op(rapid.IntRange(int(alu.Invalid)+1, int(alu.NumPure)-1).Draw(r, "op"))
		arg := rapid.SampledFrom(all).Draw(r, "arg")
		res, err := alu.ResultType(op, arg, rapid.SampledFrom(all).Draw(r, "want"))
		if err != nil {
			return
		}
		a, b, c := operand(arg).Draw(r, "a"), operand(arg).Draw(r, "b"), operand(arg).Draw(r, "c")
		if op == alu.Select {
			a &= 1
		}
		require.Zero(r, alu.Eval(op, res, arg, a, b, c)&^res.Mask(), "%s.%s to %s", alu.InfoOf(op).Name, arg, res)
		if alu.InfoOf(op).Commutative {
			x, y := alu.Eval(op, res, arg, a, b, c), alu.Eval(op, res, arg, b, a, c)
			require.True(r, x == y || res.IsFloat() && sameFloat(res, x, y), "%s.%s %#x %#x", alu.InfoOf(op).Name, arg, a, b)
		}
	})
}

func TestTypingRules(t *testing.T) {
	for _, c := range []struct {
		op        alu.Op
		arg, want alu.Type
		ok        bool
	}{
		{alu.Add, alu.I32, 0, true}, {alu.Add, alu.I1, 0, false}, {alu.Add, alu.F32, 0, false}, {alu.Add, alu.PtrGlobal, 0, false},
		{alu.And, alu.I1, 0, true}, {alu.FAdd, alu.F16, 0, false}, {alu.FAdd, alu.F64, 0, true}, {alu.Eq, alu.PtrLocal, 0, true},
		{alu.DotUS, alu.I32, 0, true}, {alu.DotUS, alu.I16, 0, false}, {alu.DotUS, alu.F32, 0, false}, {alu.Slt, alu.PtrLocal, 0, false}, {alu.Ult, alu.PtrLocal, 0, true}, {alu.Slt, alu.I1, 0, false}, {alu.Select, alu.F16, 0, true},
		{alu.Trunc, alu.I32, alu.I1, true}, {alu.Trunc, alu.I8, alu.I16, false}, {alu.Trunc, alu.I32, alu.I32, false},
		{alu.ZExt, alu.I1, alu.I8, true}, {alu.ZExt, alu.I8, alu.I8, false}, {alu.SExt, alu.I64, alu.I64, false}, {alu.ZExt, alu.I8, alu.F32, false},
		{alu.FPTrunc, alu.F64, alu.F32, true}, {alu.FPTrunc, alu.F32, alu.F16, true}, {alu.FPTrunc, alu.F32, alu.F64, false},
		{alu.FPExt, alu.F16, alu.F32, true}, {alu.FPExt, alu.F32, alu.F16, false}, {alu.FPExt, alu.F64, alu.F64, false},
		{alu.SIToFP, alu.I16, alu.F32, false}, {alu.SIToFP, alu.I32, alu.F16, false}, {alu.UIToFP, alu.I64, alu.F32, true},
		{alu.FPToSI, alu.F32, alu.I8, false}, {alu.FPToUI, alu.F64, alu.I64, true},
		{alu.Bitcast, alu.F32, alu.I32, true}, {alu.Bitcast, alu.F32, alu.I64, false}, {alu.Bitcast, alu.PtrGlobal, alu.I64, true},
		{alu.Bitcast, alu.PtrGlobal, alu.PtrConstant, true}, {alu.Bitcast, alu.I32, alu.I32, false}, {alu.Bitcast, alu.I1, alu.I1, false},
		{alu.Invalid, alu.I32, 0, false}, {alu.FirstIR, alu.I32, 0, false},
	} {
		_, err := alu.ResultType(c.op, c.arg, c.want)
		require.Equal(t, c.ok, err == nil, "%s %s to %s: %v", alu.InfoOf(c.op).Name, c.arg, c.want, err)
	}
}

func TestConstantsRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		typ := rapid.SampledFrom(types).Draw(r, "type")
		x := operand(typ).Draw(r, "bits")
		s := alu.FormatConst(typ, x)
		back, ok := alu.ParseConst(typ, s)
		require.True(r, ok, "%s %q", typ, s)
		require.Equal(r, x, back, "%s %q", typ, s)
	})
	for _, c := range []struct {
		t  alu.Type
		s  string
		ok bool
	}{
		{alu.I8, "-128", true}, {alu.I8, "-129", false}, {alu.I8, "255", true}, {alu.I8, "256", false}, {alu.I8, "0xff", true}, {alu.I8, "0x100", false},
		{alu.I64, "18446744073709551615", true}, {alu.I64, "18446744073709551616", false}, {alu.I64, "-9223372036854775808", true},
		{alu.I32, "1.5", false}, {alu.F32, "1.5", true}, {alu.F32, "0x7fc00000", true}, {alu.F16, "0x3c00", true}, {alu.F16, "1.0", false},
		{alu.I1, "true", true}, {alu.I1, "2", false}, {alu.Void, "0", false}, {alu.F32, "x", false}, {alu.I32, "", false}, {alu.PtrGlobal, "0", true},
	} {
		_, ok := alu.ParseConst(c.t, c.s)
		require.Equal(t, c.ok, ok, "%s %q", c.t, c.s)
	}
}

func TestNames(t *testing.T) {
	names := map[string]bool{}
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		in := alu.InfoOf(op)
		require.NotEmpty(t, in.Name)
		require.False(t, names[in.Name], "%s is there twice", in.Name)
		names[in.Name] = true
		require.Equal(t, map[alu.Class]int{alu.Binary: 2, alu.Unary: 1, alu.Ternary: 3, alu.Compare: 2, alu.Choose: 3, alu.Convert: 1}[in.Class], in.Args)
		require.NotZero(t, in.Domain)
	}
	for typ := range alu.NumTypes {
		back, ok := alu.ParseType(typ.String())
		require.True(t, ok)
		require.Equal(t, typ, back)
	}
	require.Equal(t, alu.I16, alu.IntOf(16))
	require.Equal(t, alu.Void, alu.IntOf(7))
}
