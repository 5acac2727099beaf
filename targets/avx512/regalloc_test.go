package avx512

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

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

func allocateAndVerify(t testing.TB, f *machineFunc) (*machineFunc, *allocation) {
	t.Helper()
	before := f.clone()
	al, err := allocate(f)
	require.NoError(t, err)
	require.NoError(t, verifyAllocation(before, f, al), "%s", dump(before)+"=>\n"+dump(f))
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
			before := f.clone()
			al, err := allocate(f)
			require.NoError(t, err, "shape %d seed %d", i, seed)
			if err := verifyAllocation(before, f, al); err != nil {
				if len(before.blocks) < 28 {
					t.Log(dump(before) + "=>\n" + dump(f))
				}
				require.NoError(t, err, "shape %d seed %d", i, seed)
			}
			fired.folded += al.stats.Folded
			fired.reordered += len(al.reordered)
			fired.retied += len(al.retied)
			fired.merged += len(al.merged)
			fired.shared += al.stats.SharedSlots
			fired.hoisted += al.stats.Spills - al.stats.LoopSpills
		}
	}
	require.Positive(t, fired.folded)
	require.Positive(t, fired.reordered)
	require.Positive(t, fired.retied)
	require.Positive(t, fired.merged)
	require.Positive(t, fired.hoisted)
	require.Positive(t, fired.shared)
}

// dump prints a machine function.
func dump(f *machineFunc) string {
	var s []byte
	for i, b := range f.blocks {
		s = asm.AppendFormat(s, &asm.Inst{Op: asm.LABEL, Args: [4]asm.Reg{asm.InLabel}, Target: asm.Label(i)}, asm.Options{})
		s = append(s, '\n')
		for k := range b.insts {
			s = append(asm.AppendFormat(append(s, '\t'), &b.insts[k], asm.Options{}), '\n')
		}
		for _, c := range b.copies {
			s = append(s, "\t"+c.dst.String()+" <- "+c.src.String()+"\n"...)
		}
		line := asm.Make(asm.RET)
		if !b.term.ret {
			if b.term.cond {
				line = asm.JumpIf(b.term.on, asm.Label(b.term.yes))
				s = append(asm.AppendFormat(append(s, '\t'), &line, asm.Options{}), '\n')
				line = asm.Jump(asm.Label(b.term.no))
			} else {
				line = asm.Jump(asm.Label(b.term.yes))
			}
		}
		s = append(asm.AppendFormat(append(s, '\t'), &line, asm.Options{}), '\n')
	}
	return string(s)
}
