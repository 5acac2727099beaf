package simtc_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// targetsHere lists the targets with lanes whose code runs on this machine.
func targetsHere(t *testing.T) (out []string) {
	for _, target := range []string{simtc.AVX512, simtc.AVX2, simtc.WASM, simtc.VIR} {
		if simtc.Available(target) == nil {
			out = append(out, target)
		}
	}
	require.NotEmpty(t, out)
	return out
}

const column = `kernel void column(global const float *in, global float *out, int w) {
  int y = get_global_id(0), x = get_global_id(1);
  out[y * w + x] = in[y * w + x] * 2;
}`

// dimOf returns the dimension of the lanes that the compiler chooses for a range.
func dimOf(t *testing.T, source string, r simtc.Range) string {
	t.Helper()
	k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.Zen4}).Kernel("")
	require.NoError(t, err)
	k, err = k.For(r)
	require.NoError(t, err)
	s, err := k.Strategy()
	require.NoError(t, err)
	return s.LaneDim
}

// The lanes lie along the dimension of contiguous accesses, unless its rows are too short.
func TestLaneDimFollowsAccesses(t *testing.T) {
	require.Equal(t, "1", dimOf(t, column, simtc.NDRange(500, 500)))
	require.Equal(t, "1", dimOf(t, column, simtc.NDRange(500, 20)))
	require.Equal(t, "0", dimOf(t, column, simtc.NDRange(500, 1)))
	require.Equal(t, "0", dimOf(t, column, simtc.NDRange(500)))
	row := strings.NewReplacer("id(0)", "id(1)", "id(1)", "id(0)").Replace(column)
	require.Equal(t, "0", dimOf(t, row, simtc.NDRange(500, 500)))
	require.Equal(t, "1", dimOf(t, row, simtc.NDRange(1, 500)))
	deep := strings.NewReplacer("id(1)", "id(2)").Replace(column)
	require.Equal(t, "2", dimOf(t, deep, simtc.NDRange(50, 1, 500)))
	plain := strings.NewReplacer("get_global_id(1)", "3").Replace(column)
	require.Equal(t, "", dimOf(t, plain, simtc.NDRange(500, 500)), "there is no choice")
}

// The lanes of a kernel that runs by groups lie along the longer rows of a group.
func TestLaneDimFollowsGroups(t *testing.T) {
	const source = `kernel void sums(global const int *in, global int *out, local int *part) {
  int l = get_local_id(0) + get_local_id(1), i = get_global_id(0) * get_global_size(1) + get_global_id(1);
  part[l] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = part[l ^ 1] * l;
}`
	require.Equal(t, "1", dimOf(t, source, simtc.NDRange(16, 256).WithLocal(1, 256)))
	require.Equal(t, "0", dimOf(t, source, simtc.NDRange(256, 16).WithLocal(256, 1)))
	required := strings.Replace(source, "kernel void", "kernel __attribute__((reqd_work_group_size(1, 64, 1))) void", 1)
	require.Equal(t, "1", dimOf(t, required, simtc.NDRange(16, 256)))
	// Lanes of one work-item are no reason, however little they compute.
	lines := strings.NewReplacer("get_local_id(0) + get_local_id(1)", "get_local_id(0)", "reqd_work_group_size(1, 64, 1)", "reqd_work_group_size(64, 1, 1)").Replace(required)
	require.Equal(t, "0", dimOf(t, lines, simtc.NDRange(256, 16)))
}

// Lanes span the rows of work-groups where work-items compute much, if all groups have rows of one
// power of two of work-items.
func TestLanesSpanRows(t *testing.T) {
	const source = `kernel void k(global float *p) {
  int at = get_global_id(1) * (int)get_global_size(0) + get_global_id(0), l = get_local_id(1);
  float s = p[at] + l, v = s;
  for (int i = 0; i < 100; i++) { s = s * v + 0.5f; v = fabs(v - s) * 0.3f; }
  p[at] = s;
}`
	require.Equal(t, simtc.Rows, dimOf(t, source, simtc.NDRange(64, 64).WithLocal(4, 4)))
	require.Equal(t, simtc.Rows, dimOf(t, source, simtc.NDRange(64, 64).WithLocal(8, 8)))
	require.Equal(t, simtc.Rows, dimOf(t, source, simtc.NDRange(64, 64).WithLocal(16, 16)), "rows fill a register, but several of them are faster")
	require.Equal(t, "0", dimOf(t, source, simtc.NDRange(64, 64).WithLocal(32, 2)))
	require.Equal(t, "0", dimOf(t, source, simtc.NDRange(60, 64).WithLocal(8, 8)), "the last groups are smaller")
	require.Equal(t, "0", dimOf(t, source, simtc.NDRange(63, 64).WithLocal(7, 8)))
	required := strings.Replace(source, "kernel void", "kernel __attribute__((reqd_work_group_size(8, 8, 1))) void", 1)
	require.Equal(t, simtc.Rows, dimOf(t, required, simtc.NDRange(64, 64)))
	k, err := compile(t, required, simtc.Options{Strategy: simtc.Strategy{LaneDim: simtc.Rows}}).Kernel("")
	require.NoError(t, err)
	shown, err := k.Shown("obj") // its callers' ranges are not joined
	require.NoError(t, err)
	s, err := shown.Strategy()
	require.NoError(t, err)
	require.Equal(t, "0", s.LaneDim)
	require.Len(t, shown.Warnings(), 1)
	require.Contains(t, shown.Warnings()[0].Message, "only in launches")
	require.Empty(t, k.Warnings())
}

