package builtins_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/types"
)

var kinds = []*types.Scalar{
	types.Char, types.UChar, types.Short, types.UShort, types.Int, types.UInt, types.Long, types.ULong, types.Half, types.Float, types.Double,
}

// TestTable checks that every row resolves for every type it accepts, and that its bodies
// compile.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range builtins.Names() {
		require.False(t, seen[f.Name], "%s is there twice", f.Name)
		seen[f.Name] = true
		require.True(t, f.Special != "" || f.Ops != nil || f.Body != "", f.Name)
		if f.Special != "" || strings.Contains(f.Sig, "*") {
			continue
		}
		resolved := 0
		for _, s := range kinds {
			for _, n := range []int{1, 2, 3, 4, 8, 16} {
				if tryRow(t, f, s, n) {
					resolved++
				}
			}
		}
		require.Positive(t, resolved, f.Name)
	}
}

func tryRow(t *testing.T, f *builtins.Func, s *types.Scalar, n int) bool {
	T := types.VectorOf(s, n)
	_, list, _ := strings.Cut(strings.TrimSuffix(f.Sig, ")"), "(")
	var args []types.Type
	for _, p := range strings.Split(list, ",") {
		switch p {
		case "T", "t":
			args = append(args, T)
		case "U":
			args = append(args, types.VectorOf(types.SignedOf(s.Size()).Unsigned(), n))
		case "i":
			args = append(args, types.Int)
		case "z":
			args = append(args, types.SizeT)
		case "I":
			args = append(args, types.VectorOf(types.SignedOf(s.Size()), n))
		case "n", "N":
			args = append(args, types.VectorOf(types.Int, n))
		case "P":
			args = append(args, &types.Pointer{Elem: T, Space: types.Global})
		case "Q":
			args = append(args, &types.Pointer{Elem: types.VectorOf(types.Int, n)})
		}
	}
	result, params, handle, err := builtins.Library{}.Lookup(f.Name, args)
	if err != nil {
		return false
	}
	c := handle.(*builtins.Call)
	require.NotNil(t, result, f.Name)
	require.Len(t, params, len(args))
	width := 1
	if f.Whole {
		width = n
	}
	main, as := f.BodyOf(c.Elem)
	for _, body := range []string{main, f.Out} {
		if body == "" || f.Ops != nil && !c.Elem.IsFloat() {
			continue
		}
		fn, err := builtins.Body(body, as, width)
		if f.Name == "cross" && n != 3 && n != 4 {
			return false
		}
		require.NoError(t, err, "%s of %s", f.Name, T)
		require.Equal(t, body, fn.Name)
	}
	return true
}

