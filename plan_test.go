package simtc_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/golden"
)

func TestGoldenPlans(t *testing.T) {
	golden.Run(t, "testdata/plan/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		out := map[string]string{}
		for section, o := range map[string]simtc.Options{
			"avx512": {Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.Zen4}, "avx512 zen5": {Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.Zen5},
			"avx512 goldencove": {Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.GoldenCove},
			"wasm-simd":         {Strategy: simtc.Strategy{Target: simtc.WASM}, Processor: simtc.Zen4},
		} {
			o.File = "kernel.cl"
			text, err := compile(t, files["kernel.cl"], o).Emit("plan")
			require.NoError(t, err)
			out[section] = string(text)
		}
		return out
	})
}

// If lanes exit a loop at one branch, block IPs are just masks and are not considered; if they exit
// it at two, block IPs distinguish the exits.
func TestBlockIPsAreConsideredForSeveralExits(t *testing.T) {
	const loop = `kernel void f(global uint *p) {
  uint i = get_global_id(0), x = p[i], n = 0;
  while (x > 9) {
    %s
    x = x * 5 / 7 + (x & 3);
    n++;
  }
  p[i] = n;
}`
	looked := func(second string) bool {
		text, err := compile(t, fmt.Sprintf(loop, second), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.Zen4}).Emit("plan")
		require.NoError(t, err)
		return !strings.Contains(string(text), "\n- blockip x64")
	}
	require.False(t, looked(""))
	require.True(t, looked("if (x % 100 == 3) { n += 50; break; }"))
}

// Loops of deferred work-items have the same estimated trip count as without deferring: that of the
// kernel's counters, though lanes exit earlier.
func TestTripCountsOfDeferredLoops(t *testing.T) {
	const early = `kernel void f(global const float *in, global float *out) {
  int i = get_global_id(0);
  float x = in[i];
  if (x < -0.5f) { out[i] = -1; return; }
  for (int k = 0; k < %d; k++) {
    x = x * 1.05f + 0.01f;
    if (x > 2) { out[i] = x; return; }
    if (fabs(x) < 1e-3f) { out[i] = 0; return; }
  }
  out[i] = x / 2;
}`
	cost := func(rounds int, bypass, divergence string) float64 {
		k, err := compile(t, fmt.Sprintf(early, rounds), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.Zen4}).Kernel("")
		require.NoError(t, err)
		costs, err := k.Costs()
		require.NoError(t, err)
		for _, c := range costs {
			if c.Strategy.Bypass == bypass && c.Strategy.Divergence == divergence && c.Strategy.Width == 32 {
				return c.PerItem
			}
		}
		t.Fatal("no candidate")
		return 0
	}
	more := func(bypass, divergence string) float64 {
		return cost(200, bypass, divergence) / cost(50, bypass, divergence)
	}
	require.Greater(t, more(simtc.BypassZeros, simtc.Mask), 3.0)
	require.InEpsilon(t, more(simtc.BypassZeros, simtc.Mask), more(simtc.BypassBoth, simtc.Defer), 0.2)
}

// A vector of 64-bit numbers is divided in less time than its elements one by one, though the loop
// runs as often as the slowest lane requires.
func TestVectorsOfDivisions(t *testing.T) {
	k, err := compile(t, `kernel void f(global const ulong *a, global const ulong *b, global ulong *out) {
  size_t i = get_global_id(0);
  ulong x = a[i], y = b[i];
  while (y) {
    ulong r = x % y;
    x = y;
    y = r;
  }
  out[i] = x;
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: simtc.Zen4}).Kernel("")
	require.NoError(t, err)
	way, err := k.Strategy()
	require.NoError(t, err)
	require.Greater(t, way.Width, 1)
}

// Processors differ in the chosen strategy. For a given strategy, code differs only in gather
// sequences and row accesses.
func TestProcessors(t *testing.T) {
	_, err := simtc.Compile("__kernel void f() {}", simtc.Options{Processor: "i486"})
	require.ErrorContains(t, err, `unknown processor "i486": want one of zen4, zen5, goldencove, zen3, gracemont`)
	text, err := os.ReadFile("utest/kernels/goto_machine.cl")
	require.NoError(t, err)
	ways, asm := map[simtc.Strategy]bool{}, map[string]bool{}
	for _, name := range append(simtc.Processors(), "") {
		p := compile(t, string(text), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: name})
		k, err := p.Kernel("")
		require.NoError(t, err)
		way, err := k.Strategy()
		require.NoError(t, err)
		ways[way] = true
		k, err = k.With(simtc.Strategy{Target: simtc.AVX512, Width: 16, Linearizer: simtc.BlockIP, Bypass: simtc.BypassBoth})
		require.NoError(t, err)
		code, err := k.Emit("asm")
		require.NoError(t, err)
		asm[string(code)] = true
	}
	require.Greater(t, len(ways), 1)
	require.Len(t, asm, 1)
}

// Gathers of all lanes are gather instructions if those are fast, else single loads.
func TestGathersOfProcessors(t *testing.T) {
	for processor, loads := range map[string]int{simtc.Zen4: 1, simtc.Zen5: 1, simtc.GoldenCove: 0} {
		p := compile(t, `__kernel void f(__global int *out, __global const int *in, __global const int *at) {
  int i = get_global_id(0);
  out[i] = in[at[i]];
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}, Processor: processor})
		k, err := p.Kernel("f")
		require.NoError(t, err)
		stats, err := k.Stats()
		require.NoError(t, err)
		require.Equal(t, loads, stats["gathers of all lanes as single loads"], processor)
	}
}

