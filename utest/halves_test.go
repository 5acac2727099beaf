package utest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// halfValue returns the value of the bits of a half.
func halfValue(b uint16) float64 {
	e, f := int(b>>10&31), float64(b&1023)
	v := math.Ldexp(f, -24)
	switch {
	case e == 31 && f != 0:
		return math.NaN()
	case e == 31:
		v = math.Inf(1)
	case e > 0:
		v = math.Ldexp(1024+f, e-25)
	}
	return math.Copysign(v, float64(1-2*int(b>>15)))
}

// halfOf rounds x, which must not be 0, to a half.
func halfOf(x *big.Float, mode big.RoundingMode) uint16 {
	sign := uint16(0)
	if x.Signbit() {
		sign = 1 << 15
	}
	e := max(x.MantExp(nil)-1, -14)
	units := new(big.Float).SetMantExp(x, 10-e) // of the last place
	whole, _ := units.Int(nil)
	n := whole.Int64()
	rest := new(big.Float).Sub(units, new(big.Float).SetInt(whole))
	if rest.Sign() != 0 {
		half := rest.Abs(rest).Cmp(big.NewFloat(0.5))
		away := int64(1 - 2*int(sign>>15))
		switch mode {
		case big.ToNearestEven:
			if half > 0 || half == 0 && n&1 == 1 {
				n += away
			}
		case big.ToPositiveInf:
			n += max(away, 0)
		case big.ToNegativeInf:
			n += min(away, 0)
		}
	}
	if n < 0 {
		n = -n
	}
	b := n + int64(e+14)<<10 // a carry increments the exponent
	if b < 31<<10 {
		return sign | uint16(b)
	}
	if mode == big.ToNearestEven || mode == big.ToPositiveInf && sign == 0 || mode == big.ToNegativeInf && sign != 0 {
		return sign | 31<<10
	}
	return sign | (31<<10 - 1)
}

// halfWays returns strategies that compute halves differently.
func halfWays(t *testing.T) []simtc.Strategy {
	ways := []simtc.Strategy{{Target: simtc.Interpreter}, {Target: simtc.VIR, Width: 16}}
	for _, target := range []string{simtc.AVX512, simtc.AVX2, simtc.WASM} {
		if !runsHere(target) {
			t.Logf("SKIPPED %s: %v", target, simtc.Available(target))
			continue
		}
		ways = append(ways, simtc.Strategy{Target: target, Width: 1}, simtc.Strategy{Target: target, Width: 16})
	}
	return ways
}

// bytesOf returns the bytes of a slice of numbers.
func bytesOf(t *testing.T, x any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, x)
	require.NoError(t, err)
	return b
}

