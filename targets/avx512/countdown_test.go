package avx512

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// countedLoopText is a loop that ends when no lane is active or a counter reaches its limit.
// %v is another value that it carries.
const countedLoopText = `vir f width 16 scratch 0 {
b0:
  %c = context
  %p = load.i64 %c disp 184 align 8
  %limit = load.i32 %p align 4
  %x = load.i32 %p disp 4 align 4
  %v = splat.i32x16 %x
  jump loop(true:i1x16, 0:i32, %v)
loop(%m: i1x16, %n: i32, %y: i32x16):
  %z = mul.i32x16 %y, 5
  %t = ne.i32x16 %z, 77
  %k = and.i1x16 %m, %t
  %any = any.i1x16 %k
  %next = add.i32 %n, 1
  %test = COMPARE.i32 %next, %limit
  %go = and.i1 %any, %test
  branch %go, loop(%k, %next, %z), end
end:
  USE
  return
}
`

// Such a loop counts its iterations down and has no other test at its end.
func TestIterationsCountDown(t *testing.T) {
	for _, compare := range []string{"slt", "ult"} {
		text := strings.ReplaceAll(countedLoopText, "COMPARE", compare)
		loop := func(use string) string {
			out, _ := listing(t, strings.ReplaceAll(text, "USE", use))
			_, out, found := strings.Cut(out, "vpmulld")
			require.True(t, found)
			out, _, found = strings.Cut(out, "\nja ")
			require.True(t, found)
			return out
		}
		alone := loop("store.i32 %p, %x align 4")
		require.Regexp(t, `ktestw k\d, k\d\ndec r[a-z0-9]+$`, alone)
		require.NotContains(t, alone, "cmp e")
		require.NotContains(t, alone, "lea")
		require.Equal(t, 1, strings.Count(alone, "dec r"))
		used := loop("store.i32 %p, %next align 4")
		require.NotContains(t, used, "cmp e")
		require.Contains(t, used, "0x1]", "the counter is used after the loop")
	}
	other, _ := listing(t, strings.NewReplacer("COMPARE", "eq", "USE", "store.i32 %p, %x align 4").Replace(countedLoopText))
	require.Contains(t, other, "cmp ")
}
