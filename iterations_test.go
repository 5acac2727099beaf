package simtc_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// TestIterationsAreChosen checks that the plan vectorizes the loop of a search with an early exit,
// on all processors, and that other requested choices imply work-items as lanes.
func TestIterationsAreChosen(t *testing.T) {
	for _, processor := range simtc.Processors() {
		_, k := search(t, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR}, Processor: processor})
		w, err := k.Strategy()
		require.NoError(t, err)
		require.Equal(t, simtc.Strategy{Target: simtc.VIR, Linearizer: simtc.Partial, Bypass: simtc.BypassZeros, Divergence: simtc.Mask, Width: 64, Lanes: simtc.Iterations}, w, processor)
		require.Contains(t, w.String(), "x64 iterations")
		stats, err := k.Stats()
		require.NoError(t, err)
		require.Equal(t, 1, stats["loops with iterations as lanes"])
		for _, forced := range []simtc.Strategy{{Width: 64}, {Linearizer: simtc.BlockIP}, {Bypass: simtc.BypassNone}, {Lanes: simtc.Items}} {
			forced.Target = simtc.VIR
			other, err := k.With(forced)
			require.NoError(t, err)
			w, err := other.Strategy()
			require.NoError(t, err)
			require.Empty(t, w.Lanes, "%v", forced)
		}
	}
}

// search compiles the example of the documentation: each work-item looks for a word at 240
// positions of its own text.
func search(t *testing.T, o simtc.Options) (*simtc.Program, *simtc.Kernel) {
	t.Helper()
	source, err := os.ReadFile("docs/search.cl")
	require.NoError(t, err)
	p, err := simtc.Compile(string(source), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	k, err := p.Kernel("search")
	require.NoError(t, err)
	return p, k
}

// TestIterationsEndWithTheBuffer checks that speculative iterations do not read past a text that
// ends with the word, and in another text find nothing up to the end.
func TestIterationsEndWithTheBuffer(t *testing.T) {
	ctx := context.Background()
	for _, target := range []string{simtc.VIR, simtc.AVX512, simtc.WASM} {
		if err := simtc.Available(target); err != nil {
			t.Logf("NOT TESTED on %s: %v", target, err)
			continue
		}
		for _, width := range []int{4, 16, 64} {
			if target == simtc.WASM && width > 16 {
				continue
			}
			t.Run(fmt.Sprintf("%s x%d", target, width), func(t *testing.T) {
				_, k := search(t, simtc.Options{Strategy: simtc.Strategy{Target: target, Width: width, Lanes: simtc.Iterations}})
				for n := 1; n < 100; n += 7 {
					text := make([]byte, n)
					text[n-1] = 1
					where := make([]byte, 4)
					require.NoError(t, k.Launch(ctx, simtc.NDRange(1), text, []byte{1}, int32(1), where))
					require.EqualValues(t, n-1, binary.LittleEndian.Uint32(where))
				}
				text, where := make([]byte, 240+63), make([]byte, 4)
				require.NoError(t, k.Launch(ctx, simtc.NDRange(1), text, []byte{1}, int32(1), where))
				require.EqualValues(t, -1, int32(binary.LittleEndian.Uint32(where)))
			})
		}
	}
}

// TestIterationsNotSupported checks the reasons.
func TestIterationsNotSupported(t *testing.T) {
	_, k := search(t, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Lanes: simtc.Iterations}})
	_, err := k.Emit("wasm")
	require.ErrorContains(t, err, "does not know the sizes of buffers")
	one, err := k.With(simtc.Strategy{Target: simtc.VIR, Width: 1, Lanes: simtc.Iterations})
	require.NoError(t, err)
	_, err = one.Strategy()
	require.ErrorContains(t, err, "the width is 1")
	_, err = k.With(simtc.Strategy{Lanes: "rows"})
	require.ErrorContains(t, err, `invalid lanes "rows"`)
	p, err := simtc.Compile(`__kernel void f(__global int *p) { p[get_global_id(0)] = 1; }`, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Lanes: simtc.Iterations}, File: "f.cl"})
	require.NoError(t, err)
	f, err := p.Kernel("f")
	require.NoError(t, err)
	_, err = f.Strategy()
	const none = "f.cl:1:15: kernel f: cannot run loop iterations as lanes: it has no loop"
	require.ErrorContains(t, err, none)
	for _, kind := range []string{"plan", "vir"} {
		_, err = f.Emit(kind)
		require.ErrorContains(t, err, none, kind)
	}
	_, err = f.Costs()
	require.ErrorContains(t, err, none)
	require.NoError(t, p.Close())
}

