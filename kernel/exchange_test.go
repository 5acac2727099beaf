package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

const placed = `kernel placed {
  reqd_work_group_size 4 8 2
  arg out buffer ptr.global int 1 "__global int *"
b0.entry:
  %0 = globalid 0
  %1 = localid 1
  %2 = numgroups 2
  %3 = workdim
  %4 = add.i64 %0, %1
  %5 = add.i64 %4, %2
  %6 = add.i64 %5, %3
  %7 = trunc.i32 %6
  %8 = arg.ptr.global 0
  store.i32 %8, %7 align 4
  return
}
`

// Exchanged renames the dimensions of all queries but those of a launch as a whole, and the same
// exchange twice changes nothing.
func TestExchangedDimensions(t *testing.T) {
	m, err := kernel.Parse("placed.simt", placed)
	require.NoError(t, err)
	f := m.Funcs[0]
	before := f.String()
	require.Equal(t, [3]bool{true, true, false}, f.LaneDims())
	for d, want := range []struct {
		index    [4]int
		required [3]int
	}{{[4]int{0, 1, 2, 0}, [3]int{4, 8, 2}}, {[4]int{1, 0, 2, 0}, [3]int{8, 4, 2}}, {[4]int{2, 1, 0, 0}, [3]int{2, 8, 4}}} {
		g := kernel.Exchanged(f, d)
		require.NoError(t, kernel.Verify(g))
		names := []string{"get_global_id(0)", "get_local_id(1)", "get_num_groups(2)", "get_work_dim()"}
		for i, v := range g.Blocks[0].Values[:4] {
			require.Equal(t, want.index[i], v.Index, "dimension %d: %s", d, kernel.FormatValue(v))
			require.Equal(t, names[i], kernel.Describe(v), "names are those of the source")
		}
		require.Equal(t, want.required, g.ReqdWorkGroupSize)
		require.Equal(t, before, kernel.Exchanged(g, d).String())
	}
	require.Equal(t, before, f.String())
}

// Sub-groups are numbered along dimension 0, so their lanes cannot lie along another one.
func TestLaneDimsOfSubGroups(t *testing.T) {
	m, err := kernel.Parse("k.simt", "kernel k {\n  arg out buffer ptr.global int 1 \"__global int *\"\nb0.entry:\n  %0 = globalid 1\n  %1 = lane\n  %2 = arg.ptr.global 0\n  store.i32 %2, %1 align 4\n  return\n}\n")
	require.NoError(t, err)
	require.Equal(t, [3]bool{true}, m.Funcs[0].LaneDims())
}
