package builtins_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/types"
)

// TestGroupRows checks that every sub-group and work-group function has a body for each
// of its types, and accepts vectors if it is documented to.
func TestGroupRows(t *testing.T) {
	uint4 := types.VectorOf(types.UInt, 4)
	kinds := []*types.Scalar{
		types.Char, types.UChar, types.Short, types.UShort, types.Int, types.UInt, types.Long, types.ULong,
		types.Half, types.Float, types.Double,
	}
	tested := 0
	for _, f := range builtins.Names() {
		if f.Group == nil {
			continue
		}
		result, list, _ := strings.Cut(strings.TrimSuffix(f.Sig, ")"), "(")
		resolved := 0
		for _, s := range kinds {
			for _, n := range []int{1, 3} {
				T := types.VectorOf(s, n)
				byLetter := map[string]types.Type{"T": T, "i": types.Int, "u": types.UInt, "z": types.SizeT, "b": uint4}
				var args []types.Type
				if list != "" {
					for _, p := range strings.Split(list, ",") {
						require.Contains(t, byLetter, p, f.Name)
						args = append(args, byLetter[p])
					}
				}
				got, params, handle, err := builtins.Library{}.Lookup(f.Name, args)
				if n > 1 && !f.Group.Vectors && strings.Contains(list, "T") {
					require.Error(t, err, f.Name)
					continue
				}
				if s.IsFloat() && err != nil {
					require.ErrorContains(t, err, "it does not work on", f.Name)
					continue
				}
				require.NoError(t, err, "%s of %s", f.Name, T)
				require.Len(t, params, len(args))
				require.True(t, types.Identical(byLetter[result], got), f.Name)
				fn, err := builtins.GroupBody(handle.(*builtins.Call))
				require.NoError(t, err, "%s of %s", f.Name, T)
				require.Len(t, fn.Params, len(args), f.Name)
				resolved++
			}
		}
		require.Positive(t, resolved, f.Name)
		tested++
	}
	require.Greater(t, tested, 90)
}

func TestAsyncCopies(t *testing.T) {
	to := func(space types.Space, e types.Type) types.Type { return &types.Pointer{Elem: e, Space: space} }
	event := types.ByName("event_t")
	float3 := types.VectorOf(types.Float, 3)
	for _, c := range []struct {
		name  string
		args  []types.Type
		fault string
	}{
		{"async_work_group_copy", []types.Type{to(types.Local, float3), to(types.Global, float3), types.Int, event}, ""},
		{"async_work_group_copy", []types.Type{to(types.Global, types.Half), to(types.Local, types.Half), types.Int, types.Int}, ""},
		{"async_work_group_strided_copy", []types.Type{to(types.Local, types.Char), to(types.Global, types.Char), types.Int, types.Int, event}, ""},
		{"async_work_group_copy", []types.Type{to(types.Local, types.Int)}, "it takes 4 arguments"},
		{"async_work_group_copy", []types.Type{to(types.Local, types.Int), types.Int, types.Int, event}, "must be pointers"},
		{"async_work_group_copy", []types.Type{to(types.Local, types.Int), to(types.Global, types.UInt), types.Int, event}, "to the same type"},
		{"async_work_group_copy", []types.Type{to(types.Local, types.Int), to(types.Local, types.Int), types.Int, event}, "or back"},
		{"async_work_group_copy", []types.Type{to(types.Local, event), to(types.Global, event), types.Int, event}, "does not copy"},
	} {
		result, params, handle, err := builtins.Library{}.Lookup(c.name, c.args)
		if c.fault != "" {
			require.ErrorContains(t, err, c.fault)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, event, result)
		require.Len(t, params, len(c.args))
		_, err = builtins.GroupBody(handle.(*builtins.Call))
		require.NoError(t, err)
	}
}
