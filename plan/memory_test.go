package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
)

// scalar makes code of width 1 around body, in which %i is the work-item's ID, %a the
// address of a buffer and %p that of private memory.
func scalar(t *testing.T, body string) *vir.Func {
	text := `vir f width 1 scratch 64 {
b0.entry:
  %c = context
  %n = load.i64 %c disp 24 align 8 invariant
  %args = load.i64 %c disp 184 align 8 invariant
  %a = load.i64 %args align 8 invariant
  %p = load.i64 %c disp 192 align 8 invariant
  jump b1.strip(0)
b1.strip(%i: i64):
` + body + `
  %next = add.i64 %i, 1
  %more = slt.i64 %next, %n
  branch %more, b1.strip(%next), b2.exit
b2.exit:
  return
}
`
	f, err := vir.Parse("f", text)
	require.NoError(t, err, text)
	require.NoError(t, vir.Verify(f))
	return f
}

// A branch on a work-item's own data is mispredicted, one on a shared table is not.
func TestMispredictions(t *testing.T) {
	control := func(value string) float64 {
		return avx512.Costs.Price(scalar(t, value+`
  %less = slt.i32 %x, 50
  branch %less, b3, b4
b3:
  store.i32 %a, 1:i32 align 4
  jump b4
b4:`)).Parts[plan.Control]
	}
	own := control("%at = add.i64 %a, %i\n%x = load.i32 %at align 4")
	table := control("%low = and.i64 %i, 15\n%at = add.i64 %a, %low\n%x = load.i32 %at align 4")
	uniform := control("%x = load.i32 %a align 4")
	private := control("%y = trunc.i32 %i\nstore.i32 %p, %y align 4\n%x = load.i32 %p disp 4 align 4")
	untouched := control("%x = load.i32 %p disp 4 align 4")
	require.InDelta(t, own, private, 1e-9)
	require.Greater(t, own-uniform, 2*(table-uniform))
	require.InDelta(t, uniform, untouched, 1e-9)
}

// The low byte of a loaded number is data, not a test of bits.
func TestCharactersAreData(t *testing.T) {
	control := func(mask int, other string) float64 {
		return avx512.Costs.Price(scalar(t, fmt.Sprintf(`%%at = add.i64 %%a, %%i
%%x = load.i32 %%at align 4
%%z = load.i32 %%at disp 4 align 4
%%y = and.i32 %%z, 255
%%low = and.i32 %%x, %d
%%same = eq.i32 %%low, %s
branch %%same, b3, b4
b3:
  store.i32 %%a, 1:i32 align 4
  jump b4
b4:`, mask, other))).Parts[plan.Control]
	}
	require.Greater(t, control(1, "0"), 2*control(255, "%y"))
}

// The latency of an iteration is not hidden by a short inner loop.
func TestChainsAroundLoops(t *testing.T) {
	waits := func(inner string) float64 {
		return avx512.Costs.Price(scalar(t, `%x0 = load.i64 %a align 8
jump b3(%x0)
b3(%x: i64):
  %at = add.i64 %a, %x
  %y = load.i64 %at align 8
  %at2 = add.i64 %a, %y
  %z = load.i64 %at2 align 8
  jump b4(0)
b4(%k: i64):
  store.i64 %a, %k disp 64 align 8
  store.i64 %a, %k disp 72 align 8
  store.i64 %a, %k disp 80 align 8
  %l = add.i64 %k, 1
  %again = slt.i64 %l, `+inner+`
  branch %again, b4(%l), b5
b5:
  %go = slt.i64 %z, %x0
  branch %go, b3(%z), b6
b6:`)).Parts[plan.Chains]
	}
	require.Greater(t, waits("1"), waits("20"))
	require.Positive(t, waits("20"))
}

