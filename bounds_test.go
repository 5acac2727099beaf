package simtc_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// checkedWays are some strategies on every target, with both linearizers.
var checkedWays = []simtc.Strategy{
	{Target: simtc.Interpreter},
	{Target: simtc.VIR, Width: 16, Linearizer: simtc.BlockIP}, {Target: simtc.VIR, Width: 4, Linearizer: simtc.Partial},
	{Target: simtc.AVX512, Width: 1}, {Target: simtc.AVX512, Width: 16, Linearizer: simtc.Partial}, {Target: simtc.AVX512, Width: 64, Linearizer: simtc.BlockIP},
	{Target: simtc.AVX2, Width: 1}, {Target: simtc.AVX2, Width: 8, Linearizer: simtc.Partial}, {Target: simtc.AVX2, Width: 32, Linearizer: simtc.BlockIP},
	{Target: simtc.WASM, Width: 1}, {Target: simtc.WASM, Width: 4, Linearizer: simtc.Partial}, {Target: simtc.WASM, Width: 16, Linearizer: simtc.BlockIP},
}

// middleOf returns the middle n elements of an array, and a test that the others are unchanged.
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

// TestCheckedAccesses checks that an access of any kind that depends on data and is out of bounds
// is not executed, and that its error names the memory, the index, the work-item and the location.
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
		{name: "loaded_pointer", body: "__global int *p[2] = {out, out + 4}; p[at[i] & 1][at[i]] = i;", j: 1 << 20,
			part: "k.cl:2:60: write of 4 bytes outside of parameter 'out' and parameter 'at', one of which its pointer points to: byte 4194304 from the start of the first, which has 64 bytes; work-item (5, 0, 0)"},
		{name: "struct_of_pointers", body: "struct { __global int *a, *b; } s = {out, out + 2}; if (at[i] == 7) s.a = s.b; s.a[at[i]] = i;", j: -1, part: "k.cl:2:93: write of 4 bytes out"},
		{name: "integer", body: "__global int *p = (__global int *)(((ulong)out + 3) & ~3UL); p[at[i]] = i;", j: 16, want: "2:73: write of 4 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "half_read", body: "out[i & 3] = vload_half(at[i], (__global half *)out);", j: 32, want: "2:16: read of 2 bytes out of bounds: index 16 (byte 64) of parameter 'out', which has 64 bytes"},
		{name: "constant_data", body: "const int t[3] = {1, 2, 3}; out[i & 3] = t[at[i]];", j: 3, part: "read of 4 bytes out of bounds: index 3 (byte 12) of "},
		{name: "generic", std: "2.0", body: "int a[4] = {1, 2, 3, 4}; int *p = a; if (at[i] < 3) p = out; out[i & 3] = p[at[i]];", j: 1 << 20, part: "read of 4 bytes outside of parameter 'out' and private variable 'a', one of which its pointer points to"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void k(__global int *out, __global const int *at" + c.params + ") { int i = get_global_id(0);\n  " + c.body + "\n}"
			p, err := simtc.Compile(source, simtc.Options{File: "k.cl", Std: c.std, Checked: true, Debug: simtc.Debug{Verify: true}, Threads: 1, Emulate: simtc.Available(simtc.AVX512) != nil})
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
					require.True(t, kept, "%s: memory outside of the buffer was written", w)
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
				require.NoError(t, err, "%s: an access that is in bounds was rejected", w)
				require.True(t, kept, w)
			}
		})
	}
}

