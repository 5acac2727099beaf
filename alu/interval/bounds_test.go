package interval_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
)

// within reports whether the number v of type t is in b.
func within(t alu.Type, b interval.Bounds, v uint64) bool {
	s := t.Signed(v)
	return v >= b.ULo && v <= b.UHi && s >= b.SLo && s <= b.SHi
}

// some returns random bounds of a type: ranges of either reading, or a constant.
func some(rng *rand.Rand, t alu.Type) interval.Bounds {
	number := func() uint64 { return rng.Uint64() >> rng.Intn(64) & t.Mask() }
	a, b := number(), number()
	switch rng.Intn(4) {
	case 0:
		return interval.Exactly(t, a)
	case 1:
		return interval.Unsigned(t, min(a, b), max(a, b)).Both(t)
	case 2:
		return interval.Signed(t, min(t.Signed(a), t.Signed(b)), max(t.Signed(a), t.Signed(b))).Both(t)
	}
	return interval.Any(t)
}

// Every operation is evaluated for all bytes within the bounds of its operands; the computed
// bounds must contain the results.
func TestBoundsHoldAllResults(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	numbers := func(typ alu.Type, b interval.Bounds) (all []uint64) {
		for v := range typ.Mask() + 1 {
			if within(typ, b, v) {
				all = append(all, v)
			}
		}
		return all
	}
	tested, tight := 0, 0
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		for _, in := range []alu.Type{alu.I1, alu.I8} {
			for _, res := range []alu.Type{alu.I1, alu.I8, alu.I16, alu.I64} {
				if got, err := alu.ResultType(op, in, res); err != nil || got != res || op == alu.Select {
					continue
				}
				for range 60 {
					x, y := some(rng, in), some(rng, in)
					args := []interval.Bounds{x, y}[:min(alu.InfoOf(op).Args, 2)]
					b, exact := interval.Of(op, res, in, args...)
					if b != interval.Any(res) {
						tight++
					}
					for _, v := range numbers(in, x) {
						for _, w := range numbers(in, y) {
							r := alu.Eval(op, res, in, v, w, 0)
							if !within(res, b, r) {
								t.Fatalf("%s %d, %d = %d of %v, %v is not in %v", alu.InfoOf(op).Name, v, w, r, x, y, b)
							}
							if op == alu.Add && exact.Unsigned && r != v+w || op == alu.Add && exact.Signed && res.Signed(r) != in.Signed(v)+in.Signed(w) {
								t.Fatalf("%d + %d = %d is not exact", v, w, r)
							}
							if len(args) == 1 {
								break
							}
						}
					}
					tested++
				}
			}
		}
	}
	require.Greater(t, tested, 1000)
	require.Greater(t, tight, tested/3)
}

func TestSelectCoversWhatItMayChoose(t *testing.T) {
	a, b := interval.Unsigned(alu.I8, 3, 5), interval.Unsigned(alu.I8, 9, 200)
	either, _ := interval.Of(alu.Select, alu.I8, alu.I1, interval.Any(alu.I1), a, b)
	require.Equal(t, interval.Unsigned(alu.I8, 3, 200), either)
	second, _ := interval.Of(alu.Select, alu.I8, alu.I1, interval.Exactly(alu.I1, 0), a, b)
	require.Equal(t, b, second)
}

func TestBothReadingsLearn(t *testing.T) {
	require.Equal(t, interval.Bounds{ULo: 2, UHi: 7, SLo: 2, SHi: 7}, interval.Unsigned(alu.I8, 2, 7).Both(alu.I8))
	require.Equal(t, interval.Bounds{ULo: 0xfe, UHi: 0xff, SLo: -2, SHi: -1}, interval.Signed(alu.I8, -2, -1).Both(alu.I8))
}
