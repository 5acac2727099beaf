package combine_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/opttest"
)

// Random sums of products of bytes.
func TestDotProductsKeepResults(t *testing.T) {
	stats := opttest.Keeps(t, 400, combine.DotProducts, byteProducts)
	require.Greater(t, stats["dot products formed"], 400)
	require.Greater(t, stats["byte loads merged"], 50)
}

// byteProducts writes a function that sums products of bytes in random order.
func byteProducts(rng *rand.Rand) string {
	var body strings.Builder
	n := 0
	emit := func(format string, args ...any) string {
		n++
		fmt.Fprintf(&body, "  %%t%d = %s\n", n, fmt.Sprintf(format, args...))
		return fmt.Sprintf("%%t%d", n)
	}
	pick := func(forms ...func() string) string { return forms[rng.Intn(len(forms))]() }
	// byteOf extracts byte k of a vector, of a broadcast integer or from memory.
	byteOf := func(source, k int, signed bool) string {
		shift, extend := "lshr", "zext"
		if signed {
			shift, extend = "ashr", "sext"
		}
		of := func(x, t string) string {
			top := func() string { return emit("%s.%s %s, 24", shift, t, emit("shl.%s %s, %d", t, x, 24-8*k)) }
			masked := func() string {
				return emit("%s.%s %s, 24", shift, t, emit("and.%s %s, -16777216", t, emit("shl.%s %s, %d", t, x, 24-8*k)))
			}
			if signed {
				return pick(top, masked)
			}
			return pick(top, masked, func() string { return emit("and.%s %s, 255", t, emit("lshr.%s %s, %d", t, x, 8*k)) })
		}
		switch source {
		case 2:
			return emit("splat.i32x8 %s", of("%s", "i32"))
		case 3:
			return emit("splat.i32x8 %s", emit("%s.i32 %%b%d", extend, k))
		}
		return of([]string{"%x", "%y"}[source], "i32x8")
	}
	var terms []string
	for range 1 + rng.Intn(3) {
		a, b := rng.Intn(4), rng.Intn(4)
		signedA, signedB := rng.Intn(2) == 0, rng.Intn(2) == 0
		constant, limit := rng.Intn(4) == 0, 128+rng.Intn(129)
		for k := range 4 {
			switch x := byteOf(a, k, signedA); {
			case constant:
				terms = append(terms, emit("mul.i32x8 %s, %d", x, rng.Intn(limit)-rng.Intn(2)*(limit-128)))
			case rng.Intn(40) == 0: // another byte
				terms = append(terms, emit("mul.i32x8 %s, %s", x, byteOf(b, rng.Intn(4), signedB)))
			default:
				terms = append(terms, emit("mul.i32x8 %s, %s", x, byteOf(b, k, signedB)))
			}
		}
	}
	for _, more := range []string{"%x", "%acc", "1000"} {
		if rng.Intn(4) == 0 {
			terms = append(terms, more)
		}
	}
	rng.Shuffle(len(terms), func(i, j int) { terms[i], terms[j] = terms[j], terms[i] })
	for len(terms) > 1 {
		i := 1 + rng.Intn(len(terms)-1)
		terms[0] = emit("add.i32x8 %s, %s", terms[i], terms[0])
		terms = append(terms[:i], terms[i+1:]...)
	}
	sum := terms[0]
	if rng.Intn(3) == 0 {
		sum = emit("saddsat.i32x8 %s, %%y", sum)
	}
	return fmt.Sprintf(`vir f width 8 scratch 0 {
entry:
  %%c = context
  %%args = load.i64 %%c disp 184 align 8 invariant
  %%p = load.i64 %%args align 8 invariant
  %%out = load.i64 %%args disp 16 align 8 invariant
  %%y = vload.i32x8 %%p, true:i1x8 disp 64 align 4
  jump loop(0, %%y)
loop(%%i: i64, %%acc: i32x8):
  %%at = add.i64 %%p, %%i
  %%x = vload.i32x8 %%at, true:i1x8 align 4
  %%s = load.i32 %%at disp 100 align 4
  %%b1 = load.i8 %%at disp 133 align 1
  %%b0 = load.i8 %%at disp 132 align 4
  %%b2 = load.i8 %%at disp 134 align 1
  %%b3 = load.i8 %%at disp 135 align 1
%s  vstore.i32x8 %%out, %s, true:i1x8 align 4
  %%j = add.i64 %%i, 4
  %%more = slt.i64 %%j, 40
  branch %%more, loop(%%j, %s), done
done:
  return
}
`, body.String(), sum, sum)
}
