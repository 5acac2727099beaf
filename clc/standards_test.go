package clc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
)

// TestStandards compiles constructs that depend on the version of OpenCL C.
func TestStandards(t *testing.T) {
	const generic = `int f(generic int *p, int *q) { return *p + *q; }
__kernel void k(__global int *p) { int x = 3; int *q = p[0] ? &x : (int *)p; p[0] = f(p, q) + f(&x, p); }
`
	const named = "__kernel void k(__global int *generic) { *generic = 1; }\n"
	const version = `#if __OPENCL_C_VERSION__ != N || __OPENCL_VERSION__ != M
#error version
#endif
#if N == 300 && !defined(__opencl_c_generic_address_space)
#error features
#endif
__kernel void k(__global int *p) { *p = 1; }
`
	for _, c := range []struct {
		std, text string
		defines   []string
		err       string
	}{
		{"2.0", generic, nil, ""},
		{"3.0", generic, nil, ""},
		{"CL2.0", generic, nil, ""},
		{"1.2", generic, nil, "unknown type name 'generic'"},
		{"1.2", "kernel void k(global int *p) { *p = get_fence(p); }", nil, "'get_fence' needs OpenCL C 2.0 or later (-cl-std), for generic pointers"},
		{"2.0", "kernel void k(constant int *p, global int *q) { *q = get_fence(p); }", nil, "no overload of 'get_fence' takes (__constant int *): the argument must be a pointer to memory that is not constant"},
		{"2.0", "kernel void k(global int *p) { *p = get_fence(*p); }", nil, "no overload of 'get_fence' takes (int): the argument must be a pointer"},
		{"2.0", "kernel void k(global int *p) { *p = get_fence(p, p); }", nil, "it takes 1 argument"},
		{"2.0", "kernel void k(global int *p) { local int *q = to_global(p); }", nil, "different address spaces"},
		{"2.0", "kernel void k(global int *p) { global struct s *q = to_global((struct s *)p); global void *v = to_global((void *)p); }", nil, ""},
		{"1.2", "int get_fence(global int *p) { return *p; } kernel void k(global int *p) { *p = get_fence(p); }", nil, ""},
		{"", named, nil, ""},
		{"1.2", named, nil, ""},
		{"2.0", named, nil, "expected"},
		{"1.1", version, []string{"N=110", "M=120"}, ""},
		{"", version, []string{"N=120", "M=120"}, ""},
		{"2.0", version, []string{"N=200", "M=200"}, ""},
		{"3.0", version, []string{"N=300", "M=300"}, ""},
	} {
		_, err := clc.Compile("s.cl", c.text, clc.Options{Std: c.std, Defines: c.defines})
		if c.err == "" {
			require.NoError(t, err, "%s: %s", c.std, c.text)
		} else {
			require.ErrorContains(t, err, c.err, "%s: %s", c.std, c.text)
		}
	}
}
