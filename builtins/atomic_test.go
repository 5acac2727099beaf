package builtins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/types"
)

// Which arguments the atomic functions take, and what they say of others.
func TestAtomicArguments(t *testing.T) {
	to := func(e types.Type, s types.Space, q types.Quals) types.Type {
		return &types.Pointer{Elem: e, Space: s, Quals: q}
	}
	ints := to(types.Int, types.Global, types.Volatile)
	ulongs, floats := to(types.ULong, types.Local, 0), to(types.Float, types.Global, 0)
	expected := to(types.Int, types.Private, 0)
	for _, c := range []struct {
		name   string
		args   []types.Type
		result types.Type
		err    string
	}{
		{"atomic_add", []types.Type{ints, types.Char}, types.Int, ""},
		{"atom_max", []types.Type{ulongs, types.ULong}, types.ULong, ""},
		{"atomic_inc", []types.Type{ints}, types.Int, ""},
		{"atomic_cmpxchg", []types.Type{ints, types.Int, types.Int}, types.Int, ""},
		{"atomic_xchg", []types.Type{floats, types.Float}, types.Float, ""},
		{"atomic_fetch_or_explicit", []types.Type{ints, types.Int, types.Int, types.Int}, types.Int, ""},
		{"atomic_compare_exchange_weak", []types.Type{ints, expected, types.Int}, types.Bool, ""},
		{"atomic_compare_exchange_strong_explicit", []types.Type{ints, expected, types.Int, types.Int, types.Int}, types.Bool, ""},
		{"atomic_fetch_add", []types.Type{floats, types.Float}, types.Float, ""},
		{"atomic_load", []types.Type{to(types.Int, types.Global, types.Const)}, types.Int, ""},
		{"atomic_store", []types.Type{floats, types.Float}, types.Void, ""},
		{"atomic_flag_test_and_set", []types.Type{ints}, types.Bool, ""},
		{"atomic_flag_clear_explicit", []types.Type{ints, types.Int}, types.Void, ""},

		{"atomic_add", nil, nil, "it takes 2 arguments"},
		{"atomic_inc", []types.Type{ints, types.Int}, nil, "it takes 1 argument"},
		{"atomic_load_explicit", []types.Type{ints}, nil, "it takes 2 or 3 arguments"},
		{"atomic_add", []types.Type{types.Int, types.Int}, nil, "the first argument must be a pointer"},
		{"atomic_add", []types.Type{to(types.Short, types.Global, 0), types.Int}, nil, "of 32 or 64 bits"},
		{"atomic_add", []types.Type{to(types.VectorOf(types.Int, 2), types.Global, 0), types.Int}, nil, "of 32 or 64 bits"},
		{"atomic_add", []types.Type{floats, types.Float}, nil, "it does not work on float"},
		{"atomic_fetch_and", []types.Type{floats, types.Float}, nil, "it does not work on float"},
		{"atomic_cmpxchg", []types.Type{floats, types.Float, types.Float}, nil, "it does not work on float"},
		{"atomic_add", []types.Type{expected, types.Int}, nil, "must be to __global or __local memory, not to __private"},
		{"atomic_or", []types.Type{to(types.Int, types.Constant, 0), types.Int}, nil, "not to __constant"},
		{"atomic_or", []types.Type{to(types.Int, types.Global, types.Const), types.Int}, nil, "must not be to const"},
		{"atomic_compare_exchange_weak", []types.Type{ints, types.Int, types.Int}, nil, "the second argument must be a pointer to int"},
		{"atomic_compare_exchange_weak", []types.Type{ints, floats, types.Int}, nil, "the second argument must be a pointer to int"},
	} {
		result, params, handle, err := builtins.Library{}.Lookup(c.name, c.args)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, c.result, result, c.name)
		require.Len(t, params, len(c.args), c.name)
		require.Equal(t, c.args[0], params[0])
		require.NotNil(t, handle)
	}
}
