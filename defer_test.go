package simtc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// rare has an arm for work-items whose id is a multiple of every, which the compiler knows if it
// is a constant.
const rare = `kernel void rare(global const uint *in, global uint *out, uint every)
{
	size_t i = get_global_id(0);
	uint x = in[i];
	if (%s) {
		for (int k = 0; k < 200; k++)
			x = x / 3 + (x %% 7) * 2654435761u;
	}
	out[i] = x ^ x >> 5;
}`

// compileRare compiles rare with a condition.
func compileRare(t *testing.T, condition string, o simtc.Options) *simtc.Kernel {
	t.Helper()
	return compileArm(t, fmt.Sprintf(rare, condition), o)
}

func compileArm(t *testing.T, source string, o simtc.Options) *simtc.Kernel {
	t.Helper()
	p, err := simtc.Compile(source, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	k, err := p.Kernel("rare")
	require.NoError(t, err)
	return k
}

// TestRareIsDeferred checks that an expensive arm is deferred, on every target and processor, if
// it is rare by the source, or expensive whatever the arguments; if neither is known, launches
// try it.
func TestRareIsDeferred(t *testing.T) {
	for _, processor := range simtc.Processors() {
		for _, target := range []string{simtc.AVX512, simtc.WASM, simtc.VIR} {
			k := compileRare(t, "(x & 1023) == 0", simtc.Options{Strategy: simtc.Strategy{Target: target}, Processor: processor})
			w, err := k.Strategy()
			require.NoError(t, err)
			require.Equal(t, simtc.Defer, w.Divergence, "%s on %s", w, processor)
			stats, err := k.Stats()
			require.NoError(t, err)
			require.Equal(t, 1, stats["regions deferred"])

			k = compileRare(t, "x > every", simtc.Options{Strategy: simtc.Strategy{Target: target}, Processor: processor})
			w, err = k.Strategy()
			require.NoError(t, err)
			require.Equal(t, simtc.Defer, w.Divergence, "%s on %s", w, processor)

			asked := strings.Replace(fmt.Sprintf(rare, "x > every"), "x = x / 3", "if (every >> k % 32 & 1) x = x / 3", 1)
			k = compileArm(t, asked, simtc.Options{Strategy: simtc.Strategy{Target: target}, Processor: processor})
			w, err = k.Strategy()
			require.NoError(t, err)
			require.NotEqual(t, simtc.Defer, w.Divergence, "%s on %s", w, processor)
			costs, err := k.Costs()
			require.NoError(t, err)
			turns := 0
			for _, c := range costs {
				if c.Divergence == simtc.Defer && c.Turn > 0 {
					turns++
				}
			}
			require.Equal(t, target != simtc.VIR, turns > 0, "%s on %s", target, processor)

			// Block IPs support it on request.
			blocks, err := k.With(simtc.Strategy{Target: target, Linearizer: simtc.BlockIP, Divergence: simtc.Defer, Width: 16})
			require.NoError(t, err)
			stats, err = blocks.Stats()
			require.NoError(t, err)
			require.Equal(t, 1, stats["regions deferred"])
			require.Empty(t, blocks.Warnings())

			// On request, its width is chosen by the plan.
			forced, err := k.With(simtc.Strategy{Target: target, Divergence: simtc.Defer})
			require.NoError(t, err)
			w, err = forced.Strategy()
			require.NoError(t, err)
			require.Greater(t, w.Width, 1, "%s on %s", w, processor)

			k = compileRare(t, "i > every", simtc.Options{Strategy: simtc.Strategy{Target: target}, Processor: processor})
			costs, err = k.Costs()
			require.NoError(t, err)
			for _, c := range costs {
				require.NotEqual(t, simtc.Defer, c.Divergence)
			}
		}
	}
}

// TestDeferralInsteadOfScalarCode checks that an arm is deferred, although its share is not known,
// if that cannot lose much compared with one-lane code, but not if its loop may be short.
func TestDeferralInsteadOfScalarCode(t *testing.T) {
	search := `kernel void rare(global const int *level, global const int *degree, global const int *neighbors, global int *next, int depth) {
	int v = get_global_id(0);
	if (level[v] != depth)
		return;
	for (int e = v * 8, end = e + degree[v]; e < end; e++) {
		int u = neighbors[e];
		if (level[u] < 0)
			next[u] = depth + 1;
	}
}`
	remainders := `kernel void rare(global float *a, global const float *b) {
	int i = get_global_id(0);
	a[i] = fmod(a[i], b[i]) + fmod(b[i], a[i]);
}`
	for _, processor := range simtc.Processors() {
		o := simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: processor}
		w, err := compileArm(t, search, o).Strategy()
		require.NoError(t, err)
		require.Equal(t, simtc.Defer, w.Divergence, "%s on %s", w, processor)
		w, err = compileArm(t, remainders, o).Strategy()
		require.NoError(t, err)
		require.NotEqual(t, simtc.Defer, w.Divergence, "%s on %s", w, processor)
	}
}