// Code for callers of their own has lanes along dimension 0, unless another one is requested,
// which its ABI states.
func TestEmittedCodeStatesItsLaneDim(t *testing.T) {
	for dim, want := range map[string]int{"": 0, "auto": 0, "0": 0, "1": 1} {
		k, err := compile(t, column, simtc.Options{Strategy: simtc.Strategy{LaneDim: dim}}).Kernel("")
		require.NoError(t, err)
		for _, kind := range []string{"obj", "goasm", "wasm"} {
			shown, err := k.Shown(kind)
			require.NoError(t, err)
			abi, err := shown.ABI()
			require.NoError(t, err)
			require.Equal(t, want, abi["lane_dim"], "%s with %q", kind, dim)
		}
	}
}

// A forced dimension that the kernel has no position in is replaced, with a warning.
func TestLaneDimWithoutPositions(t *testing.T) {
	for source, why := range map[string]string{
		"kernel void k(global int *o) { o[get_global_id(0)] = 1; }":                                                                            "it has no position in dimension 1",
		"#pragma OPENCL EXTENSION cl_khr_subgroups : enable\nkernel void k(global int *o) { o[get_global_id(1)] = get_sub_group_local_id(); }": "sub-groups are numbered along dimension 0",
	} {
		k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, LaneDim: "1"}}).Kernel("")
		require.NoError(t, err)
		s, err := k.Strategy()
		require.NoError(t, err)
		require.Empty(t, s.LaneDim)
		warnings := k.Warnings()
		require.Len(t, warnings, 1)
		require.Equal(t, "kernel k: lanes cannot lie along dimension 1, as "+why+"; using 0", warnings[0].Message)
	}
	_, err := simtc.Compile(column, simtc.Options{Strategy: simtc.Strategy{LaneDim: "3"}})
	require.ErrorContains(t, err, `invalid lane dimension "3": want auto, 0, 1, 2, rows`)
	_, err = simtc.Compile(column, simtc.Options{Strategy: simtc.Strategy{LaneDim: "1", Lanes: simtc.Iterations}})
	require.ErrorContains(t, err, "lane dimension 1 needs work-items as lanes")
}

// The order of a launch's output does not depend on the dimension of the lanes.
func TestOutputAlongOtherDimensions(t *testing.T) {
	const source = `kernel void k() { if (get_global_id(1) != 2) printf("%d,%d,%d ", (int)get_global_id(0), (int)get_global_id(1), (int)get_global_id(2)); }`
	r := simtc.NDRange(3, 5, 4).WithLocal(2, 3, 2)
	want := ""
	for _, target := range append([]string{simtc.Interpreter}, targetsHere(t)...) {
		for _, dim := range simtc.LaneDims() {
			var out bytes.Buffer
			k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target, LaneDim: dim}, Printf: &out}).Kernel("")
			require.NoError(t, err)
			require.NoError(t, k.Launch(context.Background(), r))
			if want == "" {
				want = out.String()
				require.True(t, strings.HasPrefix(want, "0,0,0 1,0,0 0,1,0 "), want)
			}
			require.Equal(t, want, out.String(), "%s along %s", target, dim)
		}
	}
}

// An error at a barrier names the work-group by the numbers of the source.
func TestBarrierFaultsAlongOtherDimensions(t *testing.T) {
	const source = `kernel void k(global int *o) {
  if (get_group_id(1) != 2 || get_group_id(0) != 1 || get_local_id(0) > 0) barrier(CLK_GLOBAL_MEM_FENCE);
  else { barrier(CLK_GLOBAL_MEM_FENCE); }
  o[get_global_id(0) + get_global_id(1)] = get_global_id(2);
}`
	for _, target := range targetsHere(t) {
		for _, dim := range simtc.LaneDims() {
			k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target, LaneDim: dim, Width: 8}}).Kernel("")
			require.NoError(t, err)
			r := simtc.NDRange(8, 12, 2).WithLocal(4, 4, 2)
			ranged, err := k.For(r)
			require.NoError(t, err)
			s, err := ranged.Strategy()
			require.NoError(t, err)
			require.Equal(t, dim, s.LaneDim)
			err = k.Launch(context.Background(), r, make([]int32, 100))
			var f *simtc.Fault
			require.True(t, errors.As(err, &f), "%v", err)
			require.ErrorContains(t, err, "not reached by all work-items of work-group 1,2,0", "%s along %s", target, dim)
		}
	}
}

