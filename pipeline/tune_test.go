package pipeline

import (
	"context"
	"os"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/targets/avx512"
)

// TestOpenTargetsTryNativeCode checks that, if the target is open and vectors run in an engine, launches
// also try native one-lane code, before the engine's; a requested target is kept.
func TestOpenTargetsTryNativeCode(t *testing.T) {
	if err := canRun(&avx512.OneLane, &Settings{}, 1); err != nil {
		t.Skipf("NOT TESTED: no native code beside that of an engine: %v", err)
	}
	walks, err := os.ReadFile("../testdata/walks.cl")
	require.NoError(t, err)
	const items, group = 1 << 14, 64
	for _, open := range []bool{true, false} {
		for _, name := range []string{"walk", "walk_groups"} {
			ks := compile(t, string(walks), testOptions{Strategy: Strategy{Target: WASM}, clc: clc.Options{Std: "3.0"}})
			k := ks[slices.IndexFunc(ks, func(k *Kernel) bool { return k.Name() == name })]
			k.cfg.open = open // as without AVX-512
			r, err := k.Resolve(launch.Of(items).WithLocal(group))
			require.NoError(t, err)
			f, err := k.For(r)
			require.NoError(t, err)
			x, err := f.tuned()
			require.NoError(t, err)
			at := func(target string) int {
				return slices.IndexFunc(x.configs, func(c Choice) bool { return c.target.Name == target && c.width == 1 })
			}
			if open {
				require.Greater(t, at(AVX512), 0, name)
				if wasm := at(WASM); wasm > 0 {
					require.Equal(t, wasm-1, at(AVX512), name)
				}
			} else {
				require.Equal(t, -1, at(AVX512), name)
			}
			next, out := engineWords(t, k, items), engineWords(t, k, items)
			for i := range next {
				next[i] = uint32((i*7919 + 13) % items)
			}
			launches := uint32(0)
			for ; x.Comparisons() == 0; launches++ {
				require.Less(t, launches, uint32(100_000), "the candidates have not been compared")
				require.NoError(t, x.Launch(context.Background(), r, []launch.Arg{launch.Buffer(bytesOf(next)), launch.Buffer(bytesOf(out))}, 2))
			}
			for i := range out {
				from := i
				if name == "walk_groups" {
					from = i/group*group + (i+1)%group
				}
				at, sum := uint32(from), uint32(0)
				for range from&31 + 8 {
					at = next[at]
					sum = sum*31 + at
				}
				require.Equal(t, launches*sum, out[i], "%s: %d after %d launches", name, i, launches)
			}
			if open {
				require.NotNil(t, k.shared.built(x.configs[at(AVX512)]), "native code was not made")
			}
		}
	}
}

// engineWords returns n zeros in the memory of the engine of k's program.
func engineWords(t *testing.T, k *Kernel, n int) []uint32 {
	b, err := k.shared.prog.EngineMemory().Alloc(4 * n)
	require.NoError(t, err)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

func bytesOf(w []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

// TestCandidatesAreSettled checks that a candidate of a plan is compiled as listed, whatever the other
// candidates are.
func TestCandidatesAreSettled(t *testing.T) {
	const source = `__kernel void f(__global const uchar *s, __global int *p) {
	int i = 0;
	while (i < 500 && s[get_global_id(0) * 9 + i] != 3)
		i++;
	p[get_global_id(0)] = i;
}`
	k := compile(t, source, testOptions{Strategy: Strategy{Target: VIR}})[0]
	_, err := k.shared.prepared()
	require.NoError(t, err)
	plan, err := k.shared.planFor(k.cfg)
	require.NoError(t, err)
	of := map[bool]int{}
	for _, c := range plan.configs {
		settled, err := k.shared.settle(c)
		require.NoError(t, err)
		require.Equal(t, c, settled, c.label())
		of[c.lanes == Iterations]++
	}
	require.Equal(t, 4, of[true])
	require.Greater(t, of[false], 5)
}