// TestCertainOverruns checks that an access that is out of bounds by ids and arguments alone is an
// error before anything runs.
func TestCertainOverruns(t *testing.T) {
	ints := func(n int) []int32 { return make([]int32, n) }
	for _, c := range []struct {
		name, params, body string
		rng                simtc.Range
		args               []any // after out, of 16 ints
		want               string
	}{
		{"row", "", "out[get_global_id(0)] = 1;", simtc.NDRange(17), nil, "index 16 (byte 64) of parameter 'out', which has 64 bytes; work-item (16, 0, 0)"},
		{"offset", "", "out[get_global_id(0)] = 1;", simtc.NDRange(8).WithOffset(12), nil, "index 19 (byte 76) of parameter 'out', which has 64 bytes; work-item (19, 0, 0)"},
		{"before", "", "out[(int)get_global_id(0) - 1] = 1;", simtc.NDRange(8), nil, "index -1 (byte -4) of parameter 'out', which has 64 bytes; work-item (0, 0, 0)"},
		{"guarded", ", int n", "int i = get_global_id(0); if (i < n) out[i] = 1;", simtc.NDRange(64), []any{20}, "index 19 (byte 76) of parameter 'out', which has 64 bytes; work-item (19, 0, 0)"},
		{"rows", ", int w", "out[get_global_id(1) * w + get_global_id(0)] = 1;", simtc.NDRange(4, 4), []any{5}, "index 18 (byte 72) of parameter 'out', which has 64 bytes; work-item (3, 3, 0)"},
		{"loop", ", int n", "for (int i = 0; i < n; i++) out[i] += get_global_id(0);", simtc.NDRange(2), []any{17}, "index 16 (byte 64) of parameter 'out', which has 64 bytes; work-item (1, 0, 0)"},
		{"vector", "", "((__global int4 *)out)[get_global_id(0)] = 1;", simtc.NDRange(5), nil, "index 16 (byte 64) of parameter 'out', which has 64 bytes; work-item (4, 0, 0)"},
		{"component", ", int2 v", "out[v.y] = v.x;", simtc.NDRange(1), []any{[]int32{1, 16}}, "index 16 (byte 64) of parameter 'out', which has 64 bytes; work-item (0, 0, 0)"},
		{"read", ", __global const int *in", "out[get_global_id(0)] = in[get_global_id(0)];", simtc.NDRange(16), []any{ints(15)}, "index 15 (byte 60) of parameter 'in', which has 60 bytes; work-item (15, 0, 0)"},
		{"empty", ", __global const int *in", "out[get_global_id(0)] = in[get_global_id(0)];", simtc.NDRange(1), []any{ints(0)}, "index 0 (byte 0) of parameter 'in', which has 0 bytes; work-item (0, 0, 0)"},
		{"local", ", __local int *l", "l[get_local_id(0)] = 1; out[0] = l[0];", simtc.NDRange(8).WithLocal(8), []any{simtc.LocalMemory(28)}, "index 7 (byte 28) of parameter 'l', which has 28 bytes; work-item (7, 0, 0)"},
		{"barrier", "", "__local int l[8]; l[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = l[0];", simtc.NDRange(8).WithLocal(8), nil, ""},
		{"not_reached", ", int n", "if (n) out[get_global_id(0)] = 1;", simtc.NDRange(99), []any{0}, ""},
		{"data_decides", ", __global const int *in", "if (in[0]) out[get_global_id(0)] = 1;", simtc.NDRange(99), []any{ints(1)}, ""},
		{"data_ends", ", __global const int *in", "for (int i = 0; i < 99; i++) { if (in[i] == 0) break; out[i] = 1; }", simtc.NDRange(1), []any{ints(1)}, ""},
		{"clamped", "", "out[min((int)get_global_id(0), 15)] = 1;", simtc.NDRange(99), nil, ""},
		{"null_not_used", ", __global const int *in", "if (in) out[0] = in[0];", simtc.NDRange(3), []any{nil}, ""},
		{"null_read", ", __global const int *in", "out[0] = in[2];", simtc.NDRange(3), []any{nil}, "read of 4 bytes through the null pointer passed for parameter 'in'; work-item (2, 0, 0)"},
	} {
		p := compile(t, "__kernel void k(__global int *out"+c.params+") {\n  "+c.body+"\n}", simtc.Options{File: "k.cl", Emulate: simtc.Available(simtc.AVX512) != nil, Debug: simtc.Debug{Verify: true}})
		for _, checked := range []bool{false, true} {
			k, err := p.Kernel("k")
			require.NoError(t, err)
			if checked {
				k = k.Checked()
			}
			out, outside := middleOf(16)
			err = k.Launch(context.Background(), c.rng, append([]any{out}, c.args...)...)
			require.True(t, outside(), c.name)
			if c.want == "" {
				require.NoError(t, err, c.name)
				continue
			}
			require.ErrorContains(t, err, "kernel k: k.cl:2:", c.name)
			require.ErrorContains(t, err, c.want, c.name)
			var fault *simtc.Fault
			require.ErrorAs(t, err, &fault)
			require.NotContains(t, out, int32(1), "%s: work-items ran", c.name)
		}
	}
}