// runHalves runs kernel k of source with every strategy, with the inputs and n halves of
// output for each item.
func runHalves(t *testing.T, source string, items, n int, check func(w simtc.Strategy, out []uint16), inputs ...any) {
	p, err := simtc.Compile(source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("k")
	require.NoError(t, err)
	for _, w := range halfWays(t) {
		way, err := k.With(w)
		require.NoError(t, err)
		out := make([]byte, 2*n*items)
		args := []any{simtc.Buffer(out)}
		for _, x := range inputs {
			args = append(args, simtc.Buffer(bytesOf(t, x)))
		}
		require.NoError(t, way.Launch(context.Background(), simtc.NDRange(uint64(items)), args...), w)
		got := make([]uint16, n*items)
		_, err = binary.Decode(out, binary.LittleEndian, got)
		require.NoError(t, err)
		check(w, got)
	}
}

// randomHalves returns all halves in random order, or many random ones.
func randomHalves(seed int64) []uint16 {
	x := make([]uint16, 1<<16)
	for i, k := range rand.New(rand.NewSource(seed)).Perm(len(x)) {
		x[i] = uint16(k)
	}
	if !*long {
		x = x[:1<<13]
	}
	return x
}

// TestHalfBits checks that functions on the bits of a half use those, and not the bits of
// a float.
func TestHalfBits(t *testing.T) {
	const n = 10
	x, y, z := randomHalves(1), randomHalves(2), randomHalves(3)
	copy(x, []uint16{0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0x9000})
	copy(y, []uint16{0x8000, 0, 0x8001, 1, 0x7c00, 0, 0x7c00, 0xfc00, 0, 0, 0, 0x3c00, 0})
	runHalves(t, `
__kernel void k(__global ushort *out, __global const ushort *a, __global const ushort *b, __global const ushort *c) {
  int i = get_global_id(0);
  half x = as_half(a[i]), y = as_half(b[i]), z = as_half(c[i]), whole;
  out[10 * i] = as_ushort(nextafter(x, y));
  out[10 * i + 1] = as_ushort(fract(x, &whole));
  out[10 * i + 2] = as_ushort(whole);
  out[10 * i + 3] = as_ushort(bitselect(x, y, z));
  out[10 * i + 4] = as_ushort(nan(a[i]));
  out[10 * i + 5] = isnormal(x) | isfinite(x) << 1 | isinf(x) << 2 | signbit(x) << 3;
  out[10 * i + 6] = as_ushort(copysign(x, y));
  out[10 * i + 7] = as_ushort(fabs(x));
  out[10 * i + 8] = as_ushort2(nextafter((half2)(y, x), (half2)(z, y))).y;
  out[10 * i + 9] = as_ushort(isnormal((half2)(y, x)).y);
}`, len(x), n, func(w simtc.Strategy, out []uint16) {
		for i, x := range x {
			y, z := y[i], z[i]
			a, normal := x&0x7fff, uint16(0)
			if a >= 0x400 && a < 0x7c00 {
				normal = 1
			}
			fract, whole := fractOfHalf(x)
			want := [n]uint16{
				nextHalf(x, y), fract, whole, x&^z | y&z, 0x7e00 | x&0x3ff,
				normal | one16(a < 0x7c00)<<1 | one16(a == 0x7c00)<<2 | x>>15<<3,
				a | y&0x8000, a, nextHalf(x, y), -normal,
			}
			for k, want := range want {
				got := out[n*i+k]
				if k != 5 && k != 9 && math.IsNaN(halfValue(want)) && math.IsNaN(halfValue(got)) && k != 4 {
					continue
				}
				require.Equal(t, want, got, "%s: %#x %#x %#x: %d", w, x, y, z, k)
			}
		}
	}, x, y, z)
}

func one16(b bool) uint16 {
	if b {
		return 1
	}
	return 0
}

func nextHalf(x, y uint16) uint16 {
	fx, fy := halfValue(x), halfValue(y)
	switch {
	case fx != fx || fy != fy:
		return 0x7e00
	case fx == fy:
		return y
	case fx == 0:
		return y&0x8000 | 1
	case (fx < fy) == (fx > 0):
		return x + 1
	}
	return x - 1
}

func fractOfHalf(x uint16) (fract, whole uint16) {
	f := halfValue(x)
	round := func(v float64) uint16 {
		if v == 0 {
			return x & 0x8000
		}
		return halfOf(big.NewFloat(v), big.ToNearestEven)
	}
	switch {
	case f != f:
		return x, x
	case math.IsInf(f, 0):
		return x & 0x8000, x
	case f == 0:
		return x, x
	}
	whole = round(math.Floor(f))
	if math.Floor(f) == 0 {
		whole = 0
	}
	if r := f - math.Floor(f); r != 0 {
		fract = min(round(r)&0x7fff, 0x3bff)
	}
	return fract, whole
}

// TestHalfFMA checks that fma rounds once.
func TestHalfFMA(t *testing.T) {
	x, y, z := randomHalves(4), randomHalves(5), randomHalves(6)
	random := rand.New(rand.NewSource(7))
	for i := range x {
		if i%4 != 0 { // a sum near a tie between two halves
			x[i] = 0x3c00 | x[i]&0x83ff
			y[i] = []uint16{0x3c01, 0x3bff, 0x3e00, 0x3c00, 0x1001}[random.Intn(5)]
			z[i] = []uint16{1, 0x8001, 0x1000, 0x9000, 0x0400, z[i]&0x83ff | 0x6400}[random.Intn(6)]
		}
	}
	copy(x, []uint16{0x3c01, 0x3c01})
	copy(y, []uint16{0x3e00, 0x3e00})
	copy(z, []uint16{1, 0x8001})
	runHalves(t, `
__kernel void k(__global ushort *out, __global const ushort *a, __global const ushort *b, __global const ushort *c) {
  int i = get_global_id(0);
  out[i] = as_ushort(fma(as_half(a[i]), as_half(b[i]), as_half(c[i])));
}`, len(x), 1, func(w simtc.Strategy, out []uint16) {
		for i := range x {
			fx, fy, fz := halfValue(x[i]), halfValue(y[i]), halfValue(z[i])
			loose := math.FMA(fx, fy, fz)
			got := out[i]
			what := fmt.Sprintf("%s: fma(%#x, %#x, %#x)", w, x[i], y[i], z[i])
			if loose == 0 || math.IsInf(loose, 0) || loose != loose {
				if loose != loose {
					require.True(t, halfValue(got) != halfValue(got), what)
				} else {
					require.Equal(t, math.Float64bits(loose), math.Float64bits(halfValue(got)), what)
				}
				continue
			}
			p := new(big.Float).SetPrec(200).Mul(big.NewFloat(fx), big.NewFloat(fy))
			require.Equal(t, halfOf(p.Add(p, big.NewFloat(fz)), big.ToNearestEven), got, what)
		}
	}, x, y, z)
}

// TestHalfOfIntegers checks that integers beyond the largest half convert to that or to
// infinity, depending on the rounding mode.
func TestHalfOfIntegers(t *testing.T) {
	var in []int64
	for e := range 64 {
		for _, d := range []int64{-33, -32, -31, -17, -16, -15, -1, 0, 1, 15, 16, 17} {
			in = append(in, 1<<e+d, -1<<e+d)
		}
	}
	in = append(in, math.MaxInt64, math.MinInt64, math.MinInt64+1, 0)
	modes := []big.RoundingMode{big.ToNearestEven, big.ToZero, big.ToPositiveInf, big.ToNegativeInf}
	for _, from := range []string{"long", "ulong", "int", "uint", "short", "ushort"} {
		runHalves(t, fmt.Sprintf(`
__kernel void k(__global ushort *out, __global const long *in) {
  int i = get_global_id(0);
  %s x = in[i];
  out[4 * i] = as_ushort(convert_half(x));
  out[4 * i + 1] = as_ushort(convert_half_rtz(x));
  out[4 * i + 2] = as_ushort(convert_half_rtp(x));
  out[4 * i + 3] = as_ushort(convert_half_rtn(x));
}`, from), len(in), 4, func(w simtc.Strategy, out []uint16) {
			for i, x := range in {
				exact := new(big.Float).SetPrec(64)
				switch from {
				case "ulong":
					exact.SetUint64(uint64(x))
				case "uint":
					exact.SetInt64(int64(uint32(x)))
				case "ushort":
					exact.SetInt64(int64(uint16(x)))
				case "int":
					exact.SetInt64(int64(int32(x)))
				case "short":
					exact.SetInt64(int64(int16(x)))
				default:
					exact.SetInt64(x)
				}
				for k, mode := range modes {
					want := uint16(0)
					if exact.Sign() != 0 {
						want = halfOf(exact, mode)
					}
					require.Equal(t, want, out[4*i+k], "%s: %s %v %s", w, from, exact, mode)
				}
			}
		}, in)
	}
}
