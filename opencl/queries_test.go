package opencl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// TestDeclaredTypes checks that names of types are those of the declaration, where it uses a typedef.
func TestDeclaredTypes(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	k, err := f.program(`typedef struct _pair { int a, b; } pair;
		typedef float4 vec;
		typedef global const uint *words;
		kernel void f(pair x, global const vec *p, words w, unsigned int n, local vec q[2]) { }`, "").NewKernel("f")
	require.NoError(t, err)
	for i, want := range []string{"pair", "vec*", "words", "uint", "vec*"} {
		require.Equal(t, want, first(k.ArgInfo(i, cl.KERNEL_ARG_TYPE_NAME)))
	}
	require.EqualValues(t, cl.KERNEL_ARG_TYPE_CONST, first(k.ArgInfo(2, cl.KERNEL_ARG_TYPE_QUALIFIER)))
}

// TestHints checks that attributes which do not affect compilation are returned by queries.
func TestHints(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	k := f.kernel("kernel __attribute__((vec_type_hint(float4), work_group_size_hint(8, 2, 1), reqd_work_group_size(4, 1, 1))) void f() { }", "f")
	require.Equal(t, "reqd_work_group_size(4,1,1) work_group_size_hint(8,2,1) vec_type_hint(float4)", first(k.Info(cl.KERNEL_ATTRIBUTES)))
	// CL_KERNEL_SPILL_MEM_SIZE_INTEL
	require.IsType(t, uint64(0), first(k.GroupInfo(nil, 0x4109)))
}

// TestErrorCodes checks which of several possible codes is returned.
func TestErrorCodes(t *testing.T) {
	f := newFixture(t, opencl.Config{Threads: 4})
	code(t, cl.INVALID_VALUE, second(f.c.NewQueue(f.p.Device(), 1<<64-1, nil)))
	code(t, cl.DEVICE_PARTITION_FAILED, second2(f.p.Device().Partition([]int{cl.DEVICE_PARTITION_EQUALLY, 4, 0}, 4, true)))
	k := f.kernel("kernel void f(sampler_t s) { }", "f")
	code(t, cl.INVALID_SAMPLER, k.SetArg(0, 8, nil, nil))
	// Coordinates that are not normalized are undefined with this mode, but the sampler is valid.
	require.NoError(t, second(f.c.NewSampler(false, cl.ADDRESS_REPEAT, cl.FILTER_NEAREST, nil)))
	for _, order := range []uint32{cl.Rx, cl.RGx} {
		code(t, cl.IMAGE_FORMAT_NOT_SUPPORTED, second(f.c.NewImage(nil, 0, opencl.Format{Order: order, Type: cl.FLOAT}, opencl.ImageDesc{Type: cl.MEM_OBJECT_IMAGE2D, Width: 2, Height: 2}, nil)))
	}
}

// TestLargestVariable builds a program with a variable of the size that the device reports.
func TestLargestVariable(t *testing.T) {
	f := newFixture(t, opencl.Config{})
	size := first(f.p.Device().Info(cl.DEVICE_MAX_GLOBAL_VARIABLE_SIZE)).(int)
	require.GreaterOrEqual(t, size, 64<<10)
	f.program("global uchar v[SIZE]; kernel void f(global uchar *p) { v[get_global_id(0)] = p[0]; }", "-cl-std=CL3.0 -D SIZE="+fmt.Sprint(size))
}