// TestNullBuffers checks that the error of an access through a null pointer names the parameter
// and the location, also for accesses that depend on data, and without tests of other accesses.
func TestNullBuffers(t *testing.T) {
	const source = `__kernel void k(__global int *out, __global int *p, __global const int *at) {
  int i = get_global_id(0);
  if (at[i])
    p[i] = out[i];
}`
	p := compile(t, source, simtc.Options{File: "k.cl", Emulate: simtc.Available(simtc.AVX512) != nil, Debug: simtc.Debug{Verify: true}})
	for _, w := range checkedWays {
		one, err := p.Kernel("k")
		require.NoError(t, err)
		k, err := one.With(w)
		require.NoError(t, err)
		out, at := make([]int32, 64), make([]int32, 64)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(64), out, nil, at), w)
		at[9] = 1
		err = k.Launch(context.Background(), simtc.NDRange(64), out, nil, at)
		require.EqualError(t, err, "kernel k: k.cl:4:10: write of 4 bytes through the null pointer passed for parameter 'p'; work-item (9, 0, 0)", w)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(64), out, make([]int32, 64), at), w)
	}
}

// TestNeighbours checks that a kernel does not write past a slice of a larger array that is too
// short for it.
func TestNeighbours(t *testing.T) {
	p := compile(t, "__kernel void fill(__global int *out) { out[get_global_id(0)] = 1; }", simtc.Options{File: "fill.cl"})
	k, err := p.Kernel("fill")
	require.NoError(t, err)
	array := make([]int32, 8)
	err = k.Launch(context.Background(), simtc.NDRange(8), array[:4])
	require.EqualError(t, err, "kernel fill: fill.cl:1:63: write of 4 bytes out of bounds: index 7 (byte 28) of parameter 'out', which has 16 bytes; work-item (7, 0, 0)")
	require.Equal(t, make([]int32, 8), array)
}

// TestStructSizes checks the error for a Go struct that differs in size from the kernel's.
func TestStructSizes(t *testing.T) {
	type short struct {
		A [3]float32
		B [3]float32
	}
	type long struct {
		A [4]float32
		B [4]float32
	}
	const hint = "a vector of 3 components has the size of one of 4"
	p := compile(t, `typedef struct { float3 a, b; } S;
__kernel void p(__global S *s) { s[get_global_id(0)].b.x = 1; }
__kernel void v(S s, __global float *out) { out[0] = s.b.x; }`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.Interpreter}})
	for _, c := range []struct {
		kernel string
		args   []any
		want   []string // none: it is accepted
	}{
		{"p", []any{make([]short, 4)}, []string{"wants a slice of structs of 32 bytes, those of []simtc_test.short have 24", hint}},
		{"p", []any{make([][2]short, 4)}, []string{"wants a slice of elements of 32 bytes, those of [][2]simtc_test.short have 48"}},
		{"p", []any{make([]long, 4)}, nil},
		{"p", []any{make([][2]long, 4)}, nil},
		{"p", []any{make([]byte, 128)}, nil},
		{"p", []any{make([]float32, 32)}, nil},
		{"v", []any{short{}, make([]float32, 1)}, []string{"wants a struct of 32 bytes, simtc_test.short has 24", hint}},
		{"v", []any{long{}, make([]float32, 1)}, nil},
	} {
		k, err := p.Kernel(c.kernel)
		require.NoError(t, err)
		err = k.Launch(context.Background(), simtc.NDRange(1), c.args...)
		if c.want == nil {
			require.NoError(t, err, "%T", c.args[0])
		}
		for _, want := range c.want {
			require.ErrorContains(t, err, want, "%T", c.args[0])
		}
	}
}