// Versions whose lanes lie along different dimensions share launches while they are compared.
func TestTuningAlongOtherDimensions(t *testing.T) {
	crossed := false
	for _, target := range targetsHere(t) {
		if target == simtc.VIR {
			continue
		}
		for _, r := range []simtc.Range{simtc.NDRange(300, 70), simtc.NDRange(20, 1050).WithLocal(4, 10)} {
			const source = `kernel void k(global const int *in, global int *out, global const int *other, int n) {
  int y = get_global_id(0), x = get_global_id(1), at = y * (int)get_global_size(1) + x, s = 0;
  for (int i = 0; i < 3; i++) s += other[(x * y + n * i) & 1023];
  out[at] += in[at] + s + %s;
}`
			for _, group := range []string{"0", "(int)get_local_id(1)"} {
				k, err := compile(t, strings.Replace(source, "%s", group, 1), simtc.Options{Strategy: simtc.Strategy{Target: target}}).Kernel("")
				require.NoError(t, err)
				items := int(r.Global[0] * r.Global[1])
				in, other := make([]int32, items), make([]int32, 1024)
				for i := range in {
					in[i] = int32(i * 7)
				}
				for i := range other {
					other[i] = int32(i*i) % 1000
				}
				ranged, err := k.For(r)
				require.NoError(t, err)
				costs, err := ranged.Costs()
				require.NoError(t, err)
				tried := map[string]bool{}
				for _, c := range costs {
					tried[c.LaneDim] = tried[c.LaneDim] || c.Chosen || c.Turn > 0
				}
				crossed = crossed || len(tried) == 2 && tried["0"] && tried["1"]
				oracle, err := k.With(simtc.Strategy{Target: simtc.Interpreter})
				require.NoError(t, err)
				want, got := make([]int32, items), make([]int32, items)
				const launches = 20
				require.NoError(t, oracle.Launch(context.Background(), r, in, want, other, int32(9)))
				require.NoError(t, k.Tune(context.Background(), 50*time.Millisecond, r, in, got, other, int32(9)))
				for range launches {
					require.NoError(t, k.Launch(context.Background(), r, in, got, other, int32(9)))
				}
				for i := range want {
					want[i] *= launches
				}
				require.Equal(t, want, got, "%s, %v", target, r)
			}
		}
	}
	require.True(t, crossed, "no tuning compares dimensions")
}

// Native code runs the rows of a unit by itself. A row that is interrupted is continued, and no row
// runs twice.
func TestInterruptedRows(t *testing.T) {
	const source = `kernel void k(global int *out, int n) {
  int x = get_global_id(0), y = get_global_id(1), s = x;
  for (int i = 0; i < n; i++) s = s * 1664525 + y;
  out[y * 8 + x] += s | 1;
}`
	const rows = 4000
	for _, target := range targetsHere(t) {
		if !simtc.IsNative(target) {
			continue
		}
		k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target, Width: 8}}).Kernel("")
		require.NoError(t, err)
		out := make([]int32, rows*8)
		const n = 10000
		require.NoError(t, k.WithThreads(1).Launch(context.Background(), simtc.NDRange(8, rows), out, int32(n)))
		// In closed form: s = x*a^n + y*(a^(n-1) + ... + 1).
		power, sum := int32(1), int32(0)
		for range n {
			sum, power = sum*1664525+1, power*1664525
		}
		for i, got := range out {
			x, y := int32(i%8), int32(i/8)
			require.Equal(t, (x*power+y*sum)|1, got, "%s: work-item %d,%d", target, x, y)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		err = k.WithThreads(1).Launch(ctx, simtc.NDRange(8, rows), out, int32(n))
		cancel()
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// The tiles of a transposition are narrow, and so are its strips, if columns share cache sets.
func TestWidthOfColumns(t *testing.T) {
	const source = `kernel void k(global const float *in, global float *out) {
  int x = get_global_id(0), y = get_global_id(1);
  out[x * (int)get_global_size(1) + y] = in[y * (int)get_global_size(0) + x];
}`
	k, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.Zen4}).Kernel("")
	require.NoError(t, err)
	for length, want := range map[uint64]int{1024: 16, 1000: 32} {
		k, err := k.For(simtc.NDRange(length, 3*length))
		require.NoError(t, err)
		s, err := k.Strategy()
		require.NoError(t, err)
		require.Equal(t, want, s.Width)
		require.Equal(t, "1", s.LaneDim, "stores are along the lanes")
	}
}
