package induction_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt/induction"
	"github.com/simtc/simtc/vir/opt/opttest"
)

// Loop-carried values multiplied by random factors, with additions and subtractions before and
// after the multiplication.
func TestHornerKeepsResults(t *testing.T) {
	stats := opttest.Keeps(t, 400, induction.Horner, func(rng *rand.Rand) string {
		var s strings.Builder
		typ := opttest.Pick(rng, "i32", "i64", "i16")
		fmt.Fprintf(&s, `vir f width 1 scratch 0 {
entry:
  %%c = context
  %%args = load.i64 %%c disp 184 align 8 invariant
  %%p = load.i64 %%args disp 8 align 8 invariant
  %%out = load.i64 %%args disp 16 align 8 invariant
  jump loop(0, 1, 2)
loop(%%i: i64, %%h: %s, %%g: %s):
  %%at = add.i64 %%p, %%i
  %%x = load.%s %%at align 1
  %%y = load.%s %%at disp 40 align 1
`, typ, typ, typ, typ)
		values, last := []string{"%x", "%y", "%h", "%g"}, "%h"
		for i := range 2 + rng.Intn(6) {
			v := fmt.Sprintf("%%v%d", i)
			other := opttest.Pick(rng, values...)
			if rng.Intn(2) == 0 {
				k := 1 << (1 + rng.Intn(14))
				fmt.Fprintf(&s, "  %s = mul.%s %s, %d\n", v, typ, last, opttest.Pick(rng, k, k-1, k+1, k+1, 3+rng.Intn(1000)))
			} else {
				a, b := last, other
				if rng.Intn(3) == 0 {
					a, b = b, a
				}
				fmt.Fprintf(&s, "  %s = %s.%s %s, %s\n", v, opttest.Pick(rng, "add", "add", "sub", "xor"), typ, a, b)
			}
			if rng.Intn(5) == 0 {
				values = append(values, v)
			}
			last = v
		}
		fmt.Fprintf(&s, `  %%j = add.i64 %%i, 1
  %%on = ult.i64 %%j, 20
  branch %%on, loop(%%j, %s, %s), done
done:
  store.%s %%out, %s align 8
  return
}
`, last, opttest.Pick(rng, values...), typ, last)
		return s.String()
	})
	require.Greater(t, stats["recurrent multiplications shortened"], 150)
}