// TestProvenAccesses checks that accesses are not tested if range, arguments and sizes prove that
// they are in bounds, and that tests of one position in a block are merged.
func TestProvenAccesses(t *testing.T) {
	data := make([]int32, 1024)
	for _, c := range []struct {
		name, params, body string
		rng                simtc.Range
		args               []any // after out, of 1024 ints
		tests              int
	}{
		{"row", "", "out[get_global_id(0)] = 1;", simtc.NDRange(1024), nil, 0},
		{"guard", ", int n", "int i = get_global_id(0); if (i < n) out[i] = 1;", simtc.NDRange(9999), []any{1024}, 0},
		{"rows", ", int w, int h", "int x = get_global_id(0), y = get_global_id(1); if (x < w && y < h) out[y * w + x] = 1;", simtc.NDRange(40, 40), []any{32, 32}, 0},
		{"stencil", ", int n", "int i = get_global_id(0); if (i > 0 && i < n - 1) out[i] = out[i - 1] + out[i + 1];", simtc.NDRange(1024), []any{1024}, 0},
		{"clamp", "", "int i = get_global_id(0); out[i] = out[max(i - 3, 0)] + out[min(i + 3, 1023)];", simtc.NDRange(1024), nil, 0},
		{"loop", ", int n", "for (int i = 0; i < n; i++) out[i] += i;", simtc.NDRange(8), []any{1024}, 0},
		{"nest", ", int n", "int i = get_global_id(0); for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) if (out[i] == y) out[y * n + x] += i;", simtc.NDRange(8), []any{32}, 0},
		{"groups", ", __local int *l", "int j = get_local_id(0); l[j] = j; barrier(CLK_LOCAL_MEM_FENCE); out[get_group_id(0)] = l[15 - j];", simtc.NDRange(1024).WithLocal(16), []any{simtc.LocalMemory(64)}, 0},
		{"private", "", "int a[8]; for (int k = 0; k < 8; k++) a[k] = out[k]; out[get_global_id(0)] = a[out[9] & 7];", simtc.NDRange(8), nil, 0},
		{"gather", ", __global const int *in", "int i = get_global_id(0); out[i] = in[out[i]];", simtc.NDRange(1024), []any{data}, 1},
		{"same_place", ", __global const int *in", "int i = in[get_global_id(0)]; out[i] = 2 * out[i] + out[i + 1];", simtc.NDRange(1000), []any{data}, 1},
		{"dominated", ", __global const int *in", "int i = in[get_global_id(0)]; if (out[i] > 3) out[i] = 7;", simtc.NDRange(1000), []any{data}, 1},
		{"two", ", __global const int *in", "int i = in[get_global_id(0)]; out[out[i]] = 7;", simtc.NDRange(1000), []any{data}, 2},
	} {
		p := compile(t, "__kernel void k(__global int *out"+c.params+") {\n  "+c.body+"\n}", simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR}, Checked: true, Debug: simtc.Debug{Verify: true}})
		k, err := p.Kernel("k")
		require.NoError(t, err)
		args := append([]any{make([]int32, 1024)}, c.args...)
		k, err = k.ForLaunch(c.rng, args...)
		require.NoError(t, err, c.name)
		text, err := k.Emit("kernel")
		require.NoError(t, err)
		require.Equal(t, c.tests, strings.Count(string(text), "cmpxchg"), "%s\n%s", c.name, text)
		require.NoError(t, k.Launch(context.Background(), c.rng, args...), c.name)
	}
}

