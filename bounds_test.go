package simtc_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// checkedWays are a few ways on every target, by both linearizers.
var checkedWays = []simtc.Way{
	{Target: simtc.Interpreter},
	{Target: simtc.VIR, Width: 16, Linearizer: simtc.BlockIP}, {Target: simtc.VIR, Width: 4, Linearizer: simtc.Partial},
	{Target: simtc.AVX512, Width: 1}, {Target: simtc.AVX512, Width: 16, Linearizer: simtc.Partial}, {Target: simtc.AVX512, Width: 64, Linearizer: simtc.BlockIP},
	{Target: simtc.WASM, Width: 1}, {Target: simtc.WASM, Width: 4, Linearizer: simtc.Partial}, {Target: simtc.WASM, Width: 16, Linearizer: simtc.BlockIP},
}

// middleOf returns the middle n elements of an array, and a test that the others keep their values.
func middleOf(n int) (middle []int32, outside func() bool) {
	const pad = 64
	all := make([]int32, n+2*pad)
	for i := range all {
		all[i] = -7
	}
	return all[pad : pad+n : pad+n], func() bool {
		changed := func(x int32) bool { return x != -7 }
		return !slices.ContainsFunc(all[:pad], changed) && !slices.ContainsFunc(all[pad+n:], changed)
	}
}

// TestCheckedAccesses: whatever accesses memory, one that depends on data and is out of bounds
// is not made, and its error names the memory, the index, the work-item and the place.
func TestCheckedAccesses(t *testing.T) {
	cases := []struct {
		name, params, body string // the body begins in column 3 of line 2; at is 0 but for work-item 5, where it is j
		j                  int32
		std                string
		want, part         string // all of the message but the end, or a part of it
	}{
		{name: "store", body: "out[at[i]] = i;", j: 16, want: "2:14: write of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "far_store", body: "out[at[i]] = i;", j: 0x7fffffff, want: "2:14: write of 4 bytes out of bounds: index 2147483647 (byte 8589934588) of parameter 'out', which has 64 bytes"},
		{name: "before", body: "out[at[i]] = i;", j: -1, want: "2:14: write of 4 bytes out of bounds: index -1 (byte -4) of parameter 'out', which has 64 bytes"},
		{name: "load", body: "out[i & 15] = out[at[i] + 3];", j: 13, want: "2:20: read of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "unsigned", body: "out[(uint)at[i]] = i;", j: -1, want: "2:20: write of 4 bytes out of bounds: index 4294967295 (byte 17179869180) of parameter 'out', which has 64 bytes"},
		{name: "long", body: "out[(long)at[i] * at[i]] = i;", j: 1 << 20, want: "2:28: write of 4 bytes out of bounds: index 1099511627776 (byte 4398046511104) of parameter 'out', which has 64 bytes"},
		{name: "vector", body: "((__global int4 *)out)[at[i]] = i;", j: 4, want: "2:33: write of 16 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "end_of_vector", body: "vstore4((int4)(i), 0, out + at[i]);", j: 13, want: "2:3: write of 16 bytes out of bounds: index 13 (byte 52) of parameter 'out', which has 64 bytes"},
		{name: "byte", body: "((__global char *)out)[at[i]] = i;", j: 64, want: "2:33: write of 1 byte out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "atomic", body: "atomic_add(&out[at[i]], 1);", j: 16, want: "2:3: atomic operation of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "exchange", body: "atomic_cmpxchg(&out[at[i]], 0, 1);", j: -2, want: "2:3: atomic operation of 4 bytes out of bounds: index -2 (byte -8) of parameter 'out', which has 64 bytes"},
		{name: "arms", body: "if (at[i] > 15) out[at[i]] = 1; else out[i & 3] += 2;", j: 16, want: "2:30: write of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "loop", body: "for (int k = 0; k <= at[i]; k++) out[k] += k;", j: 16, want: "2:43: read of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "pointer_loop", body: "__global int *p = out; for (int k = at[i]; k >= 0; k--) *p++ = k;", j: 16, want: "2:64: write of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "endless", body: "for (int k = 0; at[i]; k++) out[k] = k;", j: 1, want: "2:38: write of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "struct", body: "struct S { int a, b, c; } __attribute__((aligned(4))); ((__global struct S *)out)[at[i]].b = i;", j: 5, want: "2:94: write of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "local_argument", params: ", __local int *l", body: "l[at[i]] = i; out[i & 3] = l[0];", j: 8, want: "2:12: write of 4 bytes out of bounds: index 8 (byte 32) of parameter 'l', which has 32 bytes"},
		{name: "local_variable", body: "__local int l[8]; l[at[i]] = i; out[i & 3] = l[0];", j: 9, want: "2:30: write of 4 bytes out of bounds: index 9 (byte 36) of __local variable 'l', which has 32 bytes"},
		{name: "private", body: "int a[5]; for (int k = 0; k < 5; k++) a[k] = i; out[i & 3] = a[at[i]];", j: 5, want: "2:65: read of 4 bytes out of bounds: index 5 (byte 20) of private variable 'a', which has 20 bytes"},
		{name: "async_copy", params: ", __local int *l", body: "l[i & 7] = i; event_t e = async_work_group_copy(out, l, 8 + at[5], 0); wait_group_events(1, &e);", j: 1, part: "read of 4 bytes out of bounds: index 8 (byte 32) of parameter 'l', which has 32 bytes"},
		{name: "of_two", body: "__global int *p = at[i] > 3 ? out + 8 : (__global int *)at; p[at[i]] = i;", j: 1 << 20,
			part: "write of 4 bytes outside of parameter 'out' and parameter 'at', one of which its pointer points to: byte 4194336 from the start of the first, which has 64 bytes; work-item (5, 0, 0)"},
		{name: "generic", std: "2.0", body: "int a[4] = {1, 2, 3, 4}; int *p = a; if (at[i] < 3) p = out; out[i & 3] = p[at[i]];", j: 1 << 20, part: "read of 4 bytes outside of parameter 'out' and private variable 'a', one of which its pointer points to"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void k(__global int *out, __global const int *at" + c.params + ") { int i = get_global_id(0);\n  " + c.body + "\n}"
			p, err := simtc.Compile(source, simtc.Options{File: "k.cl", Std: c.std, Checked: true, Verify: true, Threads: 1, Emulate: simtc.Available(simtc.AVX512) != nil})
			require.NoError(t, err)
			defer p.Close()
			for _, w := range checkedWays {
				one, err := p.Kernel("k")
				require.NoError(t, err)
				k, err := one.With(w)
				require.NoError(t, err)
				launch := func(j int32) (error, bool) {
					out, outside := middleOf(16)
					at := make([]int32, 64)
					at[5] = j
					args := []any{out, at}
					if c.params != "" {
						args = append(args, simtc.LocalMemory(32))
					}
					err := k.Launch(context.Background(), simtc.NDRange(64).WithLocal(16), args...)
					return err, outside()
				}
				for range 2 {
					err, kept := launch(c.j)
					require.True(t, kept, "%s: memory outside was written", w)
					if c.part != "" {
						require.ErrorContains(t, err, c.part, w)
					} else {
						require.EqualError(t, err, "kernel k: k.cl:"+c.want+"; work-item (5, 0, 0)", w)
					}
					var fault *simtc.Fault
					require.ErrorAs(t, err, &fault, w)
					require.Equal(t, 2, fault.Line, w)
				}
				err, kept := launch(0)
				require.NoError(t, err, "%s: an access that is in bounds was refused", w)
				require.True(t, kept, w)
			}
		})
	}
}
