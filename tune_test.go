package simtc

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// walks is the source of kernels for tests of tuning.
//
//go:embed testdata/walks.cl
var walks string

// TestLaunchesTuneThePlan checks that launches try other candidates than the planned one and run every
// work-item once. Parts of launches are compared on AVX-512 and, for buffers in the engine's memory, on
// WebAssembly; otherwise whole launches are.
func TestLaunchesTuneThePlan(t *testing.T) {
	for _, target := range []string{AVX512, WASM} {
		for name, r := range map[string]Range{
			"walk": NDRange(1 << 14), "walk_groups": NDRange(1 << 14).WithLocal(48),
		} {
			rows := r
			rows.Dims, rows.Global = 2, [3]uint64{100, 160}
			for _, r := range []Range{r, rows} {
				for _, threads := range []int{1, 3} {
					p, err := Compile(walks, Options{Strategy: Strategy{Target: target}, Threads: threads, Std: "3.0", Emulate: Available(target) != nil})
					require.NoError(t, err)
					k, err := p.Kernel(name)
					require.NoError(t, err)
					tuneWalk(t, k, r, func(n int) ([]byte, error) { return make([]byte, n), nil })
					if target == WASM {
						p, k := recompiled(t, p, k)
						tuneWalk(t, k, r, k.Alloc)
						require.NoError(t, p.Close())
					}
					require.NoError(t, p.Close())
				}
			}
		}
	}
}

// recompiled returns a new copy of the kernel, without tuning results.
func recompiled(t *testing.T, p *Program, k *Kernel) (*Program, *Kernel) {
	p, err := Compile(p.source, p.opt)
	require.NoError(t, err)
	k, err = p.Kernel(k.Name())
	require.NoError(t, err)
	return p, k
}

func tuneWalk(t *testing.T, k *Kernel, r Range, alloc func(n int) ([]byte, error)) {
	r, err := k.Resolve(r)
	require.NoError(t, err)
	f, err := k.For(r)
	require.NoError(t, err)
	x, err := f.k.Tuner()
	require.NoError(t, err)
	require.NotNil(t, x, "the plan has no tuning candidate")

	n := int(r.Global[0] * r.Global[1])
	words := func() []uint32 {
		b, err := alloc(4 * n)
		require.NoError(t, err)
		return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), n)
	}
	next, out, sums := words(), words(), make([]uint32, n)
	for i := range next {
		next[i] = uint32((i*7919 + 13) % n)
	}
	for i := range sums {
		at := uint32(i)
		for range i&31 + 8 {
			at = next[at]
			sums[i] = sums[i]*31 + at
		}
	}
	launches := uint32(0)
	for ; x.Comparisons() == 0; launches++ {
		require.Less(t, launches, uint32(100_000), "the candidates have not been compared")
		require.NoError(t, k.Launch(context.Background(), r, next, out))
	}
	width, local := int(r.Global[0]), int(r.Local[0])
	for i := range out {
		from := i
		if k.Name() == "walk_groups" {
			begin := i - i%width%local
			size := min(local, width-begin%width)
			from = begin + (i-begin+1)%size
		}
		require.Equal(t, launches*sums[from], out[i], "%d after %d launches", i, launches)
	}
	fastest, err := f.Fastest()
	require.NoError(t, err)
	candidates, err := f.k.Candidates()
	require.NoError(t, err)
	require.Equal(t, candidates[x.Best()], fastest)
}

// TestTune checks that candidates are compared ahead of launches, and that buffers keep their contents.
func TestTune(t *testing.T) {
	for _, target := range []string{AVX512, WASM} {
		for _, name := range []string{"walk", "walk_groups"} {
			p, err := Compile(walks, Options{Strategy: Strategy{Target: target}, Threads: 2, Std: "3.0", Emulate: Available(target) != nil})
			require.NoError(t, err)
			k, err := p.Kernel(name)
			require.NoError(t, err)
			r := NDRange(1 << 14).WithLocal(64)
			next, out := make([]uint32, 1<<14), make([]uint32, 1<<14)
			for i := range next {
				next[i], out[i] = uint32((i*7919+13)%len(next)), uint32(i)
			}
			began := slices.Clone(out)
			require.NoError(t, k.Tune(context.Background(), time.Minute, r, next, out))
			require.Equal(t, began, out)
			f, err := k.For(r)
			require.NoError(t, err)
			x, err := f.k.Tuner()
			require.NoError(t, err)
			require.Equal(t, 1, x.Comparisons())
			require.NoError(t, k.Tune(context.Background(), 0, r, next, out))
			require.Equal(t, began, out)
			require.NoError(t, p.Close())
		}
	}
}

// TestTuneThatFails checks that buffers are restored also after a launch that fails.
func TestTuneThatFails(t *testing.T) {
	p, err := Compile(`__kernel void spin(__global volatile int *p, int n) {
	int i = get_global_id(0);
	p[i] += 1;
	for (int j = 0; j != n; j += 2)
		p[i] += p[(i * 7 + j) & 63];
}`, Options{Strategy: Strategy{Target: WASM}, Threads: 1})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("spin")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	out := make([]int32, 64)
	err = k.Tune(ctx, time.Minute, NDRange(64), out, int32(1))
	var stopped *Stopped
	require.ErrorAs(t, err, &stopped)
	require.Equal(t, make([]int32, 64), out)
	for _, target := range []string{WASM, VIR, Interpreter} {
		w, err := k.With(Strategy{Target: target})
		require.NoError(t, err)
		require.ErrorAs(t, w.Tune(ctx, time.Minute, NDRange(64), out, int32(1)), &stopped, target)
	}
}

// TestTuneLeavesLargeMemoryAlone checks memory that takes longer to restore than the limit allows;
// memory that is only read does not count.
func TestTuneLeavesLargeMemoryAlone(t *testing.T) {
	p, err := Compile(walks, Options{Strategy: Strategy{Target: WASM}, Threads: 1})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("walk")
	require.NoError(t, err)
	next, out := make([]uint32, 1<<14), make([]uint32, 1<<16)
	for _, limit := range []time.Duration{0, 200 * time.Microsecond, math.MaxInt64} {
		require.NoError(t, k.Tune(context.Background(), limit, NDRange(1<<14), next, out))
		f, err := k.For(NDRange(1 << 14))
		require.NoError(t, err)
		x, err := f.k.Tuner()
		require.NoError(t, err)
		require.Equal(t, limit == math.MaxInt64, x.Comparisons() > 0, limit)
	}
}

// TestForcedChoicesAreNotTuned checks requested options, profiling, and a visible sub-group size.
func TestForcedChoicesAreNotTuned(t *testing.T) {
	for name, o := range map[string]Options{
		"no tuning": {NoTuning: true}, "width": {Strategy: Strategy{Width: 8}}, "linearizer": {Strategy: Strategy{Linearizer: Partial}}, "bypass": {Strategy: Strategy{Bypass: BypassNone}}, "interpreted": {Strategy: Strategy{Target: VIR}}, "oracle": {Strategy: Strategy{Target: Interpreter}},
	} {
		p, err := Compile(walks, o)
		require.NoError(t, err)
		k, err := p.Kernel("walk")
		require.NoError(t, err)
		x, err := k.k.Tuner()
		require.NoError(t, err)
		require.Nil(t, x, name)
	}
	p, err := Compile(`__kernel void size(__global uint *out) { out[get_global_id(0)] = get_sub_group_size(); }`, Options{Strategy: Strategy{Target: WASM}, Std: "3.0"})
	require.NoError(t, err)
	x, err := p.Kernels()[0].k.Tuner()
	require.NoError(t, err)
	require.Nil(t, x)
}
