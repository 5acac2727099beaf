package opencl_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

func TestPrograms(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	d := f.p.Device()
	p := f.c.NewProgram("kernel void f(global int *p) { p[0] = N; }\nkernel void g() { }\n")
	require.Equal(t, int32(cl.BUILD_NONE), first(p.BuildInfo(d, cl.PROGRAM_BUILD_STATUS)))
	code(t, cl.INVALID_PROGRAM_EXECUTABLE, second(p.NewKernel("f")))
	code(t, cl.INVALID_PROGRAM_EXECUTABLE, second(p.Info(cl.PROGRAM_NUM_KERNELS)))
	code(t, cl.BUILD_PROGRAM_FAILURE, p.Build(nil, "", nil))
	require.Contains(t, first(p.BuildInfo(d, cl.PROGRAM_BUILD_LOG)), "kernel.cl:1:39: error: undeclared identifier 'N'")
	require.Contains(t, f.log.String(), "undeclared identifier 'N'")
	require.Equal(t, int32(cl.BUILD_ERROR), first(p.BuildInfo(d, cl.PROGRAM_BUILD_STATUS)))
	code(t, cl.INVALID_BUILD_OPTIONS, p.Build(nil, "-what", nil))
	require.NoError(t, p.Build([]*opencl.Device{d}, "-D N=7", nil))
	require.Equal(t, "-D N=7", first(p.BuildInfo(d, cl.PROGRAM_BUILD_OPTIONS)))
	require.Equal(t, "f;g", first(p.Info(cl.PROGRAM_KERNEL_NAMES)))
	require.Equal(t, 2, first(p.Info(cl.PROGRAM_NUM_KERNELS)))
	require.Equal(t, uint32(cl.PROGRAM_BINARY_TYPE_EXECUTABLE), first(p.BuildInfo(d, cl.PROGRAM_BINARY_TYPE)))
	code(t, cl.INVALID_KERNEL_NAME, second(p.NewKernel("h")))
	all, err := p.NewKernels()
	require.NoError(t, err)
	require.Len(t, all, 2)
	code(t, cl.INVALID_OPERATION, p.Build(nil, "", nil))
	for _, k := range all {
		opencl.Release(k)
	}
	notified := make(chan bool)
	require.NoError(t, p.Build(nil, "-D N=8", func() { notified <- true }))
	<-notified
	require.NoError(t, p.Build(nil, "-D N=8", func() { notified <- true }))
	opencl.Release(first(p.NewKernel("f"))) // waits for the end of the build
	<-notified
	require.Equal(t, int32(cl.BUILD_SUCCESS), first(p.BuildInfo(d, cl.PROGRAM_BUILD_STATUS)))

	// A binary loads again, and is checked.
	b := p.Binary()
	require.Len(t, b, first(p.Info(cl.PROGRAM_BINARY_SIZES)).([]int)[0])
	q, err := f.c.NewProgramFromBinary([]*opencl.Device{d}, b)
	require.NoError(t, err)
	require.NoError(t, q.Build(nil, "", nil))
	k, err := q.NewKernel("f")
	require.NoError(t, err)
	m := f.buffer(4)
	f.set(k, m)
	require.NoError(t, f.run(k, 1))
	require.Equal(t, byte(8), m.Data()[0])
	b[len(b)-9]++
	code(t, cl.INVALID_BINARY, second(f.c.NewProgramFromBinary([]*opencl.Device{d}, b)))
	code(t, cl.INVALID_BINARY, second(f.c.NewProgramFromBinary([]*opencl.Device{d}, []byte("x"))))
}

// TestLinking compiles and links programs with headers, files and options of their own, to an
// executable and through a library and a binary.
func TestLinking(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	d := []*opencl.Device{f.p.Device()}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "disk.h"), []byte("#define DISK 1000\n"), 0o644))
	a := f.c.NewProgram("#include <inc/a.h>\n#include \"disk.h\"\nint twice(int);\nkernel void f(global int *p) { p[0] = twice(A) + DISK; }")
	header := f.c.NewProgram("#define A 5\n")
	b := f.c.NewProgram("int twice(int x) { return x * K; }")
	code(t, cl.COMPILE_PROGRAM_FAILURE, a.Compile(nil, "", nil, nil))
	code(t, cl.INVALID_COMPILER_OPTIONS, b.Compile(nil, "-what", nil, nil))
	require.NoError(t, a.Compile(d, "-I "+dir, map[string]*opencl.Program{"inc/a.h": header}, nil))
	require.NoError(t, b.Compile(d, "-DK=3", nil, nil))
	require.Equal(t, uint32(cl.PROGRAM_BINARY_TYPE_COMPILED_OBJECT), first(a.BuildInfo(d[0], cl.PROGRAM_BINARY_TYPE)))

	_, err := f.c.Link(nil, "", []*opencl.Program{a}, nil)
	code(t, cl.LINK_PROGRAM_FAILURE, err)
	code(t, cl.INVALID_LINKER_OPTIONS, second(f.c.Link(nil, "-O9", []*opencl.Program{a}, nil)))
	code(t, cl.INVALID_OPERATION, second(f.c.Link(nil, "", []*opencl.Program{header}, nil)))
	lib, err := f.c.Link(nil, "-create-library", []*opencl.Program{b}, nil)
	require.NoError(t, err)
	require.Equal(t, uint32(cl.PROGRAM_BINARY_TYPE_LIBRARY), first(lib.BuildInfo(d[0], cl.PROGRAM_BINARY_TYPE)))
	object, err := f.c.NewProgramFromBinary(d, a.Binary())
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "disk.h")))
	for _, with := range [][]*opencl.Program{{a, b}, {lib, object}} {
		p, err := f.c.Link(nil, "", with, nil)
		require.NoError(t, err)
		again, err := f.c.NewProgramFromBinary(d, p.Binary())
		require.NoError(t, err)
		require.NoError(t, again.Build(nil, "", nil))
		for _, p := range []*opencl.Program{p, again} {
			k, err := p.NewKernel("f")
			require.NoError(t, err)
			m := f.buffer(4)
			f.set(k, m)
			require.NoError(t, f.run(k, 1))
			require.Equal(t, []byte{0xf7, 3, 0, 0}, m.Data())
		}
	}
	linked := make(chan *opencl.Program, 1)
	p, err := f.c.Link(nil, "", []*opencl.Program{a, b}, func(p *opencl.Program) { linked <- p })
	require.NoError(t, err)
	require.Equal(t, p, <-linked)
}

// TestVariablesAreNotShared checks that programs of equal text have variables of their own.
func TestVariablesAreNotShared(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	const text = "global int n; kernel void f(global int *p) { p[0] = ++n; }"
	for range 2 {
		p := f.program(text, "-cl-std=CL3.0")
		require.Equal(t, 4, first(p.BuildInfo(f.p.Device(), cl.PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE)))
		k, err := p.NewKernel("f")
		require.NoError(t, err)
		m := f.buffer(4)
		f.set(k, m)
		for i := range 2 {
			require.NoError(t, f.run(k, 1))
			require.Equal(t, byte(i+1), m.Data()[0])
		}
	}
}
