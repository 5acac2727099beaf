package avx512

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// rows is a loop over rows of a sparse matrix. Row i has 32 columns, which start at i*32 if
// START is a multiple of i, or at a loaded offset.
const rows = `vir f width 1 scratch 0 {
b0.entry:
  %c = context
  %n = load.i64 %c disp 24 align 8
  %args = load.i64 %c disp 184 align 8
  %p = load.i64 %args align 8
  %q = load.i64 %args disp 8 align 8
  %x = load.i64 %args disp 16 align 8
  jump b1.strip(0)
b1.strip(%i: i64):
  %at = shl.i64 %i, 2
  %from = add.i64 %q, %at
  %loaded = load.i32 %from align 4
  %long = sext.i64 %loaded
  %other = shl.i64 %i, 5
  %listed = mul.i64 %long, 24
  %end = load.i64 %from disp 4 align 4
  jump b2.loop(START, 0)
b2.loop(%k: i64, %sum: i32):
  %t = slt.i64 %k, %end
  branch %t, b3.body, b4.done
b3.body:
  %k4 = shl.i64 %k, 2
  %pk = add.i64 %p, %k4
  %column = load.i32 %pk align 4
  %c64 = sext.i64 %column
  %c4 = shl.i64 %c64, 2
  %xk = add.i64 %x, %c4
  %y = load.i32 PLACE align 4
  %z = xor.i32 %sum, %y
  %k1 = add.i64 %k, 1
  jump b2.loop(%k1, %z)
b4.done:
  store.i32 %from, %sum align 4
  %i1 = add.i64 %i, 1
  %more = slt.i64 %i1, %n
  branch %more, b1.strip(%i1), b5.exit
b5.exit:
  return
}
`

// Later rows are prefetched, as many lines as a row has, if rows have a constant
// stride. Rows at loaded offsets, rows that all
// work-items share, and rows of loops without indirect loads are not prefetched.
func TestStreamsPrefetched(t *testing.T) {
	for _, c := range []struct {
		start, place string
		lines        int
	}{{"%other", "%xk", 2}, {"%long", "%xk", 0}, {"%listed", "%xk", 0}, {"7", "%xk", 0}, {"%other", "%pk disp 64", 0}} {
		f, err := vir.Parse("f.vir", strings.NewReplacer("START", c.start, "PLACE", c.place).Replace(rows))
		require.NoError(t, err)
		for _, ahead := range []bool{false, true} {
			code, err := Compile(f, Options{FetchAhead: ahead})
			require.NoError(t, err)
			lines := 0
			if ahead {
				lines = c.lines
			}
			require.Equal(t, lines, strings.Count(code.Listing(), "prefetcht0 "), "%v\n%s", c, code.Listing())
			require.Equal(t, min(lines, 1), code.Stats.Fetched)
		}
	}
}
