package clc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
)

// TestOverloads checks that a call selects the function whose conversions rank best,
// among program and built-in functions. The results have different sizes, so that sizeof
// shows the choice.
func TestOverloads(t *testing.T) {
	for _, c := range []struct {
		name      string
		functions string // declared overloadable
		call      string
		size      string // size of the result, or the error
	}{
		{"promotion of char", "char f(int); char2 f(long);", "f(c)", "1"},
		{"promotion of bool", "char f(int); char2 f(long);", "f((bool)1)", "1"},
		{"promotion of float", "char f(double); char2 f(int);", "f(x)", "1"},
		{"half has no promotion", "char f(float); char2 f(double);", "f(h)", "several overloads of 'f' take (half) equally well"},
		{"conversions are equal", "char f(uint); char2 f(ulong);", "f(i)", "several overloads of 'f' take (int) equally well"},
		{"crossed", "char f(float, int); char2 f(int, float);", "f(i, i)", "several overloads of 'f' take (int, int) equally well"},
		{"enum promotes to its type", "char f(int); char2 f(uint);", "f(e)", "2"},
		{"scalar before vector", "char f(float); char2 f(float4);", "f(i)", "1"},
		{"double before vector", "char f(float4); char2 f(double);", "f(x)", "2"},
		{"fewer qualifiers", "char f(const volatile __global int *); char2 f(const __global int *);", "f(p)", "2"},
		{"qualified before void", "char f(const __global int *); char2 f(__global void *);", "f(p)", "1"},
		{"fewer qualifiers of void", "char f(const __global void *); char2 f(__global void *);", "f(p)", "2"},
		{"void before mismatch", "char f(__global uint *); char2 f(__global void *);", "f(p)", "2"},
		{"bool before mismatch", "char f(__global uint *); char2 f(bool);", "f(p)", "2"},
		{"void before bool", "char f(__global void *); char2 f(bool);", "f(p)", "1"},
		{"0 is an int", "char f(__global int *); char2 f(int);", "f(0)", "2"},
		{"a mismatch loses", "char f(__global uint *, int); char2 f(__global int *, float);", "f(p, 1)", "2"},
		{"mismatches are equal", "char f(__global uint *); char2 f(__global const uint *);", "f(p)", "several overloads of 'f' take (__global int *) equally well"},
		{"dropping const is a mismatch", "char f(__global int *); char2 f(__global uint *);", "f(r)", "several overloads"},
		{"no candidate", "char f(__local int *); char2 f(int2);", "f(p)", "no overload of 'f' takes (__global int *)"},

		{"atomic_add of float", "char atomic_add(volatile __global float *, float);", "atomic_add(p, 5)", "4"},
		{"atomic_add of float, float", "char atomic_add(volatile __global float *, float);", "atomic_add(q, 5)", "1"},
		{"atomic_add without volatile", "char atomic_add(__global int *, int);", "atomic_add(p, 5)", "1"},
		{"atomic_add of long, volatile", "char atomic_add(__global long *, long);", "atomic_add(l, 5)", "1"},
		{"mix of double", "char mix(double, double, double);", "mix(x, x, x)", "4"},
		{"mix of double, vector", "char mix(double, double, double);", "mix(v, v, x)", "16"},
		{"mix with a double", "char mix(double, double, double);", "mix(x, x, 0.5)", "several overloads of 'mix' take (float, float, double) equally well"},
		{"min", "char min(int, long);", "min(3, 4)", "4"},
		{"min of its types", "char min(int, long);", "min(3, 4L)", "1"},
		{"sin", "char sin(int);", "sin(x)", "4"},
		{"sin of int", "char sin(int);", "sin(i)", "1"},
		{"sin of char", "char sin(int);", "sin(c)", "1"},
		{"floor", "char floor(uint);", "floor(d)", "8"},
		{"floor of uint", "char floor(uint);", "floor(3u)", "1"},
		{"any", "char any(float2);", "any((int2)1)", "4"},
		{"any of floats", "char any(float2);", "any((float2)1)", "1"},
		{"rotate", "char rotate(uint, int);", "rotate(1u, 1u)", "4"},
		{"rotate by int", "char rotate(uint, int);", "rotate(1u, 1)", "1"},
		{"pow of a vector and a scalar", "char pow(float3, float);", "pow(v.xyz, x)", "1"},
		{"pow of scalars", "char pow(float3, float);", "pow(x, x)", "4"},
		{"select", "char select(float, float, bool);", "select(x, x, i)", "4"},
		{"select by bool", "char select(float, float, bool);", "select(x, x, (bool)i)", "1"},
		{"shuffle", "char shuffle(float3, uint4);", "shuffle(v, (uint4)1)", "16"},
		{"vload4", "char vload4(size_t, __global struct s *);", "vload4(0, q)", "16"},
		{"vload4 of a struct", "char vload4(size_t, __global struct s *);", "vload4(0, s)", "1"},
		{"convert", "char convert_float4(struct s);", "convert_float4((int4)1)", "16"},
		{"fract into private memory", "char fract(float, float);", "fract(x, &y)", "4"},
		{"a function of the program replaces the built-in one", "char sqrt(float);", "sqrt(x)", "1"},
		{"and no other", "char sqrt(float);", "sqrt(d)", "8"},
		{"arguments that no overload fits better", "char fmax(struct s, int);", "fmax(x, 1.0)", "8"},
		{"sub_group_broadcast", "char sub_group_broadcast(struct s, uint);", "sub_group_broadcast(x, 0)", "4"},
		{"get_global_id", "char get_global_id(float);", "get_global_id(0u)", "8"},
		{"get_global_id of int", "char get_global_id(float);", "get_global_id(0)", "several overloads of 'get_global_id' take (int) equally well"},
	} {
		text := "struct s { int a; };\nenum e { A, B };\n"
		for _, f := range strings.SplitAfter(c.functions, ";") {
			if f = strings.TrimSpace(f); f != "" {
				text += "__attribute__((overloadable)) " + f + "\n"
			}
		}
		text += `__kernel void k(__global int *p, __global float *q, __global long *l, const __global int *r, __global struct s *s) {
  char c = 1; int i = 2; float x = 3, y; double d = 4; half h = 5; float4 v = 6; enum e e = A;
  q[0] = sizeof(` + c.call + `);
}
`
		if !strings.ContainsAny(c.size[:1], "0123456789") {
			_, err := clc.Compile("o.cl", text, clc.Options{})
			require.ErrorContains(t, err, c.size, c.name)
			require.ErrorContains(t, err, "note: candidate: ", c.name)
			continue
		}
		text = strings.Replace(text, "q[0] = sizeof("+c.call+");", "_Static_assert(sizeof("+c.call+") == "+c.size+", \"size\");", 1)
		_, err := clc.Compile("o.cl", text, clc.Options{})
		require.NoError(t, err, c.name)
	}
}

