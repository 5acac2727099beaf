package avx512

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// A short jump target at the end of an iteration does not cross a cache line at any
// offset, nor does a small innermost loop.
func TestShortTargetsShareALine(t *testing.T) {
	padded := 0
	for before := range 40 {
		var s strings.Builder
		s.WriteString(`vir f width 1 scratch 0 {
b0:
  %c = context
  %p = load.i64 %c disp 184 align 8
  jump outer(0)
outer(%o: i32):
  jump loop(0, 0)
loop(%i: i64, %n: i32):
  %a = add.i64 %p, %i
  %x = load.i8 %a align 1
  %e = eq.i8 %x, 33
  branch %e, found, next(%n)
found:
`)
		for k := range before {
			fmt.Fprintf(&s, "  store.i8 %%a, %d:i8 disp %d align 1\n", k, 8*k)
		}
		s.WriteString(`  %m = add.i32 %n, 1
  jump next(%m)
next(%k: i32):
  %j = add.i64 %i, 1
  store.i32 %p, %k align 4
  %y = load.i32 %p disp 4 align 4
  %l = slt.i32 %k, %y
  branch %l, loop(%j, %k), done
done:
  %q = add.i32 %o, 1
  %r = load.i32 %p disp 8 align 4
  %g = slt.i32 %q, %r
  branch %g, outer(%q), end
end:
  return
}
`)
		f, err := vir.Parse("f", s.String())
		require.NoError(t, err)
		code, err := Compile(f, Options{})
		require.NoError(t, err)
		lines := slices.DeleteFunc(strings.Split(code.Listing(), "\n"), func(s string) bool { return strings.HasPrefix(s, "#") })
		at := func(i int) int { // the offset of the instruction in line i
			_, rest, ok := strings.Cut(lines[i], "# ")
			require.True(t, ok, lines[i])
			n, err := strconv.ParseInt(rest[:5], 16, 64)
			require.NoError(t, err)
			return int(n)
		}
		for i, line := range lines {
			if !strings.Contains(line, ".balign 64, , ") {
				continue
			}
			if _, bytes, _ := strings.Cut(strings.TrimSpace(line), "# "); len(strings.Fields(bytes)) > 1 {
				padded++
			}
			end := i + 2 // after the label
			for !strings.Contains(lines[end], "\tj") {
				end++
			}
			first := i + 2
			require.Equal(t, at(first)/64, at(end)/64, "%d\n%s", before, strings.Join(lines, "\n"))
		}
	}
	require.Positive(t, padded)
}
