package plan_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
	wasmsimd "github.com/simtc/simtc/targets/wasm-simd"
	"github.com/simtc/simtc/vir"
)

var tables = map[string]*plan.Costs{"avx512": &avx512.Costs, "wasm-simd": &wasmsimd.Costs}

func TestEveryOperationHasARow(t *testing.T) {
	for name, c := range tables {
		for _, op := range vir.Ops() {
			_, ok := c.Rows[op]
			require.True(t, ok, "%s: no row for %s", name, vir.InfoOf(op).Name)
		}
		require.Len(t, c.Rows, len(vir.Ops()), name)
		require.Equal(t, 1, c.Widths[0], name)
		require.IsIncreasing(t, c.Widths, name)
	}
}

// A row without costs for vectors would make everything look cheap.
func TestWorkCostsSomething(t *testing.T) {
	for name, c := range tables {
		for op, row := range c.Rows {
			n := vir.InfoOf(op).Name
			free := op == vir.Const || op == vir.Param || op == vir.Context || op == alu.Bitcast
			require.True(t, free || row.Vector[2]+row.Lane[2]+row.Scalar[2]+row.Mask > 0, "%s: %s", name, n)
			for i := range row.Vector {
				require.GreaterOrEqual(t, min(row.Vector[i], row.Lane[i], row.Scalar[i], row.Mask, row.Latency), 0.0, "%s: %s", name, n)
			}
		}
	}
}

// function makes a strip loop around body, in which %m is the mask and %a a scalar address.
func function(t *testing.T, width int, body string) *vir.Func {
	text := strings.ReplaceAll(`vir f width W scratch 0 {
b0.entry:
  %c = context
  %n = load.i64 %c disp 24 align 8 invariant
  %args = load.i64 %c disp 184 align 8 invariant
  %a = load.i64 %args align 8 invariant
  jump b1.strip(0)
b1.strip(%strip: i64):
  %left = sub.i64 %n, %strip
  %m = prefix.i1xW %left at 0
`+body+`
  %next = add.i64 %strip, W
  %more = slt.i64 %next, %n
  branch %more, b1.strip(%next), b2.exit
b2.exit:
  return
}
`, "W", fmt.Sprint(width))
	f, err := vir.Parse("f", text)
	require.NoError(t, err, text)
	require.NoError(t, vir.Verify(f))
	return f
}

const (
	stream = "%x = vload.f32xW %a, %m align 4\n%y = fmul.f32xW %x, %x\nvstore.f32xW %a, %y, %m align 4"
	chase  = "%i = iota.i32xW at 0\n%x = gather.f32xW %a, %i, %m scale 4 align 4\n%y = fmul.f32xW %x, %x\nvstore.f32xW %a, %y, %m align 4"
)

func TestMoreWorkCostsMore(t *testing.T) {
	for name, c := range tables {
		for _, w := range []int{8, 16} {
			little := c.Price(function(t, w, stream))
			more := c.Price(function(t, w, stream+"\n%z = fdiv.f32xW %y, %x\nvstore.f32xW %a, %z, %m align 4"))
			require.Greater(t, more.PerItem, little.PerItem, name)
			require.Greater(t, more.Parts[plan.Division], little.Parts[plan.Division], name)
			require.Greater(t, c.Price(function(t, w, chase)).PerItem, little.PerItem, name)
			sum := 0.0
			for _, ns := range more.Parts {
				sum += ns
			}
			require.InDelta(t, more.PerItem, sum, 1e-9)
		}
	}
}

func TestDeadCodeIsFree(t *testing.T) {
	c := &avx512.Costs
	require.Equal(t, c.Price(function(t, 16, stream)), c.Price(function(t, 16, stream+"\n%z = fdiv.f32xW %y, %x")))
}

// loop iterates while a lane's number is below a limit.
const loop = `jump b3(0, %m)
b3(%i: i32xW, %active: i1xW):
  %j = add.i32xW %i, 1
  %below = slt.i32xW %j, 100
  %go = and.i1xW %active, %below
  %some = any.i1xW %go
  branch %some, b3(%j, %go), b4
b4:
  vstore.i32xW %a, %j, %m align 4`

func TestDivergentLoopsWasteLanes(t *testing.T) {
	c := &avx512.Costs
	var last float64
	for _, w := range []int{8, 16, 32} {
		e := c.Price(function(t, w, loop))
		share := e.Parts[plan.Waste] / e.PerItem
		require.Greater(t, share, last, "width %d", w)
		last = share
		require.Zero(t, c.Price(function(t, w, stream)).Parts[plan.Waste])
	}
}

