package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
)

// A loop between constants has a known trip count; others have the default one.
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
	base := counted("6")
	require.InDelta(t, 2, (counted("22")-base)/(counted("14")-base), 0.1)
	require.InEpsilon(t, counted("16"), counted("%n32"), 0.01)
	require.Equal(t, counted("5000"), counted("50000"))
}

// So do loops whose bounds have a constant distance, such as those of a work-item's block,
// even after the counter was widened.
func TestTripCountsFromDistances(t *testing.T) {
	counted := func(limit string) float64 {
		return avx512.Costs.Price(scalar(t, fmt.Sprintf(`%%id = trunc.i32 %%i
%%first = shl.i32 %%id, 6
%%wide = sext.i64 %%first
%%id1 = add.i32 %%id, 1
%%ahead = add.i32 %%first, 16
%%after = shl.i32 %%id1, 6
%%x0 = load.i32 %%a align 4
jump b3(%%wide, %%x0)
b3(%%k: i64, %%x: i32):
  %%y = udiv.i32 %%x, %%x0
  %%j = add.i64 %%k, 1
  %%low = trunc.i32 %%j
  %%go = slt.i32 %%low, %s
  branch %%go, b3(%%j, %%y), b4
b4:
  store.i32 %%a, %%y align 4`, limit))).PerItem
	}
	require.InDelta(t, 4, counted("%after")/counted("%ahead"), 0.5)
	require.NotEqual(t, counted("%after"), counted("%x0"))
}

// A counter determines the trip count of loops with inner branches, too.
func TestTripCountsWithBranches(t *testing.T) {
	counted := func(limit int) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%x = vload.f32x16 %%a, %%m align 4
jump b3(0)
b3(%%i: i32):
  %%go = slt.i32 %%i, %d
  branch %%go, b4, b7
b4:
  %%low = slt.i32 %%i, 3
  branch %%low, b5, b6
b5:
  %%y = fdiv.f32x16 %%x, %%x
  vstore.f32x16 %%a, %%y, %%m align 4
  jump b6
b6:
  %%j = add.i32 %%i, 1
  jump b3(%%j)
b7:`, limit))).PerItem
	}
	base := counted(4)
	require.InDelta(t, 2, (counted(20)-base)/(counted(12)-base), 0.1)
}

// A region is rarer the fewer values its condition admits.
func TestRareRegions(t *testing.T) {
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

// A path that the source marks as rare costs little more than a test, and more at larger
// widths.
func TestRareEdges(t *testing.T) {
	arm := func(width int, first, second string) float64 {
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x = vload.f32xW %%a, %%m align 4
%%low = flt.f32xW %%x, 7.0
%%in = and.i1xW %%m, %%low
%%some = any.i1xW %%in
branch %%some, b3%s, b4%s
b3:
  %%y = fdiv.f32xW %%x, 3.0
  %%z = fdiv.f32xW %%y, %%x
  vstore.f32xW %%a, %%z, %%in align 4
  jump b4
b4:`, first, second))).PerItem
	}
	for _, w := range []int{8, 32} {
		require.Less(t, arm(w, " rare", ""), arm(w, "", "")/1.5, w)
		require.Greater(t, arm(w, "", " rare"), arm(w, "", ""), w)
	}
	heavy := func(width int) float64 { return arm(width, "", " rare") - arm(width, " rare", "") }
	require.Greater(t, heavy(8), 0.0)
}

