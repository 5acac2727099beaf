package slp_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt/opttest"
	"github.com/simtc/simtc/vir/opt/slp"
)

// Bit tests of two values and other conditions, joined in random order; some have other uses.
func TestAnyOfKeepsConditions(t *testing.T) {
	stats := opttest.Keeps(t, 300, slp.AnyOf, func(rng *rand.Rand) string {
		var s strings.Builder
		s.WriteString(`vir f width 1 scratch 0 {
entry:
  %c = context
  %args = load.i64 %c disp 184 align 8 invariant
  %p = load.i64 %args disp 8 align 8 invariant
  %out = load.i64 %args disp 16 align 8 invariant
  %x = load.i32 %p align 4
  %y = load.i32 %p disp 4 align 4
`)
		n := 4 + rng.Intn(16)
		conditions := make([]string, n)
		for i := range conditions {
			conditions[i] = fmt.Sprintf("%%t%d", i)
			if rng.Intn(8) == 0 {
				fmt.Fprintf(&s, "  %%t%d = ult.i32 %%x, %d\n", i, rng.Intn(1000))
				continue
			}
			mask := rng.Uint32() & rng.Uint32() & rng.Uint32()
			value := mask & opttest.Pick(rng, rng.Uint32(), mask, mask)
			fmt.Fprintf(&s, "  %%a%d = and.i32 %s, %d\n  %%t%d = eq.i32 %%a%d, %d\n", i, opttest.Pick(rng, "%x", "%x", "%x", "%y"), mask, i, i, value)
		}
		for i := n; len(conditions) > 1; i++ {
			k := rng.Intn(len(conditions) - 1)
			fmt.Fprintf(&s, "  %%t%d = or.i1 %s, %s\n", i, conditions[k], conditions[k+1])
			conditions = append(append(conditions[:k:k], fmt.Sprintf("%%t%d", i)), conditions[k+2:]...)
			if rng.Intn(16) == 0 {
				fmt.Fprintf(&s, "  %%u%d = zext.i32 %%t%d\n  store.i32 %%out, %%u%d disp %d align 4\n", i, i, i, 4*i)
			}
		}
		fmt.Fprintf(&s, "  %%u = zext.i32 %s\n  store.i32 %%out, %%u align 4\n  return\n}\n", conditions[0])
		return s.String()
	})
	require.Greater(t, stats["bit tests merged"], 100)
}