// TestDeferredOverChunks checks that deferred work-items run in every chunk, for any number of
// workers, whether there are none, few, or all. The interpreter runs the vector IR where native
// code cannot run.
func TestDeferredOverChunks(t *testing.T) {
	ctx := context.Background()
	for _, target := range []string{simtc.VIR, simtc.AVX512, simtc.WASM} {
		if err := simtc.Available(target); err != nil {
			t.Logf("NOT TESTED on %s: %v", target, err)
			continue
		}
		for _, every := range []uint32{1, 2, 1000, 1 << 30} {
			for _, threads := range []int{1, 3} {
				k := compileRare(t, "x % every == 5 % every", simtc.Options{Strategy: simtc.Strategy{Target: target, Linearizer: simtc.Partial, Divergence: simtc.Defer, Width: 16}, Threads: threads})
				stats, err := k.Stats()
				require.NoError(t, err)
				require.Equal(t, 1, stats["regions deferred"])
				for _, items := range []int{1, 15, 100_003} {
					if target == simtc.VIR && (every < 1000 || threads > 1) {
						continue // slow
					}
					in, want, out := make([]byte, 4*items), make([]byte, 4*items), make([]byte, 4*items)
					for i := range items {
						x := uint32(i)
						binary.LittleEndian.PutUint32(in[4*i:], x)
						if x%every == 5%every {
							for range 200 {
								x = x/3 + x%7*2654435761
							}
						}
						binary.LittleEndian.PutUint32(want[4*i:], x^x>>5)
					}
					r := simtc.Range{Dims: 1, Global: [3]uint64{uint64(items)}}
					require.NoError(t, k.Launch(ctx, r, simtc.Buffer(in), simtc.Buffer(out), every))
					require.True(t, bytes.Equal(want, out), "%s, every %d of %d, %d threads", target, every, items, threads)
				}
			}
		}
	}
}

// TestProfileOfDeferredRegion checks that a deferred region runs with more lanes than it would
// in place, and that every line has the same number of work-items.
func TestProfileOfDeferredRegion(t *testing.T) {
	const items = 20_000
	in, out := make([]byte, 4*items), make([]byte, 4*items)
	for i := range items {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i)*7)
	}
	var efficiency [2]float64
	var lanes [2]uint64 // that reached the loop
	for i, divergence := range []string{simtc.Mask, simtc.Defer} {
		k := compileRare(t, "(x & 1023) == 0", simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Linearizer: simtc.Partial, Bypass: simtc.BypassBoth, Divergence: divergence, Width: 16}})
		p, err := k.Profile(context.Background(), simtc.Range{Dims: 1, Global: [3]uint64{items}}, simtc.Buffer(in), simtc.Buffer(out), uint32(0))
		require.NoError(t, err)
		efficiency[i] = p.Efficiency()
		for _, b := range p.Blocks {
			if b.Line == 7 { // the loop's body
				lanes[i] += b.Lanes
			}
		}
	}
	require.Positive(t, lanes[0])
	require.Equal(t, lanes[0], lanes[1])
	require.Greater(t, efficiency[1], 3*efficiency[0])
}