// A load waits for the store of the preceding iteration at its address, but not for other stores.
func TestRecurrencesThroughMemory(t *testing.T) {
	waits := func(loaded string) float64 {
		return avx512.Costs.Price(scalar(t, `%base = shl.i64 %i, 10
jump b3(1)
b3(%k: i64):
  %at = add.i64 %base, %k
  %before = add.i64 %at, `+loaded+`
  %x = shl.i64 %at, 2
  %y = shl.i64 %before, 2
  %p1 = add.i64 %a, %x
  %p2 = add.i64 %a, %y
  %last = load.f32 %p2 align 4
  %new = fdiv.f32 %last, 3.0
  store.f32 %p1, %new align 4
  %l = add.i64 %k, 1
  %again = slt.i64 %l, 100
  branch %again, b3(%l), b4
b4:`)).Parts[plan.Chains]
	}
	require.Greater(t, waits("-1"), 3*waits("1"))
	require.InDelta(t, waits("1"), waits("-2"), 1e-6)
}

// Gathers and scatters of one loop at a distance of pages seem to depend on each other.
func TestLanesAtDistancesOfPages(t *testing.T) {
	wider := func(distance, gathered string) float64 {
		f := function(t, 16, fmt.Sprintf(`%%lanes = iota.i32xW at 0
%%i = mul.i32xW %%lanes, %s
%%j = mul.i32xW %%lanes, %s
jump b3(0)
b3(%%k: i64):
  %%at = add.i64 %%a, %%k
  %%x = gather.f32xW %%at, %%j, true:i1xW scale 4 align 4
  scatter.f32xW %%at, %%i, %%x, true:i1xW scale 4 align 4
  %%l = add.i64 %%k, 4
  %%again = slt.i64 %%l, 400
  branch %%again, b3(%%l), b4
b4:`, distance, gathered))
		of := func(width int) float64 { return avx512.Costs.PriceAs(f, width, 0).Parts[plan.Gathers] }
		return of(32) / of(8)
	}
	usual := wider("1000", "1000")
	require.InEpsilon(t, 4*usual, wider("1024", "1024"), 0.1)
	require.InEpsilon(t, usual, wider("1000", "1024"), 0.1)
}

// A remainder loop has a lower trip count than a complete one.
func TestRemainderLoops(t *testing.T) {
	price := func(width, step int) float64 {
		if width > 1 {
			return avx512.Costs.Price(function(t, width, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
jump b3(0, %%m)
b3(%%i: i32xW, %%mask: i1xW):
  %%some = any.i1xW %%mask
  %%j = add.i32xW %%i, %d
  %%k = select.i32xW %%mask, %%j, %%i
  %%less = slt.i32xW %%j, %%x
  %%go = and.i1xW %%mask, %%less
  branch %%some, b3(%%k, %%go), b5(%%i, %%m)
b5(%%q: i32xW, %%rest: i1xW):
  %%some2 = any.i1xW %%rest
  %%r = add.i32xW %%q, 1
  %%s = select.i32xW %%rest, %%r, %%q
  %%less2 = slt.i32xW %%r, %%x
  %%go2 = and.i1xW %%rest, %%less2
  branch %%some2, b5(%%s, %%go2), b6
b6:
  vstore.i32xW %%a, %%q, %%m align 4`, step))).PerItem
		}
		return avx512.Costs.Price(scalar(t, fmt.Sprintf(`%%x = load.i64 %%a align 8
jump b3(0)
b3(%%q: i64):
  %%r = add.i64 %%q, %d
  %%less = slt.i64 %%r, %%x
  branch %%less, b3(%%r), b5(%%q)
b5(%%s: i64):
  %%u = add.i64 %%s, 1
  %%at = add.i64 %%a, %%s
  store.i8 %%at, 1:i8 align 1
  %%less2 = slt.i64 %%u, %%x
  branch %%less2, b5(%%u), b6
b6:`, step))).PerItem
	}
	for _, w := range []int{1, 8, 32} {
		require.Less(t, price(w, 2), price(w, 4), w)
		require.Less(t, price(w, 4), price(w, 1), w)
		require.InEpsilon(t, price(w, 64), price(w, 1), 0.01, w)
	}
}

// Private memory is in the L1 cache, but masked stores are not forwarded to loads.
func TestMaskedStoresToPrivateMemory(t *testing.T) {
	price := func(private bool, mask string) float64 {
		address := "%args"
		if private {
			address = "%c"
		}
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%p = load.i64 %s disp 192 align 8 invariant
%%all = splat.i1xW true
%%x = vload.i32xW %%p, %%all align 4
vstore.i32xW %%p, %%x, %s align 4`, address, mask))).Parts[plan.Contiguous]
	}
	const always = "true:i1x16"
	require.Less(t, price(true, always), price(false, always))
	require.Greater(t, price(true, "%m")-price(true, always), price(false, "%m")-price(false, always))
}

