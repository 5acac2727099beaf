package simtc_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// steps counts to 1, which takes far longer for some numbers than for others.
const steps = `kernel void steps(global const uint *in, global uchar *out, uint n)
{
	size_t i = get_global_id(0);
	if (i >= n)
		return;
	uint x = in[i], count = 0;
	while (x != 1) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		count++;
	}
	out[i] = count;
}`

func compileSteps(t *testing.T, o simtc.Options) *simtc.Kernel {
	t.Helper()
	p, err := simtc.Compile(steps, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	k, err := p.Kernel("steps")
	require.NoError(t, err)
	return k
}

// TestRefill checks that refill does not change results, for any number of work-items and workers,
// including work-items that skip the loop, with both linearizers. The interpreter runs the vector IR
// where native code cannot run.
func TestRefill(t *testing.T) {
	ctx := context.Background()
	for _, target := range []string{simtc.VIR, simtc.AVX512, simtc.WASM} {
		if err := simtc.Available(target); err != nil {
			t.Logf("NOT TESTED on %s: %v", target, err)
			continue
		}
		for _, linearizer := range simtc.Linearizers() {
			for _, threads := range []int{1, 3} {
				k := compileSteps(t, simtc.Options{Strategy: simtc.Strategy{Target: target, Linearizer: linearizer, Divergence: simtc.Refill, Width: 16}, Threads: threads})
				stats, err := k.Stats()
				require.NoError(t, err)
				require.Equal(t, 1, stats["loops refilled"])
				for _, items := range []int{1, 15, 16, 17, 1000, 100_003} {
					if target == simtc.VIR && (items > 1000 || threads > 1) {
						continue // slow
					}
					in, out := make([]byte, 4*items), make([]byte, items)
					n := items - items/5
					want := make([]byte, items)
					for i := range items {
						x := uint32(i*7919%1000 + 1)
						binary.LittleEndian.PutUint32(in[4*i:], x)
						for ; x != 1 && i < n; want[i]++ {
							if x%2 == 1 {
								x = 3*x + 1
							} else {
								x /= 2
							}
						}
					}
					r := simtc.Range{Dims: 1, Global: [3]uint64{uint64(items)}}
					require.NoError(t, k.Launch(ctx, r, simtc.Buffer(in), simtc.Buffer(out), uint32(n)))
					require.Equal(t, want, out, "%s, %s, %d of %d, %d threads", target, linearizer, n, items, threads)
				}
			}
		}
	}
}

// TestRefillOverChunks uses as many work-items as a chunk has, and some more.
func TestRefillOverChunks(t *testing.T) {
	target := simtc.AVX512
	if simtc.Available(target) != nil {
		target = simtc.WASM
	}
	const items = 1<<24 + 21
	k := compileSteps(t, simtc.Options{Strategy: simtc.Strategy{Target: target, Divergence: simtc.Refill, Linearizer: simtc.Partial, Width: 16}, Threads: 1})
	in, out := make([]byte, 4*items), make([]byte, items)
	for i := range items {
		in[4*i] = 1 << (i % 3)
	}
	r := simtc.Range{Dims: 1, Global: [3]uint64{items}}
	require.NoError(t, k.Launch(context.Background(), r, simtc.Buffer(in), simtc.Buffer(out), uint32(items)))
	for i, n := range out {
		if int(n) != i%3 {
			require.Equal(t, i%3, int(n), "work-item %d", i)
		}
	}
}

// TestRefillIsTried checks that launches try refill if trip counts depend on data, though no plan
// chooses it, and do not try it for equal trip counts.
func TestRefillIsTried(t *testing.T) {
	for _, processor := range simtc.Processors() {
		for _, target := range []string{simtc.AVX512, simtc.WASM} {
			k := compileSteps(t, simtc.Options{Strategy: simtc.Strategy{Target: target}, Processor: processor})
			w, err := k.Strategy()
			require.NoError(t, err)
			require.NotEqual(t, simtc.Refill, w.Divergence)
			costs, err := k.Costs()
			require.NoError(t, err)
			tried := 0
			for _, c := range costs {
				if c.Divergence == simtc.Refill && c.Turn > 0 {
					tried++
				}
			}
			require.Positive(t, tried, "%s on %s", target, processor)
		}
	}
	p, err := simtc.Compile(`kernel void even(global float *x, int n) { for (int k = 0; k < n; k++) x[get_global_id(0)] *= 1.5f; }`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	k, err := p.Kernel("even")
	require.NoError(t, err)
	costs, err := k.Costs()
	require.NoError(t, err)
	for _, c := range costs {
		require.NotEqual(t, simtc.Refill, c.Divergence)
	}
}

// TestRemarksOfRefilledLoops checks that remarks are about the source, not about the code that
// fetches work-items, and explain why accesses are no longer strided.
func TestRemarksOfRefilledLoops(t *testing.T) {
	for _, linearizer := range simtc.Linearizers() {
		k := compileSteps(t, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Linearizer: linearizer, Divergence: simtc.Refill, Width: 16}})
		require.Empty(t, k.Warnings())
		rs, err := k.Remarks()
		require.NoError(t, err)
		kinds := map[string]int{}
		for _, r := range rs {
			kinds[r.Kind] += r.Count
			switch r.Kind {
			case "divergent-loop":
				require.Equal(t, 7, r.Line, "%s", r.Text)
				require.Contains(t, r.Text, "`x != 1` differs between lanes")
			case "divergent":
				require.Equal(t, 4, r.Line, "%s", r.Text)
			case "gather", "scatter":
				require.Contains(t, r.Text, "`get_global_id(0)` differs irregularly between lanes")
				last := r.Chain[len(r.Chain)-1]
				require.Equal(t, 7, last.Line)
				require.Contains(t, last.Text, "lanes that have left the loop take the next work-items", "%v", r.Chain)
			}
		}
		require.Equal(t, 1, kinds["divergent-loop"])
		require.Equal(t, 1, kinds["divergent"])
		require.Equal(t, 1, kinds["gather"])
		require.Equal(t, 1, kinds["scatter"])
		require.Equal(t, 1, kinds["refilled"])
		require.Zero(t, kinds["kept"]+kinds["folded"])
	}
}

