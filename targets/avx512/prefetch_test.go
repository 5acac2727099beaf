package avx512

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A vector is prefetched line by line, including the line of its end if it is not
// aligned; the load keeps its mask.
func TestLoadsPrefetched(t *testing.T) {
	for _, c := range []struct {
		elem         string
		lanes, align int
		lines        int
	}{{"i32", 16, 4, 2}, {"i32", 16, 64, 1}, {"i32", 64, 4, 5}, {"f64", 64, 64, 8}, {"f64", 32, 8, 5}, {"i8", 64, 1, 2}, {"i16", 64, 2, 3}, {"i8", 16, 16, 1}} {
		out, _ := listing(t, fmt.Sprintf(`vir f width %[2]d scratch 0 {
b0:
  %%c = context
  %%p = load.i64 %%c disp 184 align 8
  %%m = vload.i8x%[2]d %%p, true:i1x%[2]d align 1
  %%k = ne.i8x%[2]d %%m, 0
  %%x = vload.%[1]sx%[2]d %%p, %%k disp 4096 align %[3]d ahead
  vstore.%[1]sx%[2]d %%p, %%x, true:i1x%[2]d align %[3]d
  return
}
`, c.elem, c.lanes, c.align))
		require.Equal(t, c.lines, strings.Count(out, "prefetcht0 "), "%v\n%s", c, out)
		require.NotContains(t, out[:strings.Index(out, "prefetcht0")], "{k", "prefetched before the mask is computed")
	}
}
