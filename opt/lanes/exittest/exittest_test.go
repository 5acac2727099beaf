package exittest_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/exittest"
	"github.com/simtc/simtc/utest/canonical"
)

func move(t *testing.T, f *kernel.Func) (made *kernel.Func, stats opt.Stats) {
	before := f.String()
	info := divergence.Analyze(f, divergence.Options{Width: 16})
	stats = opt.Stats{}
	made = exittest.Move(f, info, stats)
	require.Equal(t, before, f.String(), "Move must not modify its argument")
	if made == f {
		require.Empty(t, stats)
		return made, stats
	}
	require.NotZero(t, stats["comparisons moved to loop exits"])
	require.NoError(t, kernel.Verify(made))
	for _, scalar := range []uint64{0, 1, 2, 3, 5, 9, 17, 0xffffffff} {
		canonical.SameMeaning(t, f, made, scalar)
	}
	return made, stats
}

// TestGoldens prints kernels with comparisons moved to loop exits.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		made, _ := move(t, f)
		if made == f {
			return map[string]string{"moved.simt": "no\n"}
		}
		return map[string]string{"moved.simt": made.String()}
	})
}

// TestRandomSearches checks that random comparisons keep their results.
func TestRandomSearches(t *testing.T) {
	moved := 0
	for seed := range int64(120) {
		r := rand.New(rand.NewSource(seed))
		pick := func(of ...string) string { return of[r.Intn(len(of))] }
		source := fmt.Sprintf(`__kernel void k(__global int *p, int m) {
  int i = get_global_id(0), j = %s, n = %s;
  %s x = m;
  while (%s && %s) j%s;
  p[i] = (%s) + 2 * (%s) + 4 * (%s)%s;
}`, pick("0", "1", "m & 3"), pick("m & 15", "7", "i & 7"), pick("int", "uint"),
			pick("j < n", "n > j", "j != n", "j <= n && j < 40"), pick("p[(j * 5 + i) & 7] > 3", "(p[i] >> (j & 31) & 1)", "j < (i & 15)"), pick("++", "++", "+= 2"),
			pick("j == n", "n == j", "j != n", "j < n"), pick("j < n", "j >= n", "n <= j", "j > n"), pick("j == n", "j > 3", "(uint)j < (uint)n", "j == x"),
			pick("", "", "", " + 8 * j"))
		if made, stats := move(t, canonical.Kernel(t, map[string]string{"in.cl": source})); made != nil && len(stats) > 0 {
			moved++
		}
	}
	require.Greater(t, moved, 10)
}