func TestSpills(t *testing.T) {
	many := func(n int) string {
		var load, use strings.Builder
		for i := range n {
			fmt.Fprintf(&load, "%%x%d = vload.f32xW %%a, %%m disp %d align 4\n", i, 64*i)
			fmt.Fprintf(&use, "vstore.f32xW %%a, %%x%d, %%m disp %d align 4\n", i, 64*i)
		}
		return load.String() + use.String()
	}
	c := &avx512.Costs
	require.Zero(t, c.Price(function(t, 16, many(c.VectorRegisters-1))).Parts[plan.Spills])
	require.Greater(t, c.Price(function(t, 16, many(c.VectorRegisters+4))).Parts[plan.Spills], 0.0)
	require.Greater(t, c.Price(function(t, 32, many(c.VectorRegisters-1))).Parts[plan.Spills], 0.0)
}

func family(t *testing.T, built *[]int, widths []int, body func(w int) string) plan.Family {
	var f plan.Family
	for _, w := range widths {
		f.Candidates = append(f.Candidates, plan.Candidate{Name: fmt.Sprint("test x", w), Width: w, Build: func() (*vir.Func, error) {
			*built = append(*built, w)
			return function(t, w, body(w)), nil
		}})
	}
	return f
}

func TestChooseBuildsOneWidthOfAFamily(t *testing.T) {
	var built []int
	widths := []int{4, 8, 16, 32, 64}
	streams := func(int) string { return stream }
	chases := func(int) string { return chase }
	first, second, third := family(t, &built, widths, chases), family(t, &built, widths, streams), family(t, &built, widths, streams)
	second.Skip = func() bool { return len(built) == 0 }
	third.Skip = func() bool { return len(built) == 2 }
	p, err := avx512.Costs.Choose(first, second, third)
	require.NoError(t, err)
	require.Equal(t, []int{32, 32}, built)
	require.GreaterOrEqual(t, p.Chosen, len(widths))
	require.Less(t, p.Chosen, 2*len(widths))
	require.Contains(t, p.String(), "not estimated")
	whole, err := avx512.Costs.TryRest(p)
	require.NoError(t, err)
	require.Equal(t, []int{32, 32, 32}, built)
	require.NotContains(t, whole.String(), "not estimated")
	require.Contains(t, p.String(), "not estimated") // launches may be reading it

	built = nil
	heavy := strings.Repeat("vstore.f32xW %a, %y, %m align 4\n", 5001)
	long := func(int) string { return stream + "\n" + heavy }
	_, err = avx512.Costs.Choose(family(t, &built, widths, long), family(t, &built, widths, long))
	require.NoError(t, err)
	require.Equal(t, []int{32}, built)

	built = nil
	_, err = avx512.Costs.Choose(family(t, &built, []int{16}, streams))
	require.NoError(t, err)
	require.Equal(t, []int{16}, built)

	_, err = avx512.Costs.Choose()
	require.ErrorContains(t, err, "no candidates")
	_, err = avx512.Costs.Choose(plan.Family{Candidates: []plan.Candidate{{Width: 16, Build: func() (*vir.Func, error) { return nil, errors.New("no code") }}}})
	require.EqualError(t, err, "no code")
}

// A function priced at another width costs the same as one built at that width.
func TestPriceAs(t *testing.T) {
	for name, c := range tables {
		for _, body := range []string{stream, chase, loop} {
			for _, w := range c.Widths[1:] {
				require.InDelta(t, c.Price(function(t, w, body)).PerItem, c.PriceAs(function(t, 16, body), w, 0).PerItem, 1e-9, "%s x%d", name, w)
			}
		}
	}
}

