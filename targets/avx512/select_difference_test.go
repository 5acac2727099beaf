package avx512

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A subtraction serves as the comparison of the branch after it, if its result is unused
// before the branch.
func TestSubtractionsAreComparisons(t *testing.T) {
	loop := func(test, more string) string {
		out, _ := scalarListing(t, fmt.Sprintf(`  %%m = load.i32 %%p align 4
  %%k = load.i32 %%p disp 4 align 4
  jump loop(%%m)
loop(%%n: i32):
  store.i32 %%p, %%n align 4
  %%less = add.i32 %%n, -3
  %%other = sub.i32 %%n, %%k
  %s
  branch %%t, body, end
body:
  %s
  jump loop(%%less)
end:
  return
`, test, more))
		return out
	}
	plain := "store.i32 %p, 5:i32 disp 4 align 4"
	for _, test := range []struct{ test, jumps string }{
		{"%t = slt.i32 %n, 3", "jge|jl "},
		{"%t = sle.i32 3, %n", "jge|jl "},
		{"%t = slt.i32 2, %n", "jge|jl "},
		{"%t = ult.i32 %n, 4", "jbe|ja "},
		{"%t = eq.i32 %n, 3", "je|jne "},
	} {
		out := loop(test.test, plain)
		require.Regexp(t, `(sub e\w+, 3|add e\w+, -3|sub r\w+d, 3)\n(`+test.jumps+")", out, test.test)
		require.NotContains(t, out, "cmp ", test.test)
	}
	out := loop("%t = ult.i32 %k, %n", "store.i32 %p, %other disp 4 align 4")
	require.Regexp(t, `sub e\w+, (e\w+|r\w+d)\n(ja|jbe) `, out)
	for _, test := range []string{"%t = slt.i32 %n, 5", "%t = slt.i32 %less, 3", "%t = eq.i32 %n, 4"} {
		require.Contains(t, loop(test, plain), "cmp ", test)
	}
	// A constant that does not fit an immediate is compared separately.
	wide, _ := scalarListing(t, `  %n = load.i64 %p align 8
  %d = sub.i64 %n, 81985529216486895
  %t = ult.i64 %n, 81985529216486895
  branch %t, low, high(%d)
low:
  store.i32 %p, 1:i32 align 4
  return
high(%h: i64):
  store.i64 %p, %h align 8
  return
`)
	require.Contains(t, wide, "cmp ")
	early := loop("store.i32 %p, %less disp 8 align 4\n  %t = slt.i32 %n, 3", plain)
	require.Contains(t, early, "cmp ")
	require.Equal(t, 1, strings.Count(early, "lea "), "%s", early)
}
