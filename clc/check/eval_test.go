package check_test

import (
	"math"
	"testing"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/stretchr/testify/require"
)

// constant returns the value of the initializer in "__constant T x = …;".
func constant(t *testing.T, text string) check.Value {
	t.Helper()
	f, errs := program("in", text, check.Options{})
	require.NoError(t, errs.Err())
	v := f.Globals[len(f.Globals)-1]
	require.Len(t, v.Init.Stores, 1)
	val, ok := check.Eval(v.Init.Stores[0].X)
	require.True(t, ok, text)
	return val
}

func TestEvalIntegers(t *testing.T) {
	for expr, want := range map[string]int64{
		"1 + 2 * 3 - 8 / 3":                     5,
		"-7 / 2":                                -3,
		"-7 % 3":                                -1,
		"(uchar)300":                            44,
		"(char)200":                             -56,
		"0x7fffffff + 1":                        math.MinInt32,
		"-1 < 0u":                               0,
		"-1 < 0L":                               1,
		"1u - 2 > 0":                            1,
		"(1 << 31) >> 31":                       -1,
		"0x80000000 >> 31":                      1,
		"1 << 33":                               2,
		"1L << 33":                              1 << 33,
		"(-0x7fffffff - 1) / -1":                math.MinInt32,
		"(-0x7fffffff - 1) % -1":                0,
		"(int)1e10f":                            math.MinInt32,
		"(uint)-1.0f":                           math.MaxUint32,
		"(int)(0.0f / 0.0f)":                    math.MinInt32,
		"(short)70000.0f":                       4464,
		"!0.5 + !0":                             1,
		"1 ? 2 : 3":                             2,
		"0 && 1 / 0 || 1":                       1,
		"(bool)0.25f + (bool)7":                 2,
		"~0":                                    -1,
		"'a' - 'b'":                             -1,
		"sizeof(float3) + sizeof(int) * 2":      24,
		"__builtin_offsetof(struct s, b)":       8,
		"((int4)(1, 2, 3, 4) << 1).s3":          8,
		"((int2)(5, 6) > (int2)(5, 5)).y":       -1,
		"((int2)(-1, 0) ? (int2)(1) : 2).y":     2,
		"(uint)(ulong)&((struct s *)0)->b":      8,
		"alignof_b":                             16,
		"(float)16777217 == 16777216.0f":        1,
		"(float)0x7fffffffffffffffUL == 0x1p63": 1,
		"n * 2":                                 14,
	} {
		pre := "struct s { int a; double b; }; __constant int n = 3 + 4;\n"
		if expr == "alignof_b" {
			expr = "__alignof__(float4)"
		}
		val := constant(t, pre+"__constant long x = "+expr+";")
		require.Equal(t, want, int64(val.Int), expr)
	}
}

func TestEvalFloats(t *testing.T) {
	for expr, want := range map[string]float64{
		"1.0f / 3":                       float64(float32(1) / 3),
		"1.0 / 3":                        1.0 / 3,
		"0.1f + 0.2f":                    float64(float32(0.1) + float32(0.2)),
		"(half)0.1f":                     0.0999755859375,
		"1.00048828125h":                 1, // a tie between two halves
		"1.000488281250000000000000001h": 0x1.004p0,
		"1.001464843749999999999999999h": 0x1.004p0,
		"0x1.0020000000000001p0h":        0x1.004p0,
		"(half)65520.0f":                 math.Inf(1),
		"(half)5.9604645e-8f":            0x1p-24,
		"(half)2.9802322e-8f":            0, // half of the smallest subnormal: ties to even
		"1e-3h * 2":                      0.00200080871582031250,
		"1.0f / 0":                       math.Inf(1),
		"-0x1.8p3":                       -12,
		"(float)16777217":                16777216,
		"((float2)(1, 2) * 3).y":         6,
	} {
		val := constant(t, "__constant double x = "+expr+";")
		require.Equal(t, want, val.Float, expr)
	}
}

// TestEvalAddresses checks address constants: a variable or string plus an offset in
// bytes.
func TestEvalAddresses(t *testing.T) {
	v := constant(t, "__constant int a[2][3] = { 1 }; __constant int *__constant x = &a[1][2] - 1;")
	require.Equal(t, "a", v.Base.Name)
	require.Equal(t, uint64(16), v.Int)
	v = constant(t, `__constant char *__constant x = "hello" + 2;`)
	require.Equal(t, "hello\x00", string(v.Str.Value))
	require.Equal(t, uint64(2), v.Int)
	v = constant(t, "__constant int *__constant x = 0;")
	require.Nil(t, v.Base)
	require.Zero(t, v.Int)
}

// TestConstLengths checks that const scalars with constant initializers can be array
// lengths and case labels, and that long chains of them take little time.
func TestConstLengths(t *testing.T) {
	f, errs := program("in", `void f(int i) {
  const int n = 4, m = n * 2;
  int a[m + 1];
  switch (i) { case n: case m: ; }
}`, check.Options{})
	require.NoError(t, errs.Err())
	decl, ok := f.Funcs[0].Body.Items[1].(*ast.Declaration)
	require.True(t, ok)
	require.Equal(t, "int [9]", decl.Vars[0].Type.String())

	chain := "void f() { const int a = 1;"
	for name := 'b'; name <= 'z'; name++ {
		chain += "const int " + string(name) + " = " + string(name-1) + " + " + string(name-1) + ";"
	}
	_, errs = program("in", chain+"int big[z >> 20]; }", check.Options{})
	require.NoError(t, errs.Err())
}

// TestOptions checks the dialect options.
func TestOptions(t *testing.T) {
	f, errs := program("in", "__constant float x = 0.1;", check.Options{SinglePrecisionConstant: true})
	require.NoError(t, errs.Err())
	require.Equal(t, "float", f.Globals[0].Init.Stores[0].X.Type().String())

	const generic = "int g(int *p) { return *p; } kernel void k(global int *a) { *a = g(a); }"
	_, errs = program("in", generic, check.Options{})
	require.ErrorContains(t, errs.Err(), "different address spaces")
	_, errs = program("in", generic, check.Options{GenericPointers: true})
	require.NoError(t, errs.Err())

	_, errs = program("in", "global int counter; int plain = 3;", check.Options{GlobalVariables: true})
	require.NoError(t, errs.Err())
}