// Code that the target may reject for its length is chosen only if there is nothing else,
// and rejected code never.
func TestTooLong(t *testing.T) {
	for name, choose := range map[string]func(*plan.Costs, ...plan.Family) (*plan.Plan, error){
		"all": (*plan.Costs).Choose, "briefly": (*plan.Costs).ChooseBriefly,
	} {
		widths := []int{1, 4, 8, 16}
		family := func(widths []int) (f plan.Family) {
			for _, w := range widths {
				f.Candidates = append(f.Candidates, plan.Candidate{Name: fmt.Sprint("x", w), Width: w, Build: func() (*vir.Func, error) {
					if w == 1 {
						return vir.Parse("f", "vir f width 1 scratch 0 {\nb0:\n  return\n}\n")
					}
					return function(t, w, stream), nil
				}})
			}
			return f
		}
		length := func(w int) int { return wasmsimd.Costs.PriceAs(function(t, 8, stream), w, 0).Length }
		require.Less(t, length(4), length(8))
		for _, c := range []struct{ limit, want int }{{length(8) - 1, 4}, {length(4) - 1, 1}} {
			costs := wasmsimd.Costs
			costs.MaxLength = c.limit
			p, err := choose(&costs, family(widths))
			require.NoError(t, err)
			if c.want == 1 || name == "briefly" { // else scalar code without work is cheapest
				require.Equal(t, c.want, p.Candidates[p.Chosen].Width, "%s, at most %d", name, c.limit)
			}
			p, err = choose(&costs, family(widths[1:]))
			require.NoError(t, err)
			require.Equal(t, 4, p.Candidates[p.Chosen].Width, "%s, at most %d, no scalar code", name, c.limit)
			p, err = costs.TryRest(p)
			require.NoError(t, err)
			require.Contains(t, p.String(), "too long for the target", name)
		}

		p, err := choose(&wasmsimd.Costs, family(widths[1:]))
		require.NoError(t, err)
		for before := p.Candidates[p.Chosen].Width; before > 4; before = p.Candidates[p.Chosen].Width {
			p, err = wasmsimd.Costs.Narrower(p)
			require.NoError(t, err)
			require.Less(t, p.Candidates[p.Chosen].Width, before, name)
			require.Contains(t, p.String(), "too long for the target", name)
		}
		p, err = wasmsimd.Costs.Narrower(p)
		require.NoError(t, err)
		require.Nil(t, p, "there is no width below 4")
	}
}

// Values that a block does not use rest in memory, and its own temporaries have registers.
func TestSpillsOfUnusedValues(t *testing.T) {
	c := &avx512.Costs
	spills := func(arm int) float64 {
		var made, used, b strings.Builder
		for i := range c.VectorRegisters + 8 {
			fmt.Fprintf(&made, "%%x%d = vload.f32xW %%a, %%m disp %d align 4\n", i, 64*i)
			fmt.Fprintf(&used, "vstore.f32xW %%a, %%x%d, %%m disp %d align 4\n", i, 64*i)
		}
		for i := range arm {
			fmt.Fprintf(&b, "%%y%d = fmul.f32xW %%y%d, %%y%d\n", i+1, i, i)
		}
		return c.Price(function(t, 16, made.String()+fmt.Sprintf(`%%some = slt.i64 %%n, 1000
branch %%some, b3, b4
b3:
%%y0 = vload.f32xW %%a, %%m align 4
%svstore.f32xW %%a, %%y%d, %%m disp 4 align 4
jump b4
b4:
`, b.String(), arm)+used.String())).Parts[plan.Spills]
	}
	require.Positive(t, spills(1))
	require.LessOrEqual(t, spills(40), spills(1))
}

// Masks in vector registers have the lane size of the masked values.
func TestMaskLaneSize(t *testing.T) {
	c := wasmsimd.Costs
	c.Rows = maps.Clone(c.Rows)
	row := c.Rows[alu.And]
	row.Mask = 1000
	c.Rows[alu.And] = row
	masks := func(elem string) float64 {
		return c.Price(function(t, 16, strings.ReplaceAll(`%x = vload.TxW %a, %m align 1
%low = ult.TxW %x, 9
%high = ult.TxW 3, %x
%both = and.i1xW %low, %high
vstore.TxW %a, %x, %both align 1`, "T", elem))).Parts[plan.Masks]
	}
	require.InEpsilon(t, 4, masks("i32")/masks("i8"), 0.1)
	require.InEpsilon(t, 2, masks("i64")/masks("i32"), 0.1)
}

// Shifts by varying amounts are emulated per lane on WebAssembly.
func TestVaryingShifts(t *testing.T) {
	price := func(c *plan.Costs, by string) float64 {
		return c.Price(function(t, 8, `%x = vload.i32xW %a, %m align 4
%n32 = trunc.i32 %n
%s = splat.i32xW %n32
%y = shl.i32xW %x, `+by+`
vstore.i32xW %a, %y, %m align 4`)).Parts[plan.Arithmetic]
	}
	require.Greater(t, price(&wasmsimd.Costs, "%x"), 2*price(&wasmsimd.Costs, "%s"))
	require.InEpsilon(t, price(&avx512.Costs, "%x"), price(&avx512.Costs, "%s"), 0.2)
}

// A cost per vector is lower per work-item at larger widths.
func TestCostsPerVector(t *testing.T) {
	memory := func(width int) float64 {
		return wasmsimd.Costs.Price(function(t, width, stream)).Parts[plan.Contiguous]
	}
	require.Greater(t, memory(4), memory(8))
	require.Greater(t, memory(8), memory(16))
}