// Rows of each lane are loaded as tiles, except for few lanes if gathers are fast.
func TestTilesOfProcessors(t *testing.T) {
	for _, x := range []struct {
		processor    string
		width, tiled int
	}{
		{simtc.Zen4, 4, 1}, {simtc.Zen4, 8, 1}, {simtc.Zen4, 16, 1},
		{simtc.GoldenCove, 4, 0}, {simtc.GoldenCove, 8, 0}, {simtc.GoldenCove, 16, 1},
	} {
		p := compile(t, `__kernel void f(__global float *out, __global const float *in, int n) {
  int i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; k++) sum += in[i * n + k];
  out[i] = sum;
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: x.width, Linearizer: simtc.BlockIP, Bypass: simtc.BypassZeros}, Processor: x.processor})
		k, err := p.Kernel("f")
		require.NoError(t, err)
		stats, err := k.Stats()
		require.NoError(t, err)
		require.Equal(t, x.tiled, stats["tiled gathers"], "%s, %d lanes", x.processor, x.width)
	}
}

func TestCosts(t *testing.T) {
	p := compile(t, "__kernel void f(__global float *p) { p[get_global_id(0)] *= 2; }", simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM}})
	k, err := p.Kernel("f")
	require.NoError(t, err)
	costs, err := k.Costs()
	require.NoError(t, err)
	require.Len(t, costs, 4+3) // with and without full-mask copies, one lane only once
	chosen, err := k.Strategy()
	require.NoError(t, err)
	for _, c := range costs {
		require.Greater(t, c.PerItem, 0.0)
		require.Equal(t, c.Strategy == chosen, c.Chosen)
	}
	none, err := k.With(simtc.Strategy{Target: simtc.Interpreter})
	require.NoError(t, err)
	costs, err = none.Costs()
	require.NoError(t, err)
	require.Empty(t, costs)
	_, err = none.Emit("plan")
	require.ErrorContains(t, err, "no lanes")
}

// Candidates that launches will try are marked and have a turn, only if launches tune at all.
func TestPlansMarkOnlyTunedCandidates(t *testing.T) {
	const source = `kernel void f(global int *p, int n) {
	int i = get_global_id(0), x = p[i];
	while (x > n) {
		x -= p[x & 7] + 1;
		if (x & 1)
			x /= 3;
	}
	p[i] = x;
}`
	for name, c := range map[string]struct {
		options simtc.Options
		tries   bool
	}{
		"all open": {simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}}, true}, "work-items": {simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Lanes: simtc.Items}}, true},
		"width": {simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}}, false}, "linearizer": {simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Linearizer: simtc.BlockIP}}, false},
		"bypass": {simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Bypass: simtc.BypassNone}}, false}, "no tuning": {simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, NoTuning: true}, false},
		"interpreted": {simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR}}, false},
	} {
		c.options.Processor = simtc.Zen4
		k := compile(t, source, c.options)
		text, err := k.Emit("plan")
		require.NoError(t, err)
		require.Equal(t, c.tries, strings.Contains(string(text), "\n~"), "%s\n%s", name, text)
		kernel, err := k.Kernel("f")
		require.NoError(t, err)
		costs, err := kernel.Costs()
		require.NoError(t, err)
		require.Equal(t, c.tries, slices.ContainsFunc(costs, func(c simtc.Cost) bool { return c.Turn > 0 }), name)
	}
}

// Groups of a required size have rows of a known length: the plan that is shown is the one that
// settles the kernel.
func TestCostsOfRequiredGroups(t *testing.T) {
	p := compile(t, `__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void f(__global const float *p, __global float *q) {
	__local float tile[16][16];
	tile[get_local_id(1)][get_local_id(0)] = p[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0;
	for (int k = 0; k < 16; k++)
		sum += tile[get_local_id(1)][k] * tile[k][get_local_id(0)];
	q[get_global_id(0)] = sum;
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}})
	k, err := p.Kernel("f")
	require.NoError(t, err)
	way, err := k.Strategy()
	require.NoError(t, err)
	require.Equal(t, 16, way.Width)
	costs, err := k.Costs()
	require.NoError(t, err)
	for _, c := range costs {
		require.Equal(t, c.Strategy == way, c.Chosen)
	}
	text, err := k.Emit("plan")
	require.NoError(t, err)
	require.Contains(t, string(text), fmt.Sprintf("* %s bypass=%s x%d ", way.Linearizer, way.Bypass, way.Width))
}

// costAt returns the estimated cost in ns of kernel f for avx512 on a Zen 4 at a width.
func costAt(t *testing.T, source string, width int) float64 {
	p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: width}, Processor: "zen4"})
	k, err := p.Kernel("f")
	require.NoError(t, err)
	costs, err := k.Costs()
	require.NoError(t, err)
	return costs[0].PerItem
}