// A work-item's ID, in any dimension, mostly passes a bounds check.
func TestBoundsChecks(t *testing.T) {
	arm := func(condition string) float64 {
		return avx512.Costs.Price(scalar(t, `%id = trunc.i32 %i
%four = shl.i64 %i, 2
%at = add.i64 %a, %four
%x = load.i32 %at align 4
%y64 = load.i64 %c disp 8 align 8 invariant
%yid = trunc.i32 %y64
%row = add.i32 %yid, 1
%in = `+condition+`
branch %in, b3, b4
b3:
  %y = udiv.i32 %x, %id
  store.i32 %at, %y align 4
  jump b4
b4:`)).Parts[plan.Division]
	}
	any := arm("slt.i32 %x, 1000")
	within := arm("slt.i32 1, %id")
	require.Greater(t, within, 1.5*any)
	require.InDelta(t, any, arm("slt.i32 %id, 9"), 1e-9)
	require.InDelta(t, within, arm("slt.i32 %id, 1000"), 1e-9) // as an argument that a launch knows
	require.InDelta(t, within, arm("slt.i32 1, %row"), 1e-9)
	require.Less(t, arm("slt.i64 %n, %i"), any/2)
}

// A loop's own test before the first iteration passes more often than that of a region that
// contains a loop.
func TestLoopEntryTests(t *testing.T) {
	price := func(past string) float64 {
		return avx512.Costs.Price(scalar(t, `%at = add.i64 %a, %i
%x = load.i64 %at align 8
%y = load.i64 %at disp 8 align 8
%some = slt.i64 %x, %y
branch %some, b3(%x), `+past+`
b3(%k: i64):
  %q = sdiv.i64 %k, %y
  store.i64 %at, %q align 8
  %l = add.i64 %k, 1
  %on = slt.i64 %l, %y
  branch %on, b3(%l), b4
b4:
  %z = load.i64 %at disp 16 align 8
  store.i64 %at, %z disp 24 align 8
  jump b5
b5:`)).Parts[plan.Division]
	}
	require.Greater(t, price("b4"), price("b5"))
}

// A loop with an exit on bits iterates until the last lane has exited.
func TestLoopsExitedByBits(t *testing.T) {
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

// So does a loop with exits on bits and on a shared counter.
func TestLoopsExitedByBitsOrCounter(t *testing.T) {
	price := func(width int, bits uint64) float64 {
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x0 = vload.i32xW %%a, %%m align 4
jump b3(%%m, %%x0, 0)
b3(%%active: i1xW, %%x: i32xW, %%k: i32):
  %%y = mul.i32xW %%x, %%x0
  %%k1 = add.i32 %%k, 1
  %%low = and.i32xW %%y, %d
  %%ends = ne.i32xW %%low, 0
  %%last = slt.i32 100, %%k1
  %%all = splat.i1xW %%last
  %%either = or.i1xW %%ends, %%all
  %%stays = xor.i1xW %%either, true
  %%go = and.i1xW %%active, %%stays
  %%some = any.i1xW %%go
  branch %%some, b3(%%go, %%y, %%k1), b4
b4:
  vstore.i32xW %%a, %%y, %%m align 4`, bits))).PerItem
	}
	for _, w := range []int{8, 32} {
		require.Greater(t, price(w, 1), price(w, 7), w)
		require.Greater(t, price(w, 7), price(w, 255), w)
	}
}

// The slowest of more lanes takes longer, but not much if bounded numbers from memory
// decide.
func TestImbalanceFromMemory(t *testing.T) {
	waste := func(width int, limit string) float64 {
		e := avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
%%y = mul.i32xW %%x, %%x
jump b3(0, %%m)
b3(%%i: i32xW, %%active: i1xW):
  %%j = add.i32xW %%i, 1
  %%below = slt.i32xW %%j, %s
  %%go = and.i1xW %%active, %%below
  %%some = any.i1xW %%go
  branch %%some, b3(%%j, %%go), b4
b4:
  vstore.i32xW %%a, %%j, %%m align 4`, limit)))
		return e.Parts[plan.Waste] / e.PerItem
	}
	require.Greater(t, waste(64, "%y"), 1.2*waste(16, "%y"))
	require.Less(t, waste(64, "%x"), 1.1*waste(16, "%x"))
	require.Positive(t, waste(16, "%x"))
}

