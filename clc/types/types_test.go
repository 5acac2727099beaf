package types_test

import (
	"testing"

	"github.com/simtc/simtc/clc/types"
	"github.com/stretchr/testify/require"
)

func TestByName(t *testing.T) {
	for name, want := range map[string]types.Type{
		"int": types.Int, "uchar": types.UChar, "size_t": types.ULong, "ptrdiff_t": types.Long, "_Bool": types.Bool,
		"float4": types.VectorOf(types.Float, 4), "ulong16": types.VectorOf(types.ULong, 16),
	} {
		require.True(t, types.ByName(name) == want, name)
	}
	require.Nil(t, types.ByName("float5"))
	require.Nil(t, types.ByName("bool2"))
	require.Nil(t, types.ByName("void4"))
	require.Nil(t, types.VectorOf(types.Int, 7))
	require.True(t, types.VectorOf(types.Int, 1) == types.Type(types.Int))
	require.Equal(t, "image2d_t", types.ByName("image2d_t").String())
}

// TestVectorLayout checks OpenCL C 1.2 §6.1.5: vectors are aligned to their size, and 3
// components take the space of 4.
func TestVectorLayout(t *testing.T) {
	for k := types.KindChar; k <= types.KindDouble; k++ {
		elem := types.ScalarOf(k)
		for _, n := range types.VectorSizes {
			v := types.VectorOf(elem, n)
			room := int64(n)
			if n == 3 {
				room = 4
			}
			require.Equal(t, elem.Size()*room, v.Size(), v)
			require.Equal(t, v.Size(), v.Align(), v)
		}
	}
}

func TestRecordLayout(t *testing.T) {
	f := func(name string, typ types.Type) *types.Field { return &types.Field{Name: name, Type: typ} }
	offsets := func(r *types.Record) (out []int64) {
		for _, f := range r.Fields {
			out = append(out, f.Offset)
		}
		return out
	}
	float3 := types.VectorOf(types.Float, 3)
	r := &types.Record{Tag: "r"}
	require.True(t, r.Finish([]*types.Field{f("a", types.Char), f("b", float3), f("c", types.Short),
		f("d", &types.Array{Elem: types.Int, Len: 3}), f("e", &types.Pointer{Elem: types.Int})}, 0))
	require.Equal(t, []int64{0, 16, 32, 36, 48}, offsets(r))
	require.Equal(t, int64(64), r.Size())
	require.Equal(t, int64(16), r.Align())

	p := &types.Record{Packed: true}
	require.True(t, p.Finish([]*types.Field{f("a", types.Char), f("b", types.Double), f("c", types.Short)}, 0))
	require.Equal(t, []int64{0, 1, 9}, offsets(p))
	require.Equal(t, int64(11), p.Size())

	u := &types.Record{Union: true}
	require.True(t, u.Finish([]*types.Field{f("a", types.Char), f("v", float3)}, 32))
	require.Equal(t, int64(32), u.Size())

	outer := &types.Record{Tag: "outer"}
	anon := &types.Field{Type: p, Quals: types.Const}
	require.True(t, outer.Finish([]*types.Field{f("x", types.Int), anon}, 0))
	g, off, q := outer.Lookup("b")
	require.Equal(t, "b", g.Name)
	require.Equal(t, int64(5), off)
	require.Equal(t, types.Const, q)
	g, _, _ = outer.Lookup("none")
	require.Nil(t, g)

	huge := &types.Record{}
	require.False(t, huge.Finish([]*types.Field{f("a", &types.Array{Elem: types.Char, Len: types.MaxSize}), f("b", types.Int)}, 0))
}

func TestSpelling(t *testing.T) {
	ptr := func(e types.Type, s types.Space, q types.Quals) types.Type {
		return &types.Pointer{Elem: e, Space: s, Quals: q}
	}
	float4 := types.VectorOf(types.Float, 4)
	for _, tc := range []struct {
		typ  types.Type
		want string
	}{
		{ptr(float4, types.Global, types.Const), "__global const float4 *"},
		{ptr(ptr(types.Int, types.Global, 0), types.Constant, 0), "__global int *__constant *"},
		{ptr(ptr(types.Int, types.Global, 0), types.Private, types.Const), "__global int *const *"},
		{&types.Array{Elem: &types.Array{Elem: types.Int, Len: 3}, Len: -1}, "int [][3]"},
		{ptr(&types.Array{Elem: types.Int, Len: 3}, types.Local, types.Volatile), "__local volatile int (*)[3]"},
		{&types.Array{Elem: ptr(types.Char, 0, 0), Len: 2}, "char *[2]"},
		{&types.Func{Result: types.Int, Params: []types.Type{float4, types.Int}}, "int (float4, int)"},
		{&types.Func{Result: types.Void}, "void (void)"},
		{&types.Record{Tag: "s", Union: true}, "union s"},
		{&types.Record{Typedef: "item"}, "item"},
		{&types.Enum{Under: types.UInt}, "enum (anonymous)"},
	} {
		require.Equal(t, tc.want, tc.typ.String())
	}
	require.Equal(t, "__global float4 *const p", types.Declare("p", ptr(float4, types.Global, 0), types.Const))
	require.Equal(t, "const int x[2]", types.Declare("x", &types.Array{Elem: types.Int, Len: 2}, types.Const))
}

func TestIdentical(t *testing.T) {
	p := func(s types.Space) types.Type { return &types.Pointer{Elem: types.Int, Space: s} }
	require.True(t, types.Identical(p(types.Global), p(types.Global)))
	require.False(t, types.Identical(p(types.Global), p(types.Local)))
	require.False(t, types.Identical(&types.Array{Elem: types.Int, Len: 2}, &types.Array{Elem: types.Int, Len: 3}))
	require.False(t, types.Identical(&types.Record{Tag: "a"}, &types.Record{Tag: "a"}))
	require.Equal(t, "short8", types.BoolResult(types.VectorOf(types.Half, 8)).String())
	require.Equal(t, "long2", types.BoolResult(types.VectorOf(types.ULong, 2)).String())
	require.True(t, types.BoolResult(types.Double) == types.Type(types.Int))
}