// TestCostOfDeferredRegion checks that half of the work-items, the assumption without further
// knowledge, cost about half of the arm, whether there are loops before it or not.
func TestCostOfDeferredRegion(t *testing.T) {
	p, err := simtc.Compile(`kernel void k(global const float *in, global float *out, float limit)
{
	size_t i = get_global_id(0);
	float x = in[i];
	for (int j = 0; j < 6; j++)
		x = x * 0.5f + j;
	if (x > limit)
		for (int k = 0; k < 200; k++)
			x = x / (x + k);
	out[i] = x;
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	k, err := p.Kernel("k")
	require.NoError(t, err)
	costs, err := k.Costs()
	require.NoError(t, err)
	price := map[string]float64{}
	for _, c := range costs {
		if c.Width == 32 && c.Linearizer == simtc.Partial && c.Bypass == simtc.BypassBoth {
			price[c.Divergence] = c.PerItem
		}
	}
	require.InDelta(t, 0.5, price[simtc.Defer]/price[simtc.Mask], 0.1, "%v", price)
}

// The deferred region is a part of the kernel and is included in its statistics.
func TestStatsIncludeBothParts(t *testing.T) {
	const source = `
__kernel void rare(__global const float *in, __global const int *table, __global float *out, int n) {
  int i = get_global_id(0);
  float x = in[i];
  uint h = as_uint(x) * 2654435761u;
  if (h >> 22 == 0)
    for (int k = 0; k < 100; k++)
      x = x * table[(h + k) & 255] + n;
  out[i] = x;
}`
	p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Linearizer: simtc.Partial, Width: 16}})
	k, err := p.Kernel("rare")
	require.NoError(t, err)
	stats := func(divergence string) map[string]int {
		k, err := k.With(simtc.Strategy{Target: simtc.AVX512, Linearizer: simtc.Partial, Width: 16, Bypass: simtc.BypassBoth, Divergence: divergence})
		require.NoError(t, err)
		stats, err := k.Stats()
		require.NoError(t, err)
		return stats
	}
	whole, parts := stats(simtc.Mask), stats(simtc.Defer)
	require.Equal(t, 1, parts["regions deferred"])
	for _, name := range []string{"divergent branches", "uniform branches", "uniform branches kept", "accesses varying"} {
		require.NotZero(t, whole[name], name)
		require.GreaterOrEqual(t, parts[name], whole[name], name)
	}
}

// TestDeferredWorkItemsFindTheirInput checks a store that all work-items end with: deferred
// work-items execute it early with a value that they correct later. If they load its target
// later, they may not.
func TestDeferredWorkItemsFindTheirInput(t *testing.T) {
	const source = `kernel void k(global uint *x, global const uint *y, uint zero)
{
	uint i = get_global_id(0), v = x[i];
	if (v % 100 == 7) {
		v = 1;
		while (y[i ^ zero] > v)
			v = v * 3;
	} else
		v = v / 3;
	x[i] = v;
}`
	const items = 5000
	for _, target := range []string{simtc.VIR, simtc.AVX512, simtc.WASM} {
		if err := simtc.Available(target); err != nil {
			t.Logf("NOT TESTED on %s: %v", target, err)
			continue
		}
		for _, inPlace := range []bool{false, true} {
			p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: target, Linearizer: simtc.Partial, Divergence: simtc.Defer, Width: 16}})
			k, err := p.Kernel("k")
			require.NoError(t, err)
			x, want := make([]uint32, items), make([]uint32, items)
			for i := range uint32(items) {
				x[i] = i * 31
				want[i] = x[i] / 3
				if x[i]%100 == 7 {
					for want[i] = 1; x[i] > want[i]; {
						want[i] *= 3
					}
				}
			}
			y := x
			if !inPlace {
				y = slices.Clone(x)
			}
			require.NoError(t, k.Launch(context.Background(), simtc.NDRange(items), x, y, uint32(0)))
			require.Equal(t, want, x, "%s, in place: %t", target, inPlace)
		}
	}
}

// TestPlansKnowArgumentsOfLaunches checks that a launch whose argument makes a region heavy defers it,
// and that a plan for a small argument does not.
func TestPlansKnowArgumentsOfLaunches(t *testing.T) {
	k := compileArm(t, `kernel void rare(global const float *in, global float *out, float limit, int n) {
	int i = get_global_id(0);
	float v = in[i];
	if (v > limit)
		for (int k = 0; k < n; k++)
			v = sqrt(v * v + 0.3f) * 0.9f;
	out[i] = v;
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM}})
	in, out := make([]float32, 1000), make([]float32, 1000)
	for n, want := range map[int32]string{1: simtc.Mask, 1000: simtc.Defer} {
		x, err := k.ForLaunch(simtc.NDRange(1000), in, out, float32(1), n)
		require.NoError(t, err)
		w, err := x.Strategy()
		require.NoError(t, err)
		require.Equal(t, want, w.Divergence, "%s for %d", w, n)
	}
}