// Loops over the neighbourhood of a work-item take all lanes equally long, except at
// borders.
func TestNeighbourhoodLoops(t *testing.T) {
	waste := func(from, to string) float64 {
		e := avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%id = trunc.i32 %%strip
%%ids = splat.i32xW %%id
%%lanes = iota.i32xW at 0
%%x = add.i32xW %%ids, %%lanes
%%before = add.i32xW %%x, -2
%%first = smax.i32xW %%before, 0
%%ahead = add.i32xW %%x, 2
%%last = smin.i32xW %%ahead, 999
%%square = mul.i32xW %%x, %%x
jump b3(%s, %%m)
b3(%%k: i32xW, %%active: i1xW):
  %%j = add.i32xW %%k, 1
  %%below = slt.i32xW %%j, %s
  %%go = and.i1xW %%active, %%below
  %%some = any.i1xW %%go
  branch %%some, b3(%%j, %%go), b4
b4:
  vstore.i32xW %%a, %%j, %%m align 4`, from, to)))
		return e.Parts[plan.Waste]
	}
	require.Zero(t, waste("%first", "%last"))
	require.Positive(t, waste("%first", "%square"))
	require.Positive(t, waste("%square", "%last"))
	require.Positive(t, waste("0", "%last"))
}

// A binary search takes all lanes about equally long.
func TestBinarySearch(t *testing.T) {
	waste := func(mid string) float64 {
		return avx512.Costs.Price(function(t, 64, `%x = vload.i32xW %a, %m align 4
jump b3(0, %x, %m)
b3(%lo: i32xW, %hi: i32xW, %active: i1xW):
  %size = sub.i32xW %hi, %lo
  %half = `+mid+`
  %mid = add.i32xW %lo, %half
  %y = gather.i32xW %a, %mid, %active scale 4 align 4
  %less = slt.i32xW %y, %x
  %low = select.i32xW %less, %mid, %lo
  %high = select.i32xW %less, %hi, %mid
  %below = slt.i32xW %low, %high
  %go = and.i1xW %active, %below
  %some = any.i1xW %go
  branch %some, b3(%low, %high, %go), b4
b4:
  vstore.i32xW %a, %lo, %m align 4`)).Parts[plan.Waste]
	}
	require.Zero(t, waste("ashr.i32xW %size, 1"))
	require.Positive(t, waste("ashr.i32xW %size, 3"))
}

// Compared strings differ soon; a searched string may be long.
func TestLoopsOverCharacters(t *testing.T) {
	price := func(width int, op string) float64 {
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%at0 = iota.i32xW at 0
jump b3(%%m, %%at0)
b3(%%active: i1xW, %%at: i32xW):
  %%s = gather.i8xW %%a, %%at, %%active scale 1 align 1
  %%same = %s.i8xW %%s, 65
  %%go = and.i1xW %%active, %%same
  %%next1 = add.i32xW %%at, 1
  %%some = any.i1xW %%go
  branch %%some, b3(%%go, %%next1), b4
b4:
  vstore.i32xW %%a, %%at, %%m align 4`, op))).PerItem
	}
	for _, w := range []int{8, 32} {
		require.Greater(t, price(w, "slt"), price(w, "eq"), w)
		require.Greater(t, price(w, "ne"), price(w, "eq"), w)
	}
}

// A loop without evidence has the trip count of a sibling that counts to a constant.
func TestTripCountsOfSiblings(t *testing.T) {
	price := func(limit int) float64 {
		return avx512.Costs.Price(scalar(t, fmt.Sprintf(`%%at = add.i64 %%a, %%i
%%x = load.i64 %%at align 8
jump b3(0)
b3(%%k: i64):
  %%to = add.i64 %%at, %%k
  store.i64 %%to, %%x align 8
  %%l = add.i64 %%k, 1
  %%on = slt.i64 %%l, %d
  branch %%on, b3(%%l), b4(%%x)
b4(%%y: i64):
  %%z = sdiv.i64 %%y, %%x
  %%going = slt.i64 %%z, %%n
  branch %%going, b4(%%z), b5
b5:
  store.i64 %%at, %%z disp 8 align 8`, limit))).Parts[plan.Division]
	}
	require.InEpsilon(t, 4, price(200)/price(50), 0.1)
	require.InDelta(t, price(2), price(5), 1e-9)
}

