package avx512

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a chain of combined comparisons only the first is extended to a whole register, and the
// flags of the last operation serve the select.
func TestJoinedComparisonsExtendOnce(t *testing.T) {
	out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %y = load.i32 %p disp 4 align 4
  %a = eq.i32 %x, 1
  %b = slt.i32 %x, %y
  %d = or.i1 %a, %b
  %e = ult.i32 %y, 100
  %f = xor.i1 %d, %e
  %g = select.i32 %f, %x, %y
  store.i32 %p, %g disp 8 align 4
  return
`)
	require.Equal(t, 3, strings.Count(out, "set"), "%s", out)
	require.Equal(t, 1, strings.Count(out, "movzx"), "%s", out)
	require.NotContains(t, out, "test")
}

// The operation that combines two bits overwrites the one whose upper bits are clear, even
// if that one has later uses and the other has none.
func TestJoinedBytesKeepOperandOrder(t *testing.T) {
	out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %y = load.i32 %p disp 4 align 4
  %a = eq.i32 %x, 1
  %b = slt.i32 %x, %y
  %d = or.i1 %a, %b
  %e = zext.i32 %d
  %f = zext.i32 %a
  store.i32 %p, %e disp 8 align 4
  store.i32 %p, %f disp 12 align 4
  return
`)
	require.Equal(t, 1, strings.Count(out, "movzx"), "%s", out)
	require.Regexp(t, `\nmov \w+, \w+\nor `, out)
}