// TestAmbiguousCall checks that the error names every candidate and its position.
func TestAmbiguousCall(t *testing.T) {
	_, err := clc.Compile("o.cl", `double __attribute__((overloadable)) mix(double a, double b, double c) { return a; }
__kernel void k(__global float *p) {
  p[0] = mix(p[1], p[2], 0.5);
}
`, clc.Options{})
	require.EqualError(t, err, `o.cl:3:10: several overloads of 'mix' take (float, float, double) equally well
o.cl:1:38: note: candidate: double mix(double, double, double)
<built-in>: note: candidate: float mix(float, float, float)`)
}

// TestBuiltinPrototypes checks that declarations of built-in functions change nothing,
// and that a called function must be built-in or defined.
func TestBuiltinPrototypes(t *testing.T) {
	const head = `void barrier(cl_mem_fence_flags);
extern float native_sin(float x);
__attribute__((overloadable)) float native_cos(float);
size_t get_global_id(uint);
int atomic_add(volatile __global int *, int);
int printf(__constant char *, ...);
`
	for _, c := range []struct{ name, text, err string }{
		{"called", head + `__kernel void k(__global float *p, __global int *n) {
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = native_sin(p[0]) + native_cos(p[1]);
  _Static_assert(sizeof(native_sin((float4)(0))) == 16, "other overloads");
  printf("%d %d\n", atomic_add(n, 1), 2);
}
`, ""},
		{"in a function", `__kernel void k(__global float *p) {
  float native_sin(float);
  p[0] = native_sin(p[1]);
}
`, ""},
		{"defined later", `float native_sin(float);
__kernel void k(__global float *p) { p[0] = native_sin(p[1]); }
float native_sin(float x) { return x; }
`, ""},
		{"beside an overload", `float native_sin(float);
__attribute__((overloadable)) float native_sin(int x) { return x; }
__kernel void k(__global float *p) { p[0] = native_sin(p[1]) + native_sin(2) + native_sin(p[2]); }
`, ""},
		{"another result", `int get_local_id(uint);
__kernel void k(__global int *p) { p[0] = get_local_id(0); }
`, "2:43: function 'get_local_id' is called but has no body\np.cl:1:5: note: declared here, with other types than the built-in function of that name"},
		{"another parameter, not called", `int get_local_id(int);
__kernel void k(__global int *p) { p[0] = 1; }
`, ""},
		{"variadic", "int f(int, ...);\n__kernel void k(__global int *p) { p[0] = 1; }\n", "1:5: variadic functions are not supported"},
	} {
		_, err := clc.Compile("p.cl", c.text, clc.Options{})
		if c.err == "" {
			require.NoError(t, err, c.name)
		} else {
			require.EqualError(t, err, "p.cl:"+c.err, c.name)
		}
	}
}