// A known trip count equal to the default is evidence, too.
func TestKnownTripCountsOfSiblings(t *testing.T) {
	price := func(limit int) float64 {
		return avx512.Costs.Price(scalar(t, fmt.Sprintf(`%%at = add.i64 %%a, %%i
%%x = load.i64 %%at align 8
jump b3(0)
b3(%%k: i64):
  %%to = add.i64 %%at, %%k
  store.i64 %%to, %%x align 8
  %%l = add.i64 %%k, 1
  %%on = slt.i64 %%l, %d
  branch %%on, b3(%%l), b4(0, %%x)
b4(%%e: i64, %%y: i64):
  %%z = sdiv.i64 %%y, %%x
  %%d = add.i64 %%e, 1
  %%going = slt.i64 %%d, 8
  branch %%going, b4(%%d, %%z), b5
b5:
  store.i64 %%at, %%z disp 8 align 8`, limit))).Parts[plan.Division]
	}
	require.Positive(t, price(50))
	require.InDelta(t, price(50), price(200), 1e-9)
}

// A tiled loop with a known number of iterations has a known number of tiles, and a known
// remainder.
func TestTilesOfKnownTripCount(t *testing.T) {
	price := func(start int) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%x = vload.f32x16 %%a, %%m align 4
jump b3(%d, %%x)
b3(%%i: i32, %%s: f32x16):
  %%rest = sub.i32 128, %%i
  %%full = ule.i32 16, %%rest
  branch %%full, b4(%%i, 0, %%s), b6(%%i, %%s)
b4(%%j: i32, %%in: i32, %%u: f32x16):
  %%v = fdiv.f32x16 %%u, %%x
  %%j1 = add.i32 %%j, 1
  %%in1 = add.i32 %%in, 1
  %%inside = slt.i32 %%in1, 16
  branch %%inside, b4(%%j1, %%in1, %%v), b5
b5:
  %%i16 = add.i32 %%i, 16
  jump b3(%%i16, %%v)
b6(%%k: i32, %%p: f32x16):
  %%in128 = ult.i32 %%k, 128
  branch %%in128, b7, b8
b7:
  %%q = fdiv.f32x16 %%p, %%x
  %%k1 = add.i32 %%k, 1
  jump b6(%%k1, %%q)
b8:
  vstore.f32x16 %%a, %%p, %%m align 4`, start))).Parts[plan.Division]
	}
	each := price(127)
	require.Positive(t, each)
	for _, trips := range []int{8, 15, 16, 17, 64, 127, 128} {
		require.InEpsilon(t, float64(trips), price(128-trips)/each, 0.01, trips)
	}
}

// Computed numbers become equal at different times, while counters end together; and a
// distant limit of a counter does not end a search.
func TestExitsByEquality(t *testing.T) {
	waste := func(condition string) float64 {
		e := avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%x0 = vload.i32xW %%a, %%m align 4
jump b3(%%m, 0, %%x0)
b3(%%active: i1xW, %%i: i32xW, %%x: i32xW):
  %%j = add.i32xW %%i, 1
  %%y = mul.i32xW %%x, %%x0
  %%low = and.i32xW %%y, 4095
  %%missed = ne.i32xW %%low, 5
  %%near = slt.i32xW %%j, 100
  %%far = slt.i32xW %%j, 100000
  %%stays = %s
  %%go = and.i1xW %%active, %%stays
  %%some = any.i1xW %%go
  branch %%some, b3(%%go, %%j, %%y), b4
b4:
  vstore.i32xW %%a, %%i, %%m align 4`, condition)))
		return e.Parts[plan.Waste] / e.PerItem
	}
	require.Greater(t, waste("ne.i32xW %y, 7"), waste("slt.i32xW %y, 7"))
	require.InDelta(t, waste("slt.i32xW %y, %x0"), waste("ne.i32xW %j, %x0"), 0.1)
	require.Greater(t, waste("and.i1xW %missed, %far"), waste("and.i1xW %missed, %near"))
}

