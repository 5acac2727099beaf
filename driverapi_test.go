package simtc_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// TestLibraries checks that a library may call functions that it lacks, and that linked sources
// have options, headers and inclusions of their own.
func TestLibraries(t *testing.T) {
	const first = "#include \"h.h\"\nint twice(int);\nkernel void f(global int *p) { p[0] = twice(N) + M; }"
	opt := simtc.Options{File: "a.cl", Library: true, Headers: map[string]string{"h.h": "#define N 4\n"}, BuildOptions: "-DM=100"}
	lib, err := simtc.Compile(first, opt)
	require.NoError(t, err)
	require.Empty(t, lib.Kernels())
	require.Empty(t, lib.Warnings())
	require.Equal(t, []simtc.Inclusion{{Name: "h.h", From: "a.cl", Path: "h.h", Text: "#define N 4\n"}}, lib.Includes())
	opt.Library = false
	_, err = simtc.Compile(first, opt)
	require.ErrorContains(t, err, "function 'twice' is called but has no body")
	_, err = simtc.Compile("kernel void f() { x; }", simtc.Options{Library: true})
	require.ErrorContains(t, err, "undeclared identifier 'x'")

	include := func(name, from string, angled bool) (path, text string, err error) {
		return name, "#define M 7\n", nil
	}
	opt.Sources = []simtc.Source{{File: "b.cl", Text: "#include <other.h>\nint twice(int x) { return x * K * M; }", BuildOptions: "-DK=2", Include: include}}
	opt.Headers = nil
	opt.Include = func(name, from string, angled bool) (path, text string, err error) { return name, "#define N 5\n", nil }
	opt.BuildOptions = "-DM=7"
	p, err := simtc.Compile(first, opt)
	require.NoError(t, err)
	k, err := p.Kernel("f")
	require.NoError(t, err)
	out := make([]int32, 1)
	require.NoError(t, k.Launch(t.Context(), simtc.NDRange(1), out))
	require.Equal(t, []int32{5*2*7 + 7}, out)
	require.Equal(t, "other.h", p.Includes()[1].Path)
}

// TestKernelQueries checks the queries of a driver about kernels.
func TestKernelQueries(t *testing.T) {
	p := compile(t, `global int counter;
kernel __attribute__((reqd_work_group_size(8, 2, 1))) void f(global int *restrict p) {
  local int x[10];
  x[get_local_id(0)] = p[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  p[get_global_id(0)] = x[7] + counter++;
}
kernel __attribute__((intel_reqd_sub_group_size(16))) void g(global int *p) { }`, simtc.Options{Std: "3.0"})
	require.Equal(t, 4, p.VariableBytes())
	k, err := p.Kernel("f")
	require.NoError(t, err)
	require.Equal(t, [3]int{8, 2, 1}, k.RequiredGroup())
	require.Equal(t, 40, k.LocalBytes())
	require.Zero(t, k.RequiredSubGroup())
	require.True(t, k.Params()[0].Restrict)
	g, err := p.Kernel("g")
	require.NoError(t, err)
	require.Equal(t, 16, g.RequiredSubGroup())
	require.Zero(t, compile(t, "kernel void f() { }", simtc.Options{}).VariableBytes())
}

// TestForeignMemory checks that launches use memory that Go does not manage, on any number of
// threads.
func TestForeignMemory(t *testing.T) {
	memory := mapped(t, 4096)
	for _, target := range simtc.Targets() {
		if simtc.Available(target) != nil {
			continue
		}
		p := compile(t, "kernel void f(global int *p) { p[get_global_id(0)] = get_global_id(0); }", simtc.Options{Strategy: simtc.Strategy{Target: target}})
		k, err := p.Kernel("f")
		require.NoError(t, err)
		clear(memory)
		for _, threads := range []int{0, 1, 3} {
			require.NoError(t, k.WithThreads(threads).Launch(t.Context(), simtc.NDRange(1024), simtc.Buffer(memory).Foreign()))
		}
		require.Equal(t, []byte{0xff, 3, 0, 0}, memory[4092:], target)
		require.False(t, bytes.Equal(make([]byte, 64), memory[:64]))
		require.ErrorContains(t, k.Launch(t.Context(), simtc.NDRange(1025), simtc.Buffer(memory).Foreign()), "out of bounds")
	}
}
