package avx512

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Products with 3, 5 and 9 are sums, including an added constant.

func TestSmallProductsAreSums(t *testing.T) {
	out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %a = mul.i32 %x, 3
  store.i32 %p, %a align 4
  %b = mul.i32 %x, 9
  %c1 = add.i32 %b, 1000
  store.i32 %p, %c1 disp 4 align 4
  %y = load.i64 %p disp 8 align 8
  %d = mul.i64 %y, 5
  %e = add.i64 %d, -1
  store.i64 %p, %e disp 8 align 8
  %f = mul.i64 %y, 7
  store.i64 %p, %f disp 16 align 8
  return
`)
	for _, form := range []string{"*2]\n", "*8+0x3e8]\n", "*4-0x1]\n"} {
		require.Contains(t, out, form)
	}
	require.Equal(t, 1, strings.Count(out, "imul"), "%s", out)
}