// An irreducible cycle has the same trip count at every entry.
func TestIrreducibleCycles(t *testing.T) {
	price := func(entry string) float64 {
		return avx512.Costs.Price(scalar(t, `%x = load.i64 %a align 8
%y = load.i64 %a disp 8 align 8
%some = slt.i64 %x, %y
`+entry+`
b3(%k: i64):
  %q = sdiv.i64 %k, %y
  jump b4(%q)
b4(%l: i64):
  %r = sdiv.i64 %l, %x
  %on = slt.i64 %r, %y
  branch %on, b3(%r), b5
b5:`)).Parts[plan.Division]
	}
	require.InEpsilon(t, price("branch %some, b3(%x), b3(%y)"), price("branch %some, b3(%x), b4(%y)"), 0.1)
}

// A loop with iterations as lanes, recognized by its masked tail, has a lower trip count,
// and so does the fallback for few iterations.
func TestTripCountsOfIterationsAsLanes(t *testing.T) {
	price := func(few, lanes, rest string) float64 {
		f, err := vir.Parse("f", `vir f width 1 scratch 0 {
entry:
  %c = context
  %n = load.i64 %c disp 24 align 8 invariant
  %args = load.i64 %c disp 184 align 8 invariant
  %a = load.i64 %args align 8 invariant
  jump strip(0)
strip(%s: i64):
  %trips = load.i64 %a align 8
  %some = sle.i64 8, %trips
  branch %some, chunk(0), few(0)
few(%i: i64):
  %less = slt.i64 %i, %trips
  branch %less, few1, end
few1:
`+few+`
  %i1 = add.i64 %i, 1
  jump few(%i1)
chunk(%r: i64):
  %whole = sle.i64 %r, %trips
  branch %whole, lanes, rest
lanes:
`+lanes+`
  %r1 = add.i64 %r, 16
  jump chunk(%r1)
rest:
  `+rest+` %trips
  jump end
end:
  %s1 = add.i64 %s, 1
  %more = slt.i64 %s1, %n
  branch %more, strip(%s1), exit
exit:
  return
}`)
		require.NoError(t, err)
		require.NoError(t, vir.Verify(f))
		return avx512.Costs.Price(f).PerItem
	}
	work := "%x = load.f32 %a align 4\n%y = fdiv.f32 %x, %x\n%z = fdiv.f32 %y, %x\nstore.f32 %a, %z align 4"
	for _, at := range [][2]string{{work, ""}, {"", work}} {
		cost := func(rest string) float64 { return price(at[0], at[1], rest) - price("", "", rest) }
		masked, not := cost("%m = unbits.i1x16"), cost("%m = popcount.i64")
		require.Less(t, 1.5*masked, not, "%q", at)
	}
}

