package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
)

// A nested region is as rare as its condition, not rarer because the outer mask has been
// tested.
func TestNestedRegions(t *testing.T) {
	divisions := func(outer string) float64 {
		return avx512.Costs.Price(function(t, 16, strings.Replace(`%x = vload.i32xW %a, %m align 4
%positive = slt.i32xW 0, %x
%out = and.i1xW %m, %positive
OUTER
b3:
%odd = slt.i32xW %x, 9
%in = and.i1xW %out, %odd
%some = any.i1xW %in
branch %some, b4, b5
b4:
  %y0 = bitcast.f32xW %x
  %y = fdiv.f32xW %y0, %y0
  vstore.f32xW %a, %y, %in align 4
  jump b5
b5:`, "OUTER", outer, 1))).Parts[plan.Division]
	}
	alone := divisions("jump b3")
	require.InEpsilon(t, alone, divisions("%any = any.i1xW %out\nbranch %any, b3, b5"), 0.1)
}

// Imbalance is larger for searches than for lengths from memory, and larger for those than
// for counters with computed limits.
func TestLaneImbalance(t *testing.T) {
	waste := func(condition string) float64 {
		text := `%x0 = vload.i32xW %a, true:i1xW align 4
%y = mul.i32xW %x0, %x0
%few = and.i32xW %y, 15
jump b3(%m, 0, %x0, %few, %y)
b3(%active: i1xW, %i: i32xW, %rest: i32xW, %low: i32xW, %at: i32xW):
  %j = add.i32xW %i, 1
  %less = sub.i32xW %rest, 1
  %lower = sub.i32xW %low, 1
  %found = gather.i32xW %a, %at, %active scale 4 align 4
  %stays = CONDITION
  %go = and.i1xW %active, %stays
  %some = any.i1xW %go
  branch %some, b3(%go, %j, %less, %lower, %found), b4
b4:
  vstore.i32xW %a, %i, %m align 4`
		e := avx512.Costs.Price(function(t, 32, strings.Replace(text, "CONDITION", condition, 1)))
		return e.Parts[plan.Waste] / e.PerItem
	}
	computed := waste("slt.i32xW %j, %y")
	require.Positive(t, computed)
	loaded := waste("slt.i32xW %j, %x0")
	require.Positive(t, loaded)
	require.InEpsilon(t, loaded, waste("slt.i32xW 0, %less"), 0.05) // counted down
	bits := waste("slt.i32xW 0, %lower")
	require.Greater(t, bits, computed)
	require.Greater(t, waste("slt.i32xW %found, %y"), bits)
}

// An exit in a rarely executed region does not determine the trip count.
func TestExitsInRareRegions(t *testing.T) {
	price := func(always bool) float64 {
		to := "branch %odd, b4, b5"
		if always {
			to = "branch %odd, b4, b4"
		}
		return avx512.Costs.Price(scalar(t, `jump b3(%i)
b3(%k: i64):
  %at = add.i64 %a, %k
  %x = load.i8 %at align 1
  %odd = slt.i8 %x, 0
  `+to+`
b4:
  %same = eq.i8 %x, 65
  branch %same, b5, b6
b5:
  %l = add.i64 %k, 1
  %y = sdiv.i8 %x, 3
  store.i8 %at, %y align 1
  %on = slt.i64 %l, %n
  branch %on, b3(%l), b6
b6:`)).Parts[plan.Division]
	}
	require.Greater(t, price(false), 2*price(true))
}

// Imbalance is recognized through block numbers as it is through masks.
func TestImbalanceThroughBlockNumbers(t *testing.T) {
	waste := func(text string) float64 {
		e := avx512.Costs.Price(function(t, 32, `%at0 = iota.i32xW at 0
jump b3(%m, %at0)
b3(%active: i1xW, %at: i32xW):
  %found = gather.i32xW %a, %at, %active scale 4 align 4
  %stays = slt.i32xW 0, %found
  %on = and.i1xW %active, %stays
`+text+`
b5:
  vstore.i32xW %a, %at, %m align 4`))
		return e.Parts[plan.Waste] / e.PerItem
	}
	masks := waste("%some = any.i1xW %on\nbranch %some, b3(%on, %found), b5")
	require.Positive(t, masks)
	numbers := waste(`%chosen = select.i16xW %on, 3, 5
jump b4(%chosen)
b4(%ip: i16xW):
  %go = eq.i16xW %ip, 3
  %some = any.i1xW %go
  branch %some, b3(%go, %found), b5`)
	require.InEpsilon(t, masks, numbers, 0.1)
}