// TestRefillNotSupported checks the reasons for loops that cannot be refilled or regions that cannot
// be deferred.
func TestRefillNotSupported(t *testing.T) {
	loop := "while (x != 1) x = x & 1 ? 3 * x + 1 : x / 2;"
	for body, why := range map[string]string{
		"size_t i = get_global_id(0); uint x = a[i]; " + loop + " a[i] = x;":                                                                                       "",
		"size_t i = get_local_id(0); uint x = a[i]; " + loop + " a[i] = x;":                                                                                        "as it uses work-group operations",
		"size_t i = get_global_id(0); uint x = a[i]; " + loop + " atomic_inc(a); a[i] = x;":                                                                        "as its prints, atomics",
		"size_t i = get_global_id(0); uint x = a[i]; if (x & 2) goto in; do { x++; in: x *= 3; } while (x & 4); a[i] = x;":                                         "as it has an irreducible cycle",
		"size_t i = get_global_id(0); uint x = a[i]; for (int k = 0; k < 9; k++) x = x * x + k; a[i] = x;":                                                         "as no outermost loop has an exit that diverges on data",
		"size_t i = get_global_id(0); ulong16 y = vload16(i, (global ulong *)b); uint x = a[i]; " + loop + " a[i] = x; vstore16(y * y, i + 9, (global ulong *)b);": "as the state that a lane would have to keep is too large",
	} {
		p, err := simtc.Compile("kernel void k(global uint *a, global uint *b) { "+body+" }", simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Divergence: simtc.Refill, Width: 16}})
		require.NoError(t, err, body)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		var told []string
		for _, w := range k.Warnings() {
			told = append(told, w.Message)
		}
		if why == "" {
			require.Empty(t, told, body)
			continue
		}
		require.Len(t, told, 1, body)
		require.Contains(t, told[0], "kernel k: no loop can be refilled, "+why, body)
		require.Contains(t, told[0], "; using masks")
		require.NoError(t, p.Close())
	}
	k := compileSteps(t, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Divergence: simtc.Defer, Width: 16}})
	require.Len(t, k.Warnings(), 1)
	require.Contains(t, k.Warnings()[0].Message, "kernel steps: no region can be deferred; using masks")
}
