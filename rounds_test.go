package simtc_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// wordSearch finds a word in a text of each work-item's own.
const wordSearch = `__kernel void search(__global const uchar *text, __constant uchar *word, int n, __global int *where) {
	__global const uchar *s = text + get_global_id(0) * 64;
	int at = -1;
	for (int p = 0; p < 500; p++) {
		int k = 0;
		while (k < n && s[p + k] == word[k])
			k++;
		if (k == n) {
			at = p;
			break;
		}
	}
	where[get_global_id(0)] = at;
}`

// TestRoundsAreChosen: searches that end anywhere are found to be better off with lanes
// that are rounds, on both processors; what is forced in any way has work-items there.
func TestRoundsAreChosen(t *testing.T) {
	for _, processor := range simtc.Processors() {
		_, k := search(t, simtc.Options{Target: simtc.VIR, Processor: processor})
		w, err := k.Way()
		require.NoError(t, err)
		require.Equal(t, simtc.Way{Target: simtc.VIR, Linearizer: simtc.Partial, Bypass: simtc.BypassZeros, Width: 64, Lanes: simtc.Rounds}, w, processor)
		require.Contains(t, w.String(), "x64 rounds")
		stats, err := k.Stats()
		require.NoError(t, err)
		require.Equal(t, 1, stats["loops whose rounds are lanes"])
		for _, forced := range []simtc.Way{{Width: 64}, {Linearizer: simtc.BlockIP}, {Bypass: simtc.BypassNone}, {Lanes: simtc.Items}} {
			forced.Target = simtc.VIR
			other, err := k.With(forced)
			require.NoError(t, err)
			w, err := other.Way()
			require.NoError(t, err)
			require.Empty(t, w.Lanes, "%v", forced)
		}
	}
}

func search(t *testing.T, o simtc.Options) (*simtc.Program, *simtc.Kernel) {
	t.Helper()
	p, err := simtc.Compile(wordSearch, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	k, err := p.Kernel("search")
	require.NoError(t, err)
	return p, k
}

// TestRoundsEndWithTheBuffer: the text ends with the word that is found, so that rounds
// begun behind it would read on; in another, nothing is found up to the very end.
func TestRoundsEndWithTheBuffer(t *testing.T) {
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
				_, k := search(t, simtc.Options{Target: target, Width: width, Lanes: simtc.Rounds})
				for n := 1; n < 100; n += 7 {
					text := make([]byte, n)
					text[n-1] = 1
					where := make([]byte, 4)
					require.NoError(t, k.Launch(ctx, simtc.NDRange(1), text, []byte{1}, int32(1), where))
					require.EqualValues(t, n-1, binary.LittleEndian.Uint32(where))
				}
				text, where := make([]byte, 500+63), make([]byte, 4)
				require.NoError(t, k.Launch(ctx, simtc.NDRange(1), text, []byte{1}, int32(1), where))
				require.EqualValues(t, -1, int32(binary.LittleEndian.Uint32(where)))
			})
		}
	}
}

// TestRoundsThatCannotBe says why.
func TestRoundsThatCannotBe(t *testing.T) {
	_, k := search(t, simtc.Options{Target: simtc.WASM, Lanes: simtc.Rounds})
	_, err := k.Emit("wasm")
	require.ErrorContains(t, err, "not told how large buffers are")
	one, err := k.With(simtc.Way{Target: simtc.VIR, Width: 1, Lanes: simtc.Rounds})
	require.NoError(t, err)
	_, err = one.Way()
	require.ErrorContains(t, err, "there is one")
	_, err = k.With(simtc.Way{Lanes: "rows"})
	require.ErrorContains(t, err, `lanes cannot be "rows"`)
	p, err := simtc.Compile(`__kernel void f(__global int *p) { p[get_global_id(0)] = 1; }`, simtc.Options{Target: simtc.VIR, Lanes: simtc.Rounds})
	require.NoError(t, err)
	f, err := p.Kernel("f")
	require.NoError(t, err)
	_, err = f.Way()
	require.ErrorContains(t, err, "no loop has rounds that only compute and load")
	require.NoError(t, p.Close())
}