// Numbers are rarely equal, and more rarely if neither is a constant.
func TestEqualNumbers(t *testing.T) {
	price := func(other string) float64 {
		return avx512.Costs.Price(scalar(t, `%four = shl.i64 %i, 2
%at = add.i64 %a, %four
%x = load.i32 %at align 4
%y = load.i32 %at disp 4 align 4
%same = eq.i32 %x, `+other+`
branch %same, b3, b4
b3:
  %z = udiv.i32 %x, %y
  store.i32 %at, %z align 4
  jump b4
b4:`)).Parts[plan.Division]
	}
	require.Less(t, price("%y"), price("0"))
	require.Positive(t, price("%y"))
}

// A path selector has the probability of an earlier decision; other numbers do not.
func TestPathSelectors(t *testing.T) {
	control := func(passed string) float64 {
		return avx512.Costs.Price(scalar(t, `%x = trunc.i32 %i
%big = slt.i32 9, %x
%chosen = select.i32 %big, 1, `+passed+`
jump b3(%chosen)
b3(%state: i32):
%one = eq.i32 %state, 1
branch %one, b4, b5
b4:
  store.i32 %a, 1:i32 align 4
  jump b5
b5:`)).Parts[plan.Control]
	}
	require.Greater(t, control("2"), 1.2*control("%x"))
}

// Emulated scatters of bytes cost less if all lanes store.
func TestByteScatters(t *testing.T) {
	price := func(element, condition string) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%i = iota.i32xW at 0
%%x = vload.i32xW %%a, %%m align 4
%%b = trunc.%sxW %%x
%%positive = slt.i32xW 0, %%x
%%in = and.i1xW %%m, %%positive
scatter.%sxW %%a, %%i, %%b, %s scale 1 align 1`, element, element, condition))).Parts[plan.Scatters]
	}
	require.Less(t, price("i8", "%m"), price("i8", "%in"))
	require.InDelta(t, price("i16", "%m"), price("i16", "true:i1x16"), 1e-9)
}

// Fewer entering lanes have less imbalance.
func TestImbalanceOfFewLanes(t *testing.T) {
	trips := func(enters, stays string) float64 {
		e := avx512.Costs.Price(function(t, 64, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
%%low = and.i32xW %%x, %s
%%zero = eq.i32xW %%low, 0
%%in = and.i1xW %%m, %%zero
%%some = any.i1xW %%in
branch %%some, b3(%%in, %%x), b5
b3(%%on: i1xW, %%y: i32xW):
  %%z = udiv.i32xW %%y, %%x
  %s
  %%stay = and.i1xW %%on, %%again
  %%going = any.i1xW %%stay
  branch %%going, b3(%%stay, %%z), b4
b4:
  vstore.i32xW %%a, %%z, %%in align 4
  jump b5
b5:`, enters, stays)))
		return e.Parts[plan.Division] + e.Parts[plan.Waste]
	}
	const share = 0.63 // that any of 64 lanes is in an arm that one in 64 takes
	for stays, times := range map[string]float64{
		"%bit = and.i32xW %z, 1\n%again = ne.i32xW %bit, 0": 2.5,
		"%bit = and.i32xW %z, 7\n%again = eq.i32xW %bit, 0": 1.5,
	} {
		require.Greater(t, share*trips("0", stays)/trips("63", stays), times, stays)
	}
	idle := func(enters string) float64 {
		e := avx512.Costs.Price(function(t, 64, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
%%low = and.i32xW %%x, %s
%%zero = eq.i32xW %%low, 0
%%in = and.i1xW %%m, %%zero
%%some = any.i1xW %%in
branch %%some, b3(%%in, 0), b5
b3(%%on: i1xW, %%k: i32xW):
  %%z = udiv.i32xW %%k, %%x
  %%l = add.i32xW %%k, 1
  %%again = slt.i32xW %%l, %%x
  %%stay = and.i1xW %%on, %%again
  %%going = any.i1xW %%stay
  branch %%going, b3(%%stay, %%l), b4
b4:
  vstore.i32xW %%a, %%z, %%in align 4
  jump b5
b5:`, enters)))
		return e.Parts[plan.Waste] / e.PerItem
	}
	require.Greater(t, idle("0"), 1.5*idle("63"))
}
