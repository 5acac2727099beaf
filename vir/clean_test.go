package vir

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParamsRoundIrreducibleCycles checks that parameters passed around a cycle with
// several entries are removed if they always have the same value.
func TestParamsRoundIrreducibleCycles(t *testing.T) {
	f, err := Parse("", `vir k width 1 scratch 0 {
b0.entry:
  %0 = context
  %1 = load.i64 %0 disp 8 align 8
  jump b1.loop(0, %1)
b1.loop(%2: i64, %3: i64):
  %4 = slt.i64 %3, 5
  branch %4, b2.first(%0, %3, %2), b3.second(%0, %3, %2)
b2.first(%5: i64, %6: i64, %7: i64):
  %8 = add.i64 %6, 1
  jump b3.second(%5, %8, %7)
b3.second(%9: i64, %10: i64, %11: i64):
  %12 = shl.i64 %10, 1
  %13 = slt.i64 %12, 100
  branch %13, b2.first(%9, %12, %11), b4.again(%9, %11)
b4.again(%14: i64, %15: i64):
  store.i64 %14, %15 disp 16 align 8
  %17 = add.i64 %15, 1
  %18 = slt.i64 %17, 9
  branch %18, b1.loop(%17, %1), b5.end
b5.end:
  return
}`)
	require.NoError(t, err)
	RemoveTrivialParams(f)
	require.NoError(t, Verify(f))
	for i, want := range []int{0, 1, 1, 1, 0, 0} { // one counter each
		require.Len(t, f.Blocks[i].Params, want, "%s", f)
	}
	store := f.Blocks[4].Values[0]
	require.Equal(t, f.Blocks[0].Values[0], store.Args[0])
	require.Equal(t, f.Blocks[1].Params[0], store.Args[1])
}