// Gathers and scatters in private memory hit the L1 cache.
func TestGathersInPrivateMemory(t *testing.T) {
	price := func(address string, kind plan.Kind) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%p = load.i64 %s disp 192 align 8 invariant
%%at = vload.i32xW %%a, %%m align 4
%%x = gather.i32xW %%p, %%at, %%m scale 4 align 4
%%y = add.i32xW %%x, 1
scatter.i32xW %%p, %%at, %%y, %%m scale 4 align 4`, address))).Parts[kind]
	}
	for _, kind := range []plan.Kind{plan.Gathers, plan.Scatters} {
		require.Less(t, price("%c", kind), price("%args", kind)/1.5)
	}
}

// Memory bandwidth is limited, and other work overlaps with it.
func TestStreams(t *testing.T) {
	for name, c := range tables {
		few := c.Price(function(t, 16, stream))
		require.Positive(t, few.Parts[plan.Streams], name)
		division := "\n%z = fdiv.f32xW %y, %x\nvstore.f32xW %a, %z, %m align 4"
		many := c.Price(function(t, 16, stream+division))
		require.Greater(t, many.PerItem, few.PerItem, name)
		access := "\n%x = gather.f32xW %a, %i, %m scale 4 align 4\nscatter.f32xW %a, %i, %x, %m scale 4 align 4"
		near := c.Price(function(t, 16, "%l = iota.i32xW at 0\n%i = mul.i32xW %l, 3"+access))
		require.Positive(t, near.Parts[plan.Streams], name)
		for _, anywhere := range []string{"and.i32xW %l, 6", "mul.i32xW %l, 100"} {
			far := c.Price(function(t, 16, "%l = iota.i32xW at 0\n%i = "+anywhere+access))
			require.Zero(t, far.Parts[plan.Streams], name)
		}
	}
}

// Overlapping bytes are loaded once.
func TestStreamsOverlap(t *testing.T) {
	price := func(second int) float64 {
		return avx512.Costs.Price(function(t, 16, fmt.Sprintf(`%%x = vload.i32xW %%a, %%m align 4
%%y = vload.i32xW %%a, %%m disp %d align 4
%%z = add.i32xW %%x, %%y
vstore.i32xW %%a, %%z, %%m align 4`, second))).Parts[plan.Streams]
	}
	require.InDelta(t, price(0), price(1<<20), 1e-9)
	require.Less(t, price(4), price(64))
}

// A mask costs more on loads of bytes than on loads of the mask's lane size.
func TestMasksOfSmallLoads(t *testing.T) {
	adds := func(load string) float64 {
		price := func(mask string) float64 {
			return avx512.Costs.Price(function(t, 16, fmt.Sprintf(load, mask)+"\nvstore.i32xW %a, %x, %m align 4")).Parts[plan.Contiguous]
		}
		return price("%m") - price("true:i1xW")
	}
	require.Greater(t, adds("%%y = vload.i8xW %%a, %s align 1\n%%x = zext.i32xW %%y"), 2*adds("%%x = vload.i32xW %%a, %s align 4"))
}