// A loop from a number of the work-item by an argument or the size of the group has few iterations, as
// several work-items share them; one by a constant, or from a number that all share, has the usual
// number.
func TestCostsOfSharedIterations(t *testing.T) {
	cost := func(from, step string) float64 {
		return costAt(t, fmt.Sprintf(`kernel void f(global const float *p, global const int *ends, global float *q, int n, int m) {
	int i = get_global_id(0), l = get_local_id(0), end = ends[i];
	float x = 0;
	for (int k = %s; k < end; k += %s)
		x += p[k * 5 & 1023];
	q[i] = x;
}`, from, step), 16)
	}
	usual := cost("l", "4")
	require.InEpsilon(t, cost("m", "4"), cost("m", "n"), 0.1)
	require.Less(t, cost("l", "n"), 0.6*usual)
	require.Less(t, cost("ends[i + 1] + (l & 31)", "n"), 0.6*cost("ends[i + 1] + (l & 31)", "4"))
	require.Less(t, cost("l", "get_local_size(0)"), 0.6*usual)
}

// Of widths with deferral at nearly the same cost, the largest is chosen.
func TestWidthsOfDeferral(t *testing.T) {
	source, err := os.ReadFile("utest/bench/shapes/bfs_level.cl")
	require.NoError(t, err)
	k, err := compile(t, string(source), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX2, Divergence: simtc.Defer}, Processor: "zen5"}).Kernel("")
	require.NoError(t, err)
	way, err := k.Strategy()
	require.NoError(t, err)
	require.Equal(t, 64, way.Width)
}

