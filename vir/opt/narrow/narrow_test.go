package narrow_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/opt/narrow"
	"github.com/simtc/simtc/vir/virtest"
)

// Random arithmetic on promoted bytes and shorts gives the same results in narrow lanes.
func TestNarrowKeepsResults(t *testing.T) {
	narrowed, saturate := 0, 0
	for seed := range int64(900) {
		text := smallNumbers(rand.New(rand.NewSource(seed)))
		parse := func() *vir.Func {
			f, err := vir.Parse("f", text)
			require.NoError(t, err, text)
			require.NoError(t, vir.Verify(f))
			return f
		}
		m := virtest.NewImage(rand.New(rand.NewSource(seed)))
		want, err := virtest.Run(parse(), m)
		require.NoError(t, err, text)
		f, stats := parse(), opt.Stats{}
		narrow.Narrow(f, stats)
		require.NoError(t, vir.Verify(f), "%s\n%s", text, f)
		got, err := virtest.Run(f, m)
		require.NoError(t, err, "%s\n%s", text, f)
		require.Empty(t, virtest.Differ(want, got), "seed %d\n%s\n%s", seed, text, f)
		narrowed += stats["operations narrowed"]
		saturate += stats["operations saturated"]
	}
	require.Greater(t, narrowed, 3000)
	require.Greater(t, saturate, 200)
}

// smallNumbers returns a random function that computes with extended bytes and shorts and stores
// some of the results, or their low bits.
func smallNumbers(rng *rand.Rand) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	of := func(list ...string) string { return list[rng.Intn(len(list))] }
	b.WriteString("vir f width 16 scratch 0 {\nentry:\n")
	line("%%c = context")
	line("%%args = load.i64 %%c disp 184 align 8 invariant")
	line("%%p = load.i64 %%args align 8 invariant")
	line("%%q = load.i64 %%args disp 8 align 8 invariant")
	var numbers, masks []string
	for i := range 4 {
		t := of("i8", "i8", "i16")
		line("%%l%d = vload.%sx16 %%p, true:i1x16 disp %d align 1", i, t, 32*i)
		line("%%x%d = %s.i32x16 %%l%d", i, of("zext", "zext", "sext"), i)
		numbers = append(numbers, fmt.Sprintf("%%x%d", i))
	}
	line("%%m = slt.i32x16 %%x0, %%x1")
	masks = append(masks, "%m")
	if rng.Intn(3) == 0 {
		line("%%w = vload.i32x16 %%p, true:i1x16 disp 256 align 4")
		numbers = append(numbers, "%w")
	}
	// Recent values are preferred, which gives large connected webs.
	number := func() string { return numbers[len(numbers)-1-min(rng.Intn(len(numbers)), rng.Intn(len(numbers)))] }
	operand := func() string {
		if rng.Intn(3) > 0 {
			return number()
		}
		return fmt.Sprint([]int{0, 1, 2, 3, 7, 48, 100, 127, 128, 255, 256, 1000, 32767, 65535, -1, -3, -128, -200}[rng.Intn(18)])
	}
	// Two edges to the same block with different arguments.
	joins := 0
	join := func() {
		joins++
		here := fmt.Sprintf("j%d", joins)
		var params, first, second []string
		n := 1 + rng.Intn(2)
		for i := range n {
			params = append(params, fmt.Sprintf("%%%s_%d: i32x16", here, i))
			first, second = append(first, operand()), append(second, operand())
		}
		line("%%b%d = load.i32 %%p disp %d align 4", joins, 4*joins)
		line("%%c%d = slt.i32 0, %%b%d", joins, joins)
		line("branch %%c%d, %s(%s), %s(%s)", joins, here, strings.Join(first, ", "), here, strings.Join(second, ", "))
		fmt.Fprintf(&b, "%s(%s):\n", here, strings.Join(params, ", "))
		for i := range n {
			numbers = append(numbers, fmt.Sprintf("%%%s_%d", here, i))
		}
	}
	// Sums of nonnegative values that are only compared may saturate.
	count := func(i int) {
		sum := []string{"%x0", "%x1", "%x2", "%x3"}[rng.Intn(4)]
		for k := range 2 + rng.Intn(4) {
			next := fmt.Sprintf("%%s%d_%d", i, k)
			line("%s = %s.i32x16 %s, %s", next, of("add", "add", "add", "sub"), sum, of("%x0", "%x1", "%x2", "%x3", "1", "100"))
			sum = next
		}
		if rng.Intn(4) == 0 {
			numbers = append(numbers, sum)
			join()
			sum = fmt.Sprintf("%%j%d_0", joins)
		}
		for k := range 1 + rng.Intn(3) {
			r, c := fmt.Sprintf("%%k%d_%d", i, k), of("0", "1", "3", "7", "100", "254", "255", "256", "-1")
			if rng.Intn(3) == 0 {
				line("%s = %s.i32x16 %s, %s", r, of("smin", "smax", "umin"), sum, c)
				numbers = append(numbers, r)
				continue
			}
			if rng.Intn(2) == 0 {
				line("%s = %s.i32x16 %s, %s", r, of("eq", "ne", "slt", "sle", "ult", "ule"), sum, c)
			} else {
				line("%s = %s.i32x16 %s, %s", r, of("slt", "sle", "ult", "ule"), c, sum)
			}
			masks = append(masks, r)
		}
	}
	counts := rng.Intn(2) == 0
	for i := range 8 + rng.Intn(16) {
		if counts && rng.Intn(3) == 0 {
			count(i)
			continue
		}
		if rng.Intn(12) == 0 {
			join()
		}
		r := fmt.Sprintf("%%y%d", i)
		switch rng.Intn(10) {
		case 0, 1, 2:
			line("%s = %s.i32x16 %s, %s", r, of("add", "sub", "and", "or", "xor"), number(), operand())
		case 3:
			line("%s = %s.i32x16 %s, %s", r, of("smin", "smax", "umin", "umax"), number(), operand())
		case 4:
			line("%s = mul.i32x16 %s, %s", r, number(), operand())
		case 5:
			line("%s = %s.i32x16 %s, %d", r, of("shl", "lshr", "ashr"), number(), rng.Intn(12))
		case 6:
			line("%s = abs.i32x16 %s", r, number())
		case 7, 8:
			line("%s = %s.i32x16 %s, %s", r, of("eq", "ne", "slt", "sle", "ult", "ule"), number(), operand())
			masks = append(masks, r)
			continue
		default:
			line("%s = select.i32x16 %s, %s, %s", r, masks[rng.Intn(len(masks))], number(), operand())
		}
		numbers = append(numbers, r)
	}
	for i := range 4 {
		x, mask := number(), "true:i1x16"
		if rng.Intn(2) == 0 {
			mask = masks[rng.Intn(len(masks))]
		}
		t := of("i8", "i8", "i16", "i32")
		if t != "i32" {
			line("%%s%d = trunc.%sx16 %s", i, t, x)
			x = fmt.Sprintf("%%s%d", i)
		}
		line("vstore.%sx16 %%q, %s, %s disp %d align 1", t, x, mask, 64*i)
	}
	b.WriteString("  return\n}\n")
	return b.String()
}