func TestOverloads(t *testing.T) {
	f4 := types.VectorOf(types.Float, 4)
	i4 := types.VectorOf(types.Int, 4)
	global := func(t types.Type) types.Type { return &types.Pointer{Elem: t, Space: types.Global} }
	for _, c := range []struct {
		name string
		args []types.Type
		want types.Type // nil: an error
		par  string     // the parameters
	}{
		{"fmin", []types.Type{f4, types.Float}, f4, "float4 float"},
		{"fma", []types.Type{f4, types.Float, f4}, f4, "float4 float4 float4"},
		{"select", []types.Type{types.Float, f4, i4}, f4, "float4 float4 int4"},
		{"mad24", []types.Type{types.UChar, types.UChar, types.Float}, types.Int, "int int int"},
		{"max", []types.Type{types.UInt, types.Int}, types.UInt, "uint uint"},
		{"max", []types.Type{types.Char, types.Char}, types.Char, "char char"},
		{"max", []types.Type{types.Char, types.Short}, types.Int, "int int"},
		{"max", []types.Type{i4, types.Int}, i4, "int4 int"},
		{"clamp", []types.Type{types.Float, types.Int, types.Double}, types.Double, "double double double"},
		{"mul24", []types.Type{types.Int, types.UInt}, types.UInt, "uint uint"},
		{"mul24", []types.Type{types.Long, types.Int}, types.Int, "int int"},
		{"sqrt", []types.Type{types.Int}, types.Float, "float"},
		{"abs", []types.Type{types.Float}, nil, ""},
		{"abs", []types.Type{types.Short}, types.UShort, "short"},
		{"isless", []types.Type{types.VectorOf(types.Double, 2), types.VectorOf(types.Double, 2)}, types.VectorOf(types.Long, 2), "double2 double2"},
		{"ldexp", []types.Type{f4, types.Int}, f4, "float4 int"},
		{"select", []types.Type{f4, f4, i4}, f4, "float4 float4 int4"},
		{"select", []types.Type{f4, f4, types.VectorOf(types.Long, 4)}, nil, ""},
		{"nan", []types.Type{types.ULong}, types.Double, "ulong"},
		{"upsample", []types.Type{types.Short, types.UShort}, types.Int, "short ushort"},
		{"upsample", []types.Type{types.Long, types.ULong}, nil, ""},
		{"convert_uchar4_sat_rte", []types.Type{f4}, types.VectorOf(types.UChar, 4), "float4"},
		{"convert_float_sat", []types.Type{types.Int}, nil, "undeclared"},
		{"convert_int4", []types.Type{types.Int}, nil, ""},
		{"as_float4", []types.Type{i4}, f4, "int4"},
		{"as_int3", []types.Type{f4}, types.VectorOf(types.Int, 3), "float4"},
		{"as_int", []types.Type{types.Short}, nil, ""},
		{"vload4", []types.Type{types.Int, global(types.Float)}, f4, "ulong __global float *"},
		{"vload5", []types.Type{types.Int, global(types.Float)}, nil, "undeclared"},
		{"vstore_half4_rtz", []types.Type{f4, types.Int, global(types.Half)}, types.Void, "float4 ulong __global half *"},
		{"exp", []types.Type{types.Float}, types.Float, "float"},
		{"mul24", []types.Type{types.Long, types.ULong}, nil, ""},
		{"isnan", []types.Type{types.Int}, nil, ""},
		{"isequal", []types.Type{types.Float, types.Int}, types.Int, "float float"},
		{"bitselect", []types.Type{types.Int, types.Int, types.Float}, nil, ""},
		{"bitselect", []types.Type{types.Int, types.Int, types.UInt}, nil, ""},
		{"select", []types.Type{types.Int, types.Int, types.Long}, nil, ""},
		{"select", []types.Type{types.Float, types.Float, types.Bool}, types.Float, "float float bool"},
		{"select", []types.Type{types.Double, types.Double, types.Int}, nil, ""},
		{"shuffle", []types.Type{f4, i4}, nil, ""},
		{"shuffle", []types.Type{f4, types.VectorOf(types.UInt, 2)}, types.VectorOf(types.Float, 2), "float4 uint2"},
		{"dot", []types.Type{types.VectorOf(types.Float, 8), types.VectorOf(types.Float, 8)}, nil, ""},
		{"length", []types.Type{types.VectorOf(types.Double, 16)}, nil, ""},
		{"cross", []types.Type{types.VectorOf(types.Float, 2), types.VectorOf(types.Float, 2)}, nil, ""},
		{"cross", []types.Type{types.Float, types.Float}, nil, ""},
		{"cross", []types.Type{f4, f4}, f4, "float4 float4"},
		{"no_such_function", nil, nil, "undeclared"},
		{"get_global_id", []types.Type{types.Int, types.Int}, nil, ""},
	} {
		result, params, _, err := builtins.Library{}.Lookup(c.name, c.args)
		if c.want == nil {
			require.Nil(t, result, c.name)
			require.Equal(t, c.par != "undeclared", err != nil, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.True(t, types.Identical(c.want, result), "%s gives %s", c.name, result)
		var par []string
		for _, p := range params {
			par = append(par, p.String())
		}
		require.Equal(t, c.par, strings.Join(par, " "), c.name)
	}
}

// TestBodiesOfAllOverloads checks that every call accepted by Lookup compiles without
// errors in the library.
func TestBodiesOfAllOverloads(t *testing.T) {
	for _, f := range builtins.Names() {
		if f.Sig == "" || f.Special != "" {
			continue
		}
		_, list, _ := strings.Cut(strings.TrimSuffix(f.Sig, ")"), "(")
		for kind := types.KindChar; kind <= types.KindDouble; kind++ {
			for _, n := range append([]int{1}, types.VectorSizes[:]...) {
				var args []types.Type
				for range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
					args = append(args, types.VectorOf(types.ScalarOf(kind), n))
				}
				_, _, handle, err := builtins.Library{}.Lookup(f.Name, args)
				call, ok := handle.(*builtins.Call)
				if err != nil || !ok {
					continue
				}
				body, as := f.BodyOf(call.Elem)
				if body == "" {
					continue
				}
				n := call.N
				if !f.Whole {
					n = 1
				}
				_, err = builtins.Body(body, as, n)
				require.NoError(t, err, "%s of %v", f.Name, args)
			}
		}
	}
}
