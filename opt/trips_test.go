package opt_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// MaxTripCount considers constant trip counts of outer loops, not those of inner loops or
// those that depend on arguments.
func TestMaxTripCount(t *testing.T) {
	trips := func(start, step, test string) int {
		m, err := kernel.Parse("x", fmt.Sprintf(`kernel k {
  arg p buffer ptr.global uint 1 "uint*"
  arg n scalar i32 int 1 "int"
b0:
  %%p = arg.ptr.global 0
  %%n = arg.i32 1
  jump b1(%s)
b1(%%i: i32):
  %%t = %s
  branch %%t, b2, b5
b2:
  jump b3(0)
b3(%%k: i32):
  store.i32 %%p, %%k align 4
  %%k1 = add.i32 %%k, 1
  %%s = slt.i32 %%k1, 77
  branch %%s, b3(%%k1), b4
b4:
  %%j = %s
  jump b1(%%j)
b5:
  return
}
`, start, test, step))
		require.NoError(t, err)
		return opt.MaxTripCount(m.Funcs[0], 100)
	}
	require.Equal(t, 30, trips("0", "add.i32 %i, 1", "slt.i32 %i, 30"))
	require.Equal(t, 5, trips("1", "mul.i32 %i, 3", "slt.i32 %i, 100"))
	require.Equal(t, 0, trips("9", "add.i32 %i, 1", "slt.i32 %i, 9"))
	require.Equal(t, 100, trips("0", "add.i32 %i, 1", "slt.i32 %i, 1000"))
	require.Equal(t, 0, trips("0", "add.i32 %i, 1", "slt.i32 %i, %n"))
	require.Equal(t, 0, trips("%n", "add.i32 %i, 1", "slt.i32 %i, 30"))
}
