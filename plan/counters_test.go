package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
)

// A counter with a bound in a range, or among a few numbers, has the mean trip count of
// those bounds.
func TestCountersWithRangeBounds(t *testing.T) {
	trips := func(number, loop string) float64 {
		return avx512.Costs.Price(scalar(t, `%at = add.i64 %a, %i
%x = load.i32 %at align 4
%b = slt.i32 %x, 100
`+number+`
`+loop+`
b4:
  %q = udiv.i32 %x, %k
  store.i32 %at, %q align 4
  jump b3(%l)
b5:`)).Parts[plan.Division]
	}
	const up = "jump b3(%d)\nb3(%%k: i32):\n  %%l = add.i32 %%k, %d\n  %%on = slt.i32 %%k, %%to\n  branch %%on, b4, b5"
	const down = "jump b3(%to)\nb3(%k: i32):\n  %l = add.i32 %k, -1\n  %on = slt.i32 0, %k\n  branch %on, b4, b5"
	const wide = "jump b3(0)\nb3(%j: i64):\n  %k = trunc.i32 %j\n  %n1 = add.i32 %k, 1\n  %l = sext.i64 %n1\n  %on = slt.i32 %k, %to\n  branch %on, b4, b5"
	one := trips("%to = and.i32 %x, 1", down) / 0.5
	for _, c := range []struct {
		number, loop string
		times        float64
	}{
		{"%to = and.i32 %x, 7", down, 3.5},
		{"%to = and.i32 %x, 7", fmt.Sprintf(up, 0, 1), 3.5},
		{"%to = and.i32 %x, 7", wide, 3.5},
		{"%to = and.i32 %x, 127", fmt.Sprintf(up, 0, 1), 63.5},
		{"%to = and.i32 %x, 127", fmt.Sprintf(up, 0, 2), 31.75},
		{"%m = and.i32 %x, 7\n%to = add.i32 %m, 100", fmt.Sprintf(up, 0, 1), 103.5},
		{"%m = and.i32 %x, 7\n%to = add.i32 %m, 100", fmt.Sprintf(up, 50, 1), 53.5},
		{"%to = select.i32 %b, 3, 20", down, 11.5},
		{"%m = and.i32 %x, 31\n%to = smin.i32 %m, 3", down, 2.8125},
		{"%m = and.i32 %x, 1023\n%to = add.i32 %m, 1", down, 7}, // as if nothing were known
		{"%to = add.i32 %x, 1", down, 7},
	} {
		require.InEpsilon(t, c.times, trips(c.number, c.loop)/one, 0.01, c.number+"\n"+c.loop)
	}
}

// Imbalance is limited if the last lane's bound is the end of the range.
func TestImbalanceLimitedByRanges(t *testing.T) {
	price := func(number string) plan.Estimate {
		return avx512.Costs.Price(function(t, 64, `%x = vload.i32xW %a, %m align 4
%to = `+number+`
jump b3(%m, %to)
b3(%in: i1xW, %k: i32xW):
  %going = slt.i32xW 0, %k
  %stay = and.i1xW %in, %going
  %some = any.i1xW %stay
  %l = add.i32xW %k, -1
  branch %some, b4, b5
b4:
  %q = udiv.i32xW %x, %k
  vstore.i32xW %a, %q, %stay align 4
  jump b3(%stay, %l)
b5:`))
	}
	few, any := price("and.i32xW %x, 1"), price("add.i32xW %x, 1")
	require.Less(t, 3*few.Parts[plan.Division], any.Parts[plan.Division])
	require.Less(t, few.Parts[plan.Waste]/few.PerItem, any.Parts[plan.Waste]/any.PerItem)
}