// TestRequiredLoops checks the pragma that requires or forbids iterations as lanes.
func TestRequiredLoops(t *testing.T) {
	kernelOf := func(source string, w simtc.Strategy) *simtc.Kernel {
		p, err := simtc.Compile(source, simtc.Options{Strategy: w, File: "f.cl", Emulate: simtc.Available(simtc.AVX512) != nil})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		k, err := p.Kernel("f")
		require.NoError(t, err)
		return k
	}
	const loop = `__kernel void f(__global int *out, __global const int *a, int n) {
	int id = get_global_id(0);
	#pragma simt loop vectorize(%s)
	for (int i = 0; i < n; i++)
		%s;
}`
	copies := "out[id * n + i] = a[i] + id"
	k := kernelOf(fmt.Sprintf(loop, "enable", copies), simtc.Strategy{Target: simtc.AVX512})
	w, err := k.Strategy()
	require.NoError(t, err)
	require.Equal(t, simtc.Iterations, w.Lanes)
	out, a := make([]int32, 4*100), make([]int32, 100)
	for i := range a {
		a[i] = int32(i * i)
	}
	require.NoError(t, k.Launch(context.Background(), simtc.NDRange(4), out, a, int32(len(a))))
	for i, x := range out {
		require.Equal(t, a[i%100]+int32(i/100), x, i)
	}
	_, err = kernelOf(fmt.Sprintf(loop, "enable", "out[a[i]]++"), simtc.Strategy{Target: simtc.AVX512}).Strategy()
	require.ErrorContains(t, err, "the loop in line 4: the load in line 5 depends on the store in line 5, at an unknown distance")
	_, err = kernelOf(fmt.Sprintf(loop, "disable", copies), simtc.Strategy{Target: simtc.AVX512, Lanes: simtc.Iterations}).Strategy()
	require.ErrorContains(t, err, "the loop in line 4: the source forbids it")
	_, err = simtc.Compile(fmt.Sprintf(loop, "perhaps", copies), simtc.Options{File: "f.cl"})
	require.ErrorContains(t, err, "vectorize takes enable or disable, not 'perhaps'")
}

// TestFloatReductions checks that sums of floats have iterations as lanes only where the program allows
// another order.
func TestFloatReductions(t *testing.T) {
	const source = `__kernel void f(__global float *out, __global const float *a, int n) {
	%s
	float sum = 0;
	for (int i = 0; i < n; i++)
		sum += a[i];
	out[0] = sum;
}`
	a := make([]float32, 1000)
	for i := range a {
		a[i] = float32(i % 64)
	}
	for _, c := range []struct {
		pragma, options string
		lanes           bool
	}{
		{"", "", false}, {"", "-cl-fast-relaxed-math", true}, {"", "-cl-unsafe-math-optimizations", true},
		{"#pragma clang fp reassociate(on)", "", true}, {"#pragma clang fp reassociate(off)", "-cl-fast-relaxed-math", false},
	} {
		p, err := simtc.Compile(fmt.Sprintf(source, c.pragma), simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Lanes: simtc.Iterations, Width: 16}, BuildOptions: c.options})
		require.NoError(t, err)
		k, err := p.Kernel("f")
		require.NoError(t, err)
		out := make([]float32, 1)
		err = k.Launch(context.Background(), simtc.NDRange(1), out, a, int32(len(a)))
		if !c.lanes {
			require.ErrorContains(t, err, "iterations pass sum to the next", "%v", c)
		} else {
			require.NoError(t, err, "%v", c)
			require.EqualValues(t, 31020, out[0], "the sum is exact in any order")
		}
		require.NoError(t, p.Close())
	}
}

// TestIterationsOfIrreducibleKernels checks that a search in a kernel with a loop of two entries is
// vectorized, with block IPs, and that the plan considers that.
func TestIterationsOfIrreducibleKernels(t *testing.T) {
	const source = `__kernel void f(__global const int *text, __constant int *word, int n, __global int *out) {
	int at = -1;
	for (int p = 0; p < 40; p++) {
		int k = 0;
		while (k < n && text[p + k] == word[k])
			k++;
		if (k == n) {
			at = p;
			break;
		}
	}
	int x = at;
	if (x & 1)
		goto b;
a:
	x += 3;
	if (x > 100)
		goto done;
b:
	x += 5;
	if (x < 90)
		goto a;
done:
	out[get_global_id(0)] = x;
}`
	ctx := context.Background()
	const found = 21
	text := make([]byte, 4*60)
	text[4*found] = 7
	results := map[simtc.Strategy]uint32{}
	for _, w := range []simtc.Strategy{{Target: simtc.Interpreter}, {Target: simtc.VIR, Lanes: simtc.Items}, {Target: simtc.VIR, Lanes: simtc.Iterations}, {Target: simtc.VIR, Lanes: simtc.Iterations, Linearizer: simtc.Partial}} {
		p, err := simtc.Compile(source, simtc.Options{Strategy: simtc.Strategy{Target: w.Target, Lanes: w.Lanes, Linearizer: w.Linearizer}})
		require.NoError(t, err)
		k, err := p.Kernel("f")
		require.NoError(t, err)
		chosen, err := k.Strategy()
		require.NoError(t, err)
		if w.Lanes == simtc.Iterations {
			require.Equal(t, simtc.BlockIP, chosen.Linearizer)
			require.Equal(t, simtc.Iterations, chosen.Lanes)
		}
		out := make([]byte, 4)
		require.NoError(t, k.Launch(ctx, simtc.NDRange(1), text, []byte{7, 0, 0, 0}, int32(1), out))
		results[w] = binary.LittleEndian.Uint32(out)
		require.NoError(t, p.Close())
	}
	for w, x := range results {
		require.Equal(t, results[simtc.Strategy{Target: simtc.Interpreter}], x, "%v", w)
	}
	p, err := simtc.Compile(source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR}})
	require.NoError(t, err)
	k, err := p.Kernel("f")
	require.NoError(t, err)
	costs, err := k.Costs()
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(costs, func(c simtc.Cost) bool { return c.Lanes == simtc.Iterations }), "%v", costs)
	require.NoError(t, p.Close())
}