// TestCheckedIterations checks that iterations of a loop cannot be lanes if its accesses are tested.
func TestCheckedIterations(t *testing.T) {
	const source = "__kernel void sum(__global int *out, __global const int *in, __global const int *end) {\n" +
		"  int s = 0, n = end[get_global_id(0)];\n  for (int i = 0; i < n; i++) s += in[i];\n  out[get_global_id(0)] = s;\n}"
	p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Lanes: simtc.Iterations, Width: 16, Target: simtc.VIR}, File: "sum.cl"})
	k, err := p.Kernel("sum")
	require.NoError(t, err)
	out, in, end := make([]int32, 4), []int32{1, 2, 3, 4, 5}, []int32{1, 2, 5, 0}
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(4), out, in, end))
	require.Equal(t, []int32{1, 3, 15, 0}, out)
	err = k.Checked().Launch(context.Background(), simtc.NDRange(4), out, in, end)
	require.EqualError(t, err, "sum.cl:1:15: kernel sum: cannot run loop iterations as lanes: accesses in its loops are tested, as their bounds depend on data")
}

// TestCheckedVariables checks that accesses to program-scope variables are tested against the
// memory of all variables, also through pointers that other variables hold.
func TestCheckedVariables(t *testing.T) {
	const source = `global int table[4];
global int *where = table + 1;
kernel void direct(global const int *i) { table[i[get_global_id(0)]] = 7; }
kernel void held(global const int *i) { where[i[get_global_id(0)]] = 8; }
`
	for _, target := range simtc.Targets() {
		p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target}, Std: "2.0", Checked: true, Emulate: target == simtc.AVX512 && simtc.Available(target) != nil})
		for _, name := range []string{"direct", "held"} {
			k, err := p.Kernel(name)
			require.NoError(t, err)
			require.NoError(t, k.Launch(context.Background(), simtc.NDRange(2), []int32{0, 2}), "%s %s", target, name)
			err = k.Launch(context.Background(), simtc.NDRange(2), []int32{1, 1 << 20})
			require.ErrorContains(t, err, "write of 4 bytes out", "%s %s", target, name)
			require.ErrorContains(t, err, "of program-scope variables", "%s %s", target, name)
		}
	}
}

// TestOutOfBoundsReads checks which certain accesses fail launches with Options.OutOfBoundsReads.
func TestOutOfBoundsReads(t *testing.T) {
	for _, c := range []struct {
		body    string
		checked bool
		want    string // "": the launch succeeds
	}{
		{"out[0] = in[0] + 0 * in[8];", false, ""},
		{"out[0] = in[0] + 0 * in[-1];", false, ""},
		{"out[0] = in[8];", true, "read of 4 bytes out of bounds"},
		{"out[1] = in[0];", false, "write of 4 bytes out of bounds"},
		{"atomic_inc(out + 1);", false, "atomic operation of 4 bytes out of bounds"},
		{"out[0] = null[0];", false, "read of 4 bytes"},
	} {
		p, err := simtc.Compile("kernel void k(global int *out, global const int *in, global int *null) { "+c.body+" }",
			simtc.Options{OutOfBoundsReads: true, Checked: c.checked, Strategy: simtc.Strategy{Target: simtc.AVX2}, Debug: simtc.Debug{EmulateMissing: true}})
		require.NoError(t, err)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		memory := make([]int32, 16)
		memory[4] = 7
		out := make([]int32, 1)
		err = k.Launch(context.Background(), simtc.NDRange(1), out, memory[4:12], simtc.Buffer(nil))
		if c.want == "" {
			require.NoError(t, err, c.body)
			require.Equal(t, int32(7), out[0], c.body)
		} else {
			var fault *simtc.Fault
			require.ErrorAs(t, err, &fault, c.body)
			require.ErrorContains(t, err, c.want, c.body)
		}
		require.NoError(t, p.Close())
	}
}
