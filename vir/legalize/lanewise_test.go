package legalize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/avx2"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// TestLanesAreStoredWithoutBranches checks that stores of single lanes have selected addresses, and
// branches only on whether all or any lanes are active.
func TestLanesAreStoredWithoutBranches(t *testing.T) {
	for store, branches := range map[string]int{
		"vstore.i8x16 %p, %x, %m align 1":                      2,
		"scatter.i8x16 %p, %i, %x, %m scale 1 align 1":         4, // in two halves
		"vstore.i8x16 %p, %x, true:i1x16 align 1":              0,
		"scatter.i8x16 %p, %i, %x, true:i1x16 scale 1 align 1": 0,
	} {
		f, err := vir.Parse("in.vir", `vir f width 16 scratch 0 {
b0:
  %c = context
  %p = load.i64 %c disp 184 align 8
  %n = load.i64 %c disp 24 align 8
  %m = prefix.i1x16 %n at 0
  %x = vload.i8x16 %p, true:i1x16 align 1
  %i = vload.i32x16 %p, true:i1x16 disp 64 align 4
  `+store+`
  return
}
`)
		require.NoError(t, err)
		g, err := legalize.Func(f, avx2.Legal)
		require.NoError(t, err)
		got := 0
		for _, b := range g.Blocks {
			if len(b.Edges) > 1 {
				got++
			}
		}
		require.Equal(t, branches, got, "%s\n%s", store, g)
	}
}
