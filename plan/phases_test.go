package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
)

// Parts of vectors, such as the rows of a tile, keep their length at other widths, so that their
// number per work-item does not change.
func TestPartsOfVectors(t *testing.T) {
	f := function(t, 32, "%r = vload.f32x4 %a, true:i1x4 align 4\nvstore.f32x4 %a, %r, true:i1x4 disp 64 align 4")
	of := func(width int) float64 { return avx512.Costs.PriceAs(f, width, 0).Parts[plan.Contiguous] }
	require.Positive(t, of(32))
	require.InDelta(t, of(32), of(64), 1e-9)
	require.InDelta(t, of(32), of(8), 1e-9)
}

// Rows whose addresses were computed for the lanes, as those of a tile, cost more the more lanes read
// them side by side, as processors prefetch few rows.
func TestRowsOfManyLanes(t *testing.T) {
	f := function(t, 32, "%p = load.i64 %a align 8\n%r = vload.f32x16 %p, true:i1x16 align 4\nvstore.f32x16 %a, %r, true:i1x16 disp 64 align 4")
	of := func(width int) float64 { return avx512.Costs.PriceAs(f, width, 0).Parts[plan.Contiguous] }
	require.Greater(t, of(32), 1.2*of(16))
	require.Greater(t, of(64), 1.2*of(32))
	require.InDelta(t, of(16), of(8), 1e-9)
}

// Of the rows of an object around the work-item's, one is streamed; separate planes all are.
func TestStreamsOfRows(t *testing.T) {
	stream := func(y string) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%y = load.i64 %s align 8 invariant
%%above = sub.i64 %%y, 4096
%%p = add.i64 %%a, %%y
%%q = add.i64 %%a, %%above
%%x = vload.f32xW %%p, %%m align 4
%%z = vload.f32xW %%q, %%m align 4
%%s = fadd.f32xW %%x, %%z
vstore.f32xW %%p, %%s, %%m align 4`, y))).Parts[plan.Streams]
	}
	require.Less(t, stream("%c disp 8"), 0.8*stream("%args disp 8"))
}

// Lanes below a position lie together, so that most vectors of a row need none or all of the
// work; any lanes may have data below a number.
func TestPositions(t *testing.T) {
	region := func(width int, compared string) float64 {
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%low = load.i32 %%args disp 8 align 4
%%limit = splat.i32xW %%low
%%id = trunc.i32 %%strip
%%ids = splat.i32xW %%id
%%lanes = iota.i32xW at 0
%%l = add.i32xW %%ids, %%lanes
%%x = vload.i32xW %%a, %%m align 4
%%low1 = slt.i32xW %s, %%limit
%%some = and.i1xW %%m, %%low1
%%any = any.i1xW %%some
branch %%any, b3.then, b4.end
b3.then:
%%y = sdiv.i32xW %%x, %%limit
vstore.i32xW %%a, %%y, %%some align 4
jump b4.end
b4.end:`, compared))).Parts[plan.Division]
	}
	require.Less(t, region(16, "%l"), 0.7*region(16, "%x"))
	require.Less(t, region(16, "%l"), region(64, "%l"))
}
