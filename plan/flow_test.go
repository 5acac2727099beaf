package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/avx512"
)

// Loops from a constant to a constant say how often they go round; others are
// taken to do it as often as usual.
func TestTripCounts(t *testing.T) {
	counted := func(limit string) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%x0 = vload.f32x16 %%a, %%m align 4
%%n32 = trunc.i32 %%n
jump b3(0, %%x0)
b3(%%i: i32, %%x: f32x16):
  %%y = fdiv.f32x16 %%x, %%x0
  %%j = add.i32 %%i, 2
  %%go = slt.i32 %%j, %s
  branch %%go, b3(%%j, %%y), b4
b4:
  vstore.f32x16 %%a, %%y, %%m align 4`, limit))).PerItem
	}
	base := counted("2")
	require.InDelta(t, 10, (counted("22")-base)/(counted("4")-base), 0.5)
	require.InEpsilon(t, counted("16"), counted("%n32"), 0.01)
	require.Equal(t, counted("5000"), counted("50000"))
}

// An arm is the rarer the fewer values its condition lets through.
func TestRareArms(t *testing.T) {
	arm := func(width int, bits uint64) float64 {
		heavy := "%y = fdiv.f32xW %y0, %y0\nvstore.f32xW %a, %y, %in align 4\n"
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
%%low = and.i32xW %%x, %d
%%zero = eq.i32xW %%low, 0
%%in = and.i1xW %%m, %%zero
%%some = any.i1xW %%in
branch %%some, b3, b4
b3:
  %%y0 = bitcast.f32xW %%x
  %sjump b4
b4:`, bits, heavy))).PerItem
	}
	for _, w := range []int{8, 32} {
		require.Greater(t, arm(w, 1), arm(w, 15), w)
		require.Greater(t, arm(w, 15), arm(w, 255), w)
	}
}

// A loop that lanes leave by their bits goes round until the last has left.
func TestLoopsLeftByBits(t *testing.T) {
	price := func(width int, bits uint64) float64 {
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x0 = vload.i32xW %%a, %%m align 4
jump b3(%%m, %%x0)
b3(%%active: i1xW, %%x: i32xW):
  %%y = mul.i32xW %%x, %%x0
  %%low = and.i32xW %%y, %d
  %%zero = eq.i32xW %%low, 0
  %%go = and.i1xW %%active, %%zero
  %%some = any.i1xW %%go
  branch %%some, b3(%%go, %%y), b4
b4:
  vstore.i32xW %%a, %%y, %%m align 4`, bits))).PerItem
	}
	for _, w := range []int{8, 32} {
		require.Greater(t, price(w, 1), price(w, 7), w)
		require.Greater(t, price(w, 7), price(w, 255), w)
	}
}
