package simtc_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// If the work-group size that a kernel requires does not divide the range, the last groups of a
// dimension are smaller, and the kernel sees their size. Launches with and without smaller groups
// may alternate.
func TestRequiredSizeAndSmallerGroups(t *testing.T) {
	const source = `
__kernel %s void k(__global ulong *size, __global ulong *sums, __global ulong *linear) {
	__local ulong part[16];
	size_t l = get_local_linear_id(), n = get_local_size(0) * get_local_size(1);
	size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
	part[l] = at + 1;
	barrier(CLK_LOCAL_MEM_FENCE);
	ulong s = 0;
	for (size_t i = 0; i < n; i++) s += part[i];
	size[at] = get_local_size(0) * 100 + get_local_size(1);
	sums[at] = s;
	linear[at] = l + work_group_reduce_add(1u) * 100;
}`
	const required = "__attribute__((reqd_work_group_size(8, 2, 1)))"
	compiled := func(attribute, target string) *simtc.Kernel {
		p := compile(t, fmt.Sprintf(source, attribute), simtc.Options{Strategy: simtc.Strategy{Target: target}, Std: "2.0", Emulate: target == simtc.AVX512})
		k, err := p.Kernel("k")
		require.NoError(t, err)
		return k
	}
	type launcher func(k *simtc.Kernel, r simtc.Range, args ...any) error
	run := func(k *simtc.Kernel, launch launcher, x, y uint64) [3][]uint64 {
		var out [3][]uint64
		for i := range out {
			out[i] = make([]uint64, x*y)
		}
		require.NoError(t, launch(k, simtc.NDRange(x, y).WithLocal(8, 2), out[0], out[1], out[2]))
		return out
	}
	launches := map[string]launcher{
		"Launch": func(k *simtc.Kernel, r simtc.Range, args ...any) error {
			return k.Launch(context.Background(), r, args...)
		},
		"Profile": func(k *simtc.Kernel, r simtc.Range, args ...any) error {
			_, err := k.Profile(context.Background(), r, args...)
			return err
		},
	}
	free := compiled("", simtc.Interpreter)
	for _, target := range simtc.Targets() {
		k := compiled(required, target)
		for name, launch := range launches {
			for _, r := range [][2]uint64{{12, 2}, {16, 4}, {16, 3}, {13, 5}, {4, 2}, {8, 1}, {16, 2}} {
				want := run(free, launches["Launch"], r[0], r[1])
				require.Equal(t, want, run(k, launch, r[0], r[1]), "%s: %s over %v", target, name, r)
			}
		}
	}
}

// Code for whole groups has the required size as a constant.
func TestRequiredSizeIsConstant(t *testing.T) {
	p := compile(t, `
__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(__global int *p) {
	p[get_global_id(0)] = get_local_size(0);
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR}})
	k, err := p.Kernel("k")
	require.NoError(t, err)
	r, err := k.Resolve(simtc.NDRange(16))
	require.NoError(t, err)
	whole, err := k.For(r)
	require.NoError(t, err)
	for _, k := range []*simtc.Kernel{k, whole} {
		text, err := k.Emit("kernel")
		require.NoError(t, err)
		require.NotContains(t, string(text), "localsize")
	}
}

// The enqueued size is that of full groups, also in the last group of a dimension.
func TestEnqueuedLocalSize(t *testing.T) {
	const source = `
__kernel %s void k(__global ulong *p, uint d) {
	size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
	p[at] = get_enqueued_local_size(0) * 1000 + get_enqueued_local_size(1) * 100 + get_enqueued_local_size(d) * 10 + get_enqueued_num_sub_groups();
}`
	for _, attribute := range []string{"", "__attribute__((reqd_work_group_size(8, 2, 1)))"} {
		for _, target := range simtc.Targets() {
			p := compile(t, fmt.Sprintf(source, attribute), simtc.Options{Strategy: simtc.Strategy{Target: target, Width: 4}, Std: "3.0", Emulate: target == simtc.AVX512})
			k, err := p.Kernel("k")
			require.NoError(t, err)
			for _, r := range [][2]uint64{{12, 3}, {16, 4}, {8, 2}, {25, 2}} {
				out := make([]uint64, r[0]*r[1])
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(r[0], r[1]).WithLocal(8, 2), out, 3))
				for i, x := range out {
					require.EqualValues(t, 8*1000+2*100+1*10+2*2, x, "%s %v: %d", target, r, i)
				}
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(r[0], r[1]).WithLocal(8, 2), out, 1))
				require.EqualValues(t, 8*1000+2*100+2*10+2*2, out[len(out)-1])
			}
		}
	}
}

// The text of a prepared kernel has the required size as a constant: ranges with smaller groups are
// errors on every target.
func TestPreparedTextIsForWholeGroups(t *testing.T) {
	p := compile(t, `
__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(__global int *p) {
	p[get_global_id(0)] = get_local_size(0);
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}})
	text, err := p.Emit("kernel")
	require.NoError(t, err)
	for _, target := range simtc.Targets() {
		p := compile(t, string(text), simtc.Options{Strategy: simtc.Strategy{Target: target}, File: "k.simt", Emulate: target == simtc.AVX512})
		k, err := p.Kernel("k")
		require.NoError(t, err)
		out := make([]int32, 16)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(16), out), target)
		require.EqualValues(t, 8, out[15], target)
		err = k.Launch(context.Background(), simtc.NDRange(12), out)
		require.ErrorContains(t, err, "multiples of its required work-group size", target)
	}
}

// A condition on the local id alone is evaluated from one lane's id, with and without barriers in
// the kernel.
func TestEdgeLanesWithoutBarriers(t *testing.T) {
	p := compile(t, `
__kernel void k(__global int *out, int n) {
	__local int t[64];
	int l = get_local_id(0);
	if (l < n) {
		t[l] = out[get_global_id(0)];
		out[get_global_id(0)] = t[l] * t[l];
	}
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Width: 4}})
	k, err := p.Kernel("k")
	require.NoError(t, err)
	out := make([]int32, 24)
	for i := range out {
		out[i] = int32(i)
	}
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(24).WithLocal(12), out, int32(5)))
	for i, x := range out {
		want := i
		if i%12 < 5 {
			want *= i
		}
		require.EqualValues(t, want, x)
	}
	stats, err := k.Stats()
	require.NoError(t, err)
	require.Equal(t, 1, stats["tests of edge lanes"])
}