// Launches try deferral where its estimate is up to twice that of other vector code, as the share of
// the deferred work-items is uncertain, and with the most lanes among estimates that are close.
func TestDeferralIsTried(t *testing.T) {
	k, err := compile(t, `kernel void visit(global const int2 *nodes, global const int *edges, global char *frontier, global char *next,
	global const char *visited, global int *cost, int n) {
	int v = get_global_id(0);
	if (v < n && frontier[v]) {
		frontier[v] = 0;
		for (int e = nodes[v].x; e < nodes[v].x + nodes[v].y; e++)
			if (!visited[edges[e]]) {
				cost[edges[e]] = cost[v] + 1;
				next[edges[e]] = 1;
			}
	}
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, Processor: "zen5"}).Kernel("")
	require.NoError(t, err)
	costs, err := k.Costs()
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(costs, func(c simtc.Cost) bool {
		return c.Strategy.Divergence == simtc.Defer && c.Strategy.Width == 64 && c.Turn > 0
	}))
}

// In an elimination, each step of which leaves one more work-item without work, half of them work on
// average, so that half of the narrow vectors are skipped.
func TestCostsOfElimination(t *testing.T) {
	wider := func(condition string) float64 {
		cost := func(width int) float64 {
			return costAt(t, fmt.Sprintf(`__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void f(__global float *a, __local float *t) {
	int l = get_local_id(0);
	t[l] = a[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int k = 0; k < 63; k++) {
		if (%s) {
			for (int j = 0; j < 16; j++)
				t[l * 16 + j & 63] -= t[l * 16 + k & 63] * t[k];
			t[l * 16 + k & 63] /= t[k];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	a[get_global_id(0)] = t[l];
}`, condition), width)
		}
		return cost(64) / cost(16)
	}
	all := wider("1")
	require.Greater(t, wider("l > k"), 1.2*all)
	require.Greater(t, wider("k >= l"), 1.2*all)
}

// In groups of a known size, vectors whose lanes all have local ids on one side of a constant run one
// side only, so that a wider vector across the border costs more.
func TestCostsOfSidesOfAGroup(t *testing.T) {
	costs := func(width int, condition string) float64 {
		return costAt(t, fmt.Sprintf(`__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void f(__global const int *p, __global float *q) {
	int l = get_local_id(0), i = get_global_id(0);
	float x = q[i];
	if (%s)
		for (int k = 1; k < 16; k++)
			x += q[(l * 7 + k * 5) & 1023];
	else
		for (int k = 1; k < 16; k++)
			x -= q[(l * 5 + k * 9) & 1023];
	__local float t[64];
	t[l] = x;
	barrier(CLK_LOCAL_MEM_FENCE);
	q[i] = t[l ^ 1];
}`, condition), width)
	}
	for _, sides := range []string{"l < 16", "l <= 15", "15 < l", "16 <= l", "!(l < 16)", "4 * l + 4 < 68", "(l >> 4) < 1"} {
		one, two := costs(16, sides), costs(32, sides)
		require.Less(t, one, 0.85*two, sides)                      // of two vectors, the one across the border runs both sides
		require.InEpsilon(t, costs(64, sides), 2*one, 0.25, sides) // the only vector runs both sides
	}
	require.InEpsilon(t, costs(32, "l < 32"), costs(16, "l < 16"), 0.25)
	require.Greater(t, costs(16, "p[i] < 16"), 1.5*costs(16, "l < 16")) // any lane may have either
}

// If a loop with an argument as trip count may run without active lanes, strategies without bypasses
// are excluded, as it may take arbitrarily long.
func TestPlansRunNoIdleLoops(t *testing.T) {
	const source = `__kernel void f(__global float *p, int n) {
	int i = get_global_id(0);
	float x = p[i];
	if (x > 3) {
		for (int k = 0; k < %s; k++)
			x = x * 0.5f + 1;
		x = sin(x) + cos(x) * exp(x);
	}
	if (x > 7)
		x = sin(x * x) + cos(x) * log(x);
	p[i] = x;
}`
	for rounds, mark := range map[string]string{"40": " ", "n": "-"} { // -: excluded, but with a cost in the table
		text, err := compile(t, fmt.Sprintf(source, rounds), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}}).Emit("plan")
		require.NoError(t, err)
		for _, width := range []int{8, 16, 32, 64} {
			require.Regexp(t, fmt.Sprintf(`(?m)^%s partial bypass=none x%d `, mark, width), string(text))
		}
	}
}

// Planning does not change the compiled code, though all candidates are derived from one kernel.
func TestPlanningDoesNotChangeTheKernel(t *testing.T) {
	const source = "__kernel void f(__global int *p) { int n = p[get_global_id(0)]; while (n > 1) n = n & 1 ? 3 * n + 1 : n / 2; p[get_global_id(0)] = n; }"
	direct, err := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 8}}).Emit("vir")
	require.NoError(t, err)
	p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}})
	_, err = p.Emit("plan")
	require.NoError(t, err)
	k, err := p.Kernel("f")
	require.NoError(t, err)
	narrow, err := k.With(simtc.Strategy{Target: simtc.AVX512, Width: 8})
	require.NoError(t, err)
	later, err := narrow.Emit("vir")
	require.NoError(t, err)
	require.Equal(t, string(direct), string(later))
}

// BenchmarkPlan measures the time of planning beyond that of producing the vector IR.
func BenchmarkPlan(b *testing.B) {
	source, err := os.ReadFile("utest/bench/kernels/mandelbrot.cl")
	require.NoError(b, err)
	for _, width := range []int{0, 32} {
		b.Run(fmt.Sprintf("width=%d", width), func(b *testing.B) {
			for b.Loop() {
				p, err := simtc.Compile(string(source), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: width}})
				require.NoError(b, err)
				_, err = p.Emit("vir")
				require.NoError(b, err)
				p.Close()
			}
		})
	}
}

// At width 1 any linearizer supports an irreducible kernel; at others only BlockIP does, whatever was
// requested.
func TestStrategiesOfIrreducibleKernels(t *testing.T) {
	p := compile(t, `__kernel void f(__global const int *p, __global int *q) {
	int i = get_global_id(0), x = p[i];
	if (x & 1) goto odd;
even:
	x = x * 3 + 1;
	if (x > 1000) goto end;
odd:
	x = x * 5 + 2;
	if (x & 6) goto even;
end:
	q[i] = x;
}`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR}})
	k := p.Kernels()[0]
	ways, err := k.Strategies(simtc.VIR)
	require.NoError(t, err)
	for _, w := range ways {
		require.True(t, w.Linearizer == simtc.BlockIP || w.Width == 1, w)
	}
	require.Contains(t, ways, simtc.Strategy{Target: simtc.VIR, Linearizer: simtc.Partial, Width: 1})
	for _, c := range []struct {
		asked string
		width int
		want  string
	}{
		{"", 1, simtc.Partial}, {simtc.Partial, 1, simtc.Partial}, {simtc.BlockIP, 1, simtc.BlockIP},
		{"", 8, simtc.BlockIP}, {simtc.Partial, 8, simtc.BlockIP},
	} {
		x, err := k.With(simtc.Strategy{Target: simtc.VIR, Linearizer: c.asked, Width: c.width})
		require.NoError(t, err)
		text, err := x.Emit("vir")
		require.NoError(t, err)
		require.NotEmpty(t, text)
		require.Equal(t, c.want, x.Linearizer(), "%v", c)
	}
}

// Loops nested so deeply that their cost overflows can still be planned.
func TestPlanOfDeepLoops(t *testing.T) {
	var loops strings.Builder
	for i := range 125 {
		fmt.Fprintf(&loops, "for (int i%d = 0; i%d < x; i%d++)\n", i, i, i)
	}
	p := compile(t, fmt.Sprintf("kernel void f(global int *p) { int x = p[get_global_id(0)];\n%s x += i3;\np[get_global_id(0)] = x; }", loops.String()),
		simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM}})
	text, err := p.Emit("plan")
	require.NoError(t, err)
	require.NotContains(t, string(text), "Inf")
	require.NotContains(t, string(text), "NaN")
}

// Long kernels without loops, such as hashes of blocks, load records row by row for full masks.
func TestLongKernelsLoadRecords(t *testing.T) {
	var rounds strings.Builder
	for i := range 240 {
		fmt.Fprintf(&rounds, "  x = rotate(x ^ w%d, %du) + (y & x | z & ~x); y += z ^ x; z = rotate(y, 7u) - w%d;\n", i%16, 1+i%31, i*5%16)
	}
	var words strings.Builder
	for i := range 16 {
		fmt.Fprintf(&words, "  uint w%d = in[i * 16 + %d];\n", i, i)
	}
	k := compile(t, fmt.Sprintf("kernel void f(global const uint *in, global uint *out) {\n  uint i = get_global_id(0), x = i, y = 1, z = 2;\n%s%s  out[i] = x + y + z;\n}\n",
		&words, &rounds), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512}, File: "kernel.cl", Processor: simtc.Zen4})
	text, err := k.Emit("plan")
	require.NoError(t, err)
	require.Contains(t, string(text), "* partial bypass=both x")
}

// The phase of a loop around a barrier runs more often than the others.
func TestCostsOfLoopsAroundBarriers(t *testing.T) {
	cost := func(inside, after string) float64 {
		return costAt(t, fmt.Sprintf(`kernel void f(global float *p, local float *t, int n) {
	int l = get_local_id(0);
	float x = p[get_global_id(0)];
	for (int k = 0; k < n; k++) {
		t[l] = x;
		barrier(CLK_LOCAL_MEM_FENCE);
		x = t[l ^ 1]%s;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	p[get_global_id(0)] = x%s;
}`, inside, after), 16)
	}
	const work = " / (x + 3) / (x + 5) / (x + 7) / (x + 9)"
	base := cost("", "")
	require.Greater(t, cost(work, "")-base, 4*(cost("", work)-base))
}
