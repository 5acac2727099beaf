package builtins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/types"
)

// TestCandidates checks that a call with the argument types of a candidate selects that
// candidate, with the same result type.
func TestCandidates(t *testing.T) {
	listed := 0
	for _, f := range builtins.Names() {
		for _, c := range (builtins.Library{}).Candidates(f.Name, nil) {
			result, params, _, err := builtins.Library{}.Lookup(f.Name, c.Params)
			require.NoError(t, err, "%s %v", f.Name, c.Params)
			require.True(t, types.Identical(c.Result, result), "%s %v: %s, not %s", f.Name, c.Params, result, c.Result)
			require.Len(t, params, len(c.Params))
			for i, p := range c.Params {
				require.True(t, types.Identical(p, params[i]), "%s: parameter %d is %s, not %s", f.Name, i+1, params[i], p)
			}
			listed++
		}
	}
	require.Greater(t, listed, 5000)
	for name, want := range map[string]int{
		"sin": 18, "mix": 33, "fract": 72, "get_global_id": 1, "dot": 16, "atomic_add": 12, "atomic_xchg": 18, "shuffle": 176, "work_group_barrier": 1,
	} {
		require.Len(t, builtins.Library{}.Candidates(name, nil), want, name)
	}
	require.Len(t, builtins.Library{}.Candidates("convert_int4", []types.Type{types.VectorOf(types.Float, 4)}), 1)
	require.Empty(t, builtins.Library{}.Candidates("convert_int4", []types.Type{types.Float}))
	require.Empty(t, builtins.Library{}.Candidates("no_such_function", nil))
}
