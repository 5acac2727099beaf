package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
)

// Lanes that advance to a common limit by varying steps reach it at about the same time,
// and the limit determines the trip count, unless a step leads back or each lane has its
// own limit.
func TestAdvanceToSharedLimit(t *testing.T) {
	price := func(width int, step, limit string) plan.Estimate {
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
jump b3(%%m, 0)
b3(%%active: i1xW, %%k: i32xW):
  %%below = slt.i32xW %%k, %s
  %%go = and.i1xW %%active, %%below
  %%some = any.i1xW %%go
  branch %%some, b4, b5
b4:
  %%at = add.i32xW %%k, %%x
  %%y = gather.i32xW %%a, %%at, %%go scale 4 align 4
  %%two = slt.i32xW 7, %%y
  %%one = add.i32xW %%k, 1
  %%then = add.i32xW %%one, %s
  %%on = select.i32xW %%two, %%then, %%one
  jump b3(%%go, %%on)
b5:
  vstore.i32xW %%a, %%x, %%m align 4`, limit, step)))
	}
	waste := func(width int, step, limit string) float64 {
		e := price(width, step, limit)
		return e.Parts[plan.Waste] / e.PerItem
	}
	require.Positive(t, waste(16, "1", "30"))
	require.Less(t, waste(64, "1", "30"), 0.15)
	require.Greater(t, waste(64, "-3", "30"), 0.3)
	require.Greater(t, waste(64, "1", "%x"), 0.3)
	require.InDelta(t, 2, price(16, "1", "180").PerItem/price(16, "1", "90").PerItem, 0.1)
	require.InDelta(t, 2, price(16, "1", "90").PerItem/price(16, "4", "90").PerItem, 0.3)
}

// A search for a divisor takes few lanes long, but nearly all vectors.
func TestTrialDivision(t *testing.T) {
	waste := func(width int, divisor string) float64 {
		e := avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
jump b3(%%m, 2)
b3(%%active: i1xW, %%d: i32):
  %%square = mul.i32 %%d, %%d
  %%squares = splat.i32xW %%square
  %%few = ule.i32xW %%squares, %%x
  %%in = and.i1xW %%active, %%few
  %%by = splat.i32xW %s
  %%rest = urem.i32xW %%x, %%by
  %%divides = ne.i32xW %%rest, 0
  %%go = and.i1xW %%in, %%divides
  %%then = add.i32 %%d, 1
  %%some = any.i1xW %%go
  branch %%some, b3(%%go, %%then), b4
b4:
  vstore.i32xW %%a, %%x, %%m align 4`, divisor)))
		return e.Parts[plan.Waste] / e.PerItem
	}
	require.Greater(t, waste(16, "%d"), 0.7)
	require.Less(t, waste(16, "7"), 0.6)
	require.Less(t, waste(64, "%d"), 1.2*waste(16, "%d"))
}

// Few numbers lie beyond a bound close to 0 or 1.
func TestBoundsNearZeroAndOne(t *testing.T) {
	price := func(condition string) float64 {
		return avx512.Costs.Price(scalar(t, `%at = add.i64 %a, %i
%x = load.f32 %at align 4
%beyond = `+condition+`
branch %beyond, b3, b4
b3:
  %q = fdiv.f32 %x, %x
  store.f32 %at, %q align 4
  jump b4
b4:`)).Parts[plan.Division]
	}
	for _, rare := range []string{"flt.f32 %x, 0.001", "flt.f32 0.999, %x", "fle.f32 %x, 0.01"} {
		require.Less(t, price(rare), 0.1*price("flt.f32 %x, 3.0"), rare)
	}
	for _, common := range []string{"flt.f32 0.001, %x", "flt.f32 %x, 0.999", "fle.f32 0.01, %x"} {
		require.Greater(t, price(common), 1.8*price("flt.f32 %x, 3.0"), common)
	}
}

// A shared counter under a mask determines the trip count.
func TestCountersUnderMasks(t *testing.T) {
	price := func(limit int) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%x = vload.f32x16 %%a, %%m align 4
jump b3(%%m, 0, %%x)
b3(%%active: i1x16, %%k: i32, %%y: f32x16):
  %%few = slt.i32 %%k, %d
  %%all = splat.i1x16 %%few
  %%go = and.i1x16 %%active, %%all
  %%some = any.i1x16 %%go
  branch %%some, b4, b5
b4:
  %%z = fdiv.f32x16 %%y, %%x
  %%then = add.i32 %%k, 1
  jump b3(%%go, %%then, %%z)
b5:
  vstore.f32x16 %%a, %%y, %%m align 4`, limit))).Parts[plan.Division]
	}
	require.InEpsilon(t, 2, price(100)/price(50), 0.01)
}