// A one-lane loop with vector accumulators runs one iteration per lane at a time, and
// leaves few to the remainder loop.
func TestTripCountsOfVectorReductions(t *testing.T) {
	price := func(lanes int, limit, many, few string) float64 {
		f, err := vir.Parse("f", fmt.Sprintf(`vir f width 1 scratch 0 {
entry:
  %%c = context
  %%n = load.i64 %%c disp 24 align 8 invariant
  %%args = load.i64 %%c disp 184 align 8 invariant
  %%a = load.i64 %%args align 8 invariant
  jump strip(0)
strip(%%s: i64):
  %%trips = load.i64 %%a align 8
  jump many(0, 0)
many(%%k: i64, %%x: i32x%[1]d):
%[2]s
  %%k4 = add.i64 %%k, 4
  %%x1 = add.i32x%[1]d %%x, %%x
  %%on = slt.i64 %%k4, %[4]s
  branch %%on, many(%%k4, %%x1), few(%%k4)
few(%%i: i64):
  %%less = slt.i64 %%i, %[4]s
  branch %%less, few1, end
few1:
%[3]s
  %%i1 = add.i64 %%i, 1
  jump few(%%i1)
end:
  %%y = extract.i32 %%x1 at 0
  store.i32 %%a, %%y align 4
  %%s1 = add.i64 %%s, 1
  %%more = slt.i64 %%s1, %%n
  branch %%more, strip(%%s1), exit
exit:
  return
}`, lanes, many, few, limit))
		require.NoError(t, err)
		require.NoError(t, vir.Verify(f))
		return avx512.Costs.Price(f).PerItem
	}
	work := "%y0 = load.f32 %a align 4\n%y1 = fdiv.f32 %y0, %y0\n%y2 = fdiv.f32 %y1, %y0\nstore.f32 %a, %y2 align 4"
	of := func(lanes int, limit string) (many, few float64) {
		none := price(lanes, limit, "", "")
		return price(lanes, limit, work, "") - none, price(lanes, limit, "", work) - none
	}
	four, rest := of(4, "%trips")
	two, _ := of(2, "%trips")
	require.Less(t, four, two)
	require.Less(t, rest, four)
	known, _ := of(4, "256")
	require.Greater(t, known, 4*four, "64 trips, not the default")
}