// TestClangFunctionErrors calls functions of clang and of extensions with invalid
// arguments.
func TestClangFunctionErrors(t *testing.T) {
	for _, c := range []struct{ call, err string }{
		{"__builtin_sadd_overflow(i, i, &u)", "argument 3 of '__builtin_sadd_overflow' must be a pointer to int, not 'uint *'"},
		{"__builtin_add_overflow(i, f, &i)", "no overload of '__builtin_add_overflow' takes (int, float, int *): argument 2 must be an integer"},
		{"__builtin_add_overflow(i, i, r)", "the last argument must be a pointer to an integer that is not const"},
		{"__builtin_add_overflow(i, i)", "no overload of '__builtin_add_overflow' takes (int, int): it takes 3 arguments"},
		{"__builtin_umul_overflow(i, i)", "'__builtin_umul_overflow' takes 3 arguments, given 2"},
		{"__builtin_elementwise_max(i, f)", "the arguments of '__builtin_elementwise_max' have different types, 'int' and 'float'"},
		{"__builtin_elementwise_abs(u)", "'__builtin_elementwise_abs' does not work on 'uint'"},
		{"__builtin_elementwise_sin(i)", "'__builtin_elementwise_sin' does not work on 'int'"},
		{"__builtin_elementwise_max(p, p)", "'__builtin_elementwise_max' takes numbers and vectors, not '__global int *'"},
		{"__builtin_reduce_add(v)", "'__builtin_reduce_add' takes a vector of integers, not 'float4'"},
		{"__builtin_reduce_max(f)", "'__builtin_reduce_max' takes a vector of numbers, not 'float'"},
		{"__builtin_fabsf(v)", "cannot convert 'float4' to 'float' in argument 1 of '__builtin_fabsf'"},
		{"__builtin_fmaf(f, f)", "'__builtin_fmaf' takes 3 arguments, given 2"},
		{"__builtin_nanf()", "'__builtin_nanf' takes 1 argument, given 0"},
		{"__builtin_choose_expr(i, 1, 2)", "argument 1 of '__builtin_choose_expr' must be an integer constant"},
		{"__builtin_assume_aligned(p, 3)", "the alignment of '__builtin_assume_aligned' must be a constant power of two"},
		{"__builtin_nontemporal_load(i)", "'__builtin_nontemporal_load' needs a pointer to a number or vector, not 'int'"},
		{"__builtin_memcpy(r, p, 4)", "no overload of '__builtin_memcpy' takes (__global const int *, __global int *, int): the first argument must be a pointer to memory that is not constant"},
		{"__builtin_memset(i, 0, 4)", "the first argument must be a pointer"},
		{"__builtin_bit_cast(long, i)", "it takes a type of 8 bytes"},
		{"__builtin_nothing(i)", "undeclared function '__builtin_nothing'"},
		{"dot((char2)1, (char2)1)", "no overload of 'dot' takes (char2, char2): it does not work on char2"},
		{"dot_acc_sat((char4)1, (int4)1, 1)", "no overload of 'dot_acc_sat' takes (char4, int4, int): argument 2 must be char4 or uchar4"},
		{"dot_acc_sat((char4)1, (char4)1)", "it takes 3 arguments"},
		{"intel_sub_group_block_read(&i)", "the first argument must be a pointer to uint in __global or __local memory, or an image2d_t"},
		{"intel_sub_group_block_read(1)", "the first argument must be a pointer or an image2d_t"},
		{"intel_sub_group_block_write(r, u)", "the pointer must not be to const"},
		{"intel_sub_group_block_write(im, (int2)1, u)", "the image is read-only"},
		{"intel_sub_group_block_read(im)", "it takes 2 arguments"},
		{"intel_sub_group_block_read(volume, (int2)1)", "the image must be an image2d_t"},
		{"async_work_group_copy_2D2D(p, 0, p, 0, 4, 1, 1, 1, 1, 0)", "it copies from __global to __local memory or back"},
		{"async_work_group_copy_3D3D(p, 0)", "it takes 13 arguments"},
		{"as_char3(1L)", "it takes a type of 4 bytes"},
		{"shuffle2(1, 2, (uint4)1)", "the arguments must be vectors of 2, 4, 8 or 16 components"},
		{"shuffle2(v, (float2)1, (uint4)1)", "the first two arguments must be vectors of the same type"},
		{"vstore4((int4)1, 0, &f)", "the data must be float4"},
		{"f = 1.0f17", "'1.0f17' is not a floating constant"},
	} {
		_, err := clc.Compile("c.cl", `__kernel void k(__global int *p, const __global int *r, read_only image2d_t im, read_only image3d_t volume) {
  int i = 1; uint u = 2; float f = 3; float4 v = 4;
  `+c.call+`;
}
`, clc.Options{})
		require.ErrorContains(t, err, "c.cl:3:", c.call)
		require.ErrorContains(t, err, c.err, c.call)
	}
}
