package divergence_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Remainders of the first lane, for any expansion of division by a constant: lanes neither wrap
// nor exceed the dividend, as enumeration over the constants shows.
func TestRemaindersOfTheFirstLane(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, div := range []string{"sdiv", "udiv"} {
		for _, d := range []int64{2, 3, 5, 7, 10, 16, 37, 64, 100, 512, 640, 641, 1000, 1920, 65535, 1 << 20, 1<<20 + 7} {
			m, err := kernel.Parse("row.simt", fmt.Sprintf(`kernel k {
  arg p buffer ptr.global int 1 "int*"
b0:
  %%p = arg.ptr.global 0
  %%g = globalid 0
  %%i = trunc.i32 %%g
  %%q = %s.i32 %%i, %d
  %%m = mul.i32 %%q, %d
  %%v = sub.i32 %%i, %%m
  store.i32 %%p, %%v align 4
  return
}
`, div, d, d))
			require.NoError(t, err)
			f := m.Funcs[0]
			opt.Strength(f, nil)
			opt.Fold(f, nil)
			f = opt.Near(f, nil)
			v := ofFirstLane(f)
			info := divergence.Analyze(f, divergence.Options{Width: 16})
			require.Equal(t, int64(1), info.Shape(v).Stride, "%s by %d: %s", div, d, info)
			b := info.Bounds[v.ID]
			require.True(t, b.ULinear && b.SLinear, "%s by %d: %s", div, d, info)
			for range 700 {
				x := uint64(r.Int63n(kernel.NearItems - 16))
				if r.Intn(2) == 0 {
					x = uint64(r.Int63n(3)+1)*uint64(d) - uint64(r.Intn(2)) // ends of rows
				}
				if x >= kernel.NearItems-16 {
					continue
				}
				quotient := alu.Eval(map[string]alu.Op{"sdiv": alu.SDiv, "udiv": alu.UDiv}[div], alu.I32, alu.I32, x, uint64(d), 0)
				for lane := range uint64(16) {
					got := x + lane - quotient*uint64(d)
					require.True(t, b.ULo <= got && got <= b.UHi, "%s by %d of %d, lane %d: %d is not in %v", div, d, x, lane, got, b)
				}
			}
		}
	}
}

// ofFirstLane replaces the quotient in the difference that f stores by that of the first lane.
func ofFirstLane(f *kernel.Func) (difference *kernel.Value) {
	b := f.Blocks[0]
	v := b.Values[len(b.Values)-1].Args[1]
	x := v.Args[0]
	first := b.NewValue(kernel.FirstLane, x.Type, x)
	for _, y := range b.Values {
		for i, a := range y.Args {
			if a == x && y != v {
				y.Args[i] = first
			}
		}
	}
	b.Values = slices.Insert(b.Values, slices.Index(b.Values, x)+1, first)
	f.Renumber()
	return v
}

// Differences other than remainders of the first lane may wrap.
func TestOtherDifferencesMayWrap(t *testing.T) {
	for _, ops := range []string{
		"%q = lshr.i32 %f, 3\n  %m = mul.i32 %q, 9", "%q = udiv.i32 %f, %n\n  %m = mul.i32 %q, 9", "%q = udiv.i32 %f, 9\n  %m = mul.i32 %f, %q",
		"%q = umulhi.i32 %f, 0x80000001\n  %m = mul.i32 %q, 3", "%h = firstlane.i32 %n\n  %q = lshr.i32 %h, 3\n  %m = shl.i32 %q, 3",
	} {
		m, err := kernel.Parse("row.simt", `kernel k {
  arg p buffer ptr.global int 1 "int*"
  arg n scalar i32 int 1 "int"
b0:
  %p = arg.ptr.global 0
  %n = arg.i32 1
  %g = globalid 0
  %i = trunc.i32 %g
  %f = firstlane.i32 %i
  `+ops+`
  %v = sub.i32 %i, %m
  store.i32 %p, %v align 4
  return
}
`)
		require.NoError(t, err)
		info := divergence.Analyze(m.Funcs[0], divergence.Options{Width: 16})
		values := m.Funcs[0].Blocks[0].Values
		b := info.Bounds[values[len(values)-1].Args[1].ID]
		require.False(t, b.ULinear || b.SLinear, ops)
	}
}