// Loops that step by the parent's counter, as in a sieve, have a smaller and varying trip
// count.
func TestSteppingByParentCounter(t *testing.T) {
	price := func(width int, step string) plan.Estimate {
		return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%id = trunc.i32 %%strip
%%last = load.i32 %%a align 4
%%from = splat.i32xW %%id
%%to = splat.i32xW %%last
jump b3(1)
b3(%%p: i32):
  %%square = mul.i32 %%p, %%p
  %%on = slt.i32 %%square, %%last
  branch %%on, b4, b7
b4:
  %%by = splat.i32xW %s
  jump b5(%%m, %%from)
b5(%%in: i1xW, %%q: i32xW):
  %%less = slt.i32xW %%q, %%to
  %%stay = and.i1xW %%in, %%less
  %%some = any.i1xW %%stay
  branch %%some, b6, b8
b6:
  %%y = udiv.i32xW %%q, %%to
  vstore.i32xW %%a, %%y, %%stay align 4
  %%q1 = add.i32xW %%q, %%by
  jump b5(%%stay, %%q1)
b8:
  %%p1 = add.i32 %%p, 1
  jump b3(%%p1)
b7:`, step)))
	}
	for _, width := range []int{8, 32} {
		by := func(step string) float64 { return price(width, step).Parts[plan.Division] }
		require.InEpsilon(t, by("%last"), by("3"), 0.01)
		require.Less(t, 2*by("%p"), by("3"))
	}
	wrong := func(step string) float64 {
		e := avx512.Costs.Price(scalar(t, fmt.Sprintf(`%%id = trunc.i32 %%i
%%last = load.i32 %%a align 4
jump b3(1)
b3(%%s: i32):
  %%on = slt.i32 %%s, %%last
  branch %%on, b4(%%id), b7
b4(%%q: i32):
  %%less = slt.i32 %%q, %%last
  branch %%less, b5, b6
b5:
  store.i32 %%a, %%q align 4
  %%q1 = add.i32 %%q, %s
  jump b4(%%q1)
b6:
  %%s1 = add.i32 %%s, 1
  jump b3(%%s1)
b7:`, step)))
		return e.Parts[plan.Control] / e.Parts[plan.ScalarMemory]
	}
	require.Greater(t, wrong("%s"), 1.5*wrong("3"))
}

// A loop before one with iterations as lanes is not its fallback for few iterations, unless
// it is in that place.
func TestLoopsBeforeIterationsAsLanes(t *testing.T) {
	price := func(lanes string) float64 {
		return avx512.Costs.Price(scalar(t, `%last = load.i64 %a align 8
jump b3(1)
b3(%s: i64):
  %on = slt.i64 %s, %last
  branch %on, b4, b8(0)
b4:
  jump b5(%i)
b5(%q: i64):
  %less = slt.i64 %q, %last
  branch %less, b6, b7
b6:
  %y = udiv.i64 %q, %s
  %at = add.i64 %a, %y
  store.i64 %at, %q align 8
  %q1 = add.i64 %q, %last
  jump b5(%q1)
b7:
  %s1 = add.i64 %s, 3
  jump b3(%s1)
b8(%r: i64):
  %whole = sle.i64 %r, %last
  branch %whole, b9, b10
b9:
  %r1 = add.i64 %r, 16
  jump b8(%r1)
b10:
  `+lanes+` %last`)).Parts[plan.Division]
	}
	require.InEpsilon(t, price("%z = popcount.i64"), price("%z = unbits.i1x16"), 0.01)
}

// With iterations as lanes, branches are estimated as in scalar code.
func TestBranchesWithIterationsAsLanes(t *testing.T) {
	f := function(t, 16, `%at = add.i64 %a, %strip
%x = load.i32 %at align 4
%low = and.i32 %x, 1
%in = ne.i32 %low, 0
branch %in, b3, b4
b3:
  store.i32 %at, %low align 4
  jump b4
b4:`)
	lanes := avx512.Costs.Price(f).Parts[plan.Control]
	f.Iterations = true
	require.Greater(t, avx512.Costs.Price(f).Parts[plan.Control], lanes+avx512.Costs.Mispredict/4)
}

// A loop that runs one iteration per lane at a time has a trip count divided by the width,
// with or without divergent exits.
func TestChunkedTripCounts(t *testing.T) {
	f := func(step int) *vir.Func {
		f := function(t, 16, fmt.Sprintf(`%%at = add.i64 %%a, %%strip
%%all = load.i32 %%at align 4
jump chunk(0)
chunk(%%i: i32):
  %%inside = slt.i32 %%i, %%all
  branch %%inside, body, ended(1)
body:
  %%x = load.i32 %%at align 4
  store.i32 %%at, %%x align 4
  jump ended(0)
ended(%%state: i8):
  %%over = ne.i8 %%state, 0
  %%j = add.i32 %%i, %d
  branch %%over, done, chunk(%%j)
done:`, step))
		f.Iterations = true
		return f
	}
	const trips = 64
	chunks, others := avx512.Costs.PriceAs(f(16), 16, trips), avx512.Costs.PriceAs(f(3), 16, trips)
	require.Less(t, 5*chunks.PerItem, others.PerItem)
}

// Its constant number of iterations is divided by the estimated width, not by that of the code.
func TestCountedChunks(t *testing.T) {
	f := function(t, 32, `%at = add.i64 %a, %strip
jump chunk(0)
chunk(%i: i32):
  %last = add.i32 %i, 31
  %inside = slt.i32 %last, 1600
  branch %inside, body, done
body:
  %x = load.i32 %at align 4
  store.i32 %at, %x align 4
  %j = add.i32 %i, 32
  jump chunk(%j)
done:`)
	f.Iterations = true
	of := func(width int) float64 { return avx512.Costs.PriceAs(f, width, 0).Parts[plan.ScalarMemory] }
	require.InEpsilon(t, 2, of(16)/of(32), 0.1)
	require.InEpsilon(t, 0.5, of(64)/of(32), 0.1)
}
