package x86

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/x86/asm"
)

// shapes are the shapes of functions in the random tests.
var shapes = []shape{
	{blocks: 1, perBlock: 40, keepAlive: 0.1},
	{blocks: 4, perBlock: 10, params: 3, keepAlive: 0.2, constants: true},
	{blocks: 10, perBlock: 12, params: 4, keepAlive: 0.5, fixed: true, constants: true},
	{blocks: 16, perBlock: 6, params: 10, keepAlive: 0.3, fixed: true},
	{blocks: 8, perBlock: 60, params: 20, keepAlive: 0.9, fixed: true, constants: true},
	{blocks: 40, perBlock: 8, params: 5, keepAlive: 0.7, fixed: true, constants: true},
	{blocks: 12, perBlock: 10, params: 60, keepAlive: 0.6, constants: true},
	{blocks: 60, perBlock: 3, params: 3, keepAlive: 0.3, fixed: true, constants: true},
	{blocks: 100, perBlock: 2, params: 1, keepAlive: 0.05, constants: true},
}

func allocateAndVerify(t testing.TB, f *Func) (*Func, *regalloc.Allocation[asm.Inst]) {
	t.Helper()
	before := f.Clone()
	al, err := regalloc.Allocate(&f.Func, f.Registers())
	require.NoError(t, err)
	require.NoError(t, regalloc.Verify(&before.Func, &f.Func, al, f.Registers()), "%s", before.String()+"=>\n"+f.String())
	return before, al
}

func TestRandomFunctionsVerify(t *testing.T) {
	seeds := 40
	if testing.Short() {
		seeds = 10
	}
	var fired struct{ folded, reordered, retied, merged, hoisted, shared int }
	for i, sh := range shapes {
		for seed := range seeds {
			rng := rand.New(rand.NewSource(int64(seed*100 + i)))
			f := makeRandom(rng, sh)
			before := f.Clone()
			al, err := regalloc.Allocate(&f.Func, f.Registers())
			require.NoError(t, err, "shape %d seed %d", i, seed)
			if err := regalloc.Verify(&before.Func, &f.Func, al, f.Registers()); err != nil {
				if len(before.Blocks) < 28 {
					t.Log(before.String() + "=>\n" + f.String())
				}
				require.NoError(t, err, "shape %d seed %d", i, seed)
			}
			fired.folded += al.Stats.Folded
			fired.reordered += al.Stats.Reordered
			fired.retied += al.Stats.Retied
			fired.merged += al.Stats.Merged
			fired.shared += al.Stats.SharedSlots
			fired.hoisted += al.Stats.Spills - al.Stats.LoopSpills
		}
	}
	require.Positive(t, fired.folded)
	require.Positive(t, fired.reordered)
	require.Positive(t, fired.retied)
	require.Positive(t, fired.merged)
	require.Positive(t, fired.hoisted)
	require.Positive(t, fired.shared)
}
