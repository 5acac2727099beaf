package memory_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/opt/memory"
	"github.com/simtc/simtc/vir/opt/opttest"
	"github.com/simtc/simtc/vir/virtest"
)

// pieceAccesses writes a function that gathers and scatters elements at sums of parts of the lane
// number and of scalars, under some masks. Indices stay within the buffers: at most 1500 elements of 8 bytes.
func pieceAccesses(rng *rand.Rand) string {
	w := 4 << rng.Intn(5)
	index := []string{"i32", "i64"}[rng.Intn(2)]
	elem := []string{"i32", "i32", "f32", "i64", "i16", "i8"}[rng.Intn(6)]
	size := map[string]int{"i32": 4, "f32": 4, "i64": 8, "i16": 2, "i8": 1}[elem]
	text := fmt.Sprintf(`vir f width %d scratch 0 {
entry:
  %%c = context
  %%args = load.i64 %%c disp 184 align 8 invariant
  %%p = load.i64 %%args disp %d align 8 invariant
  %%out = load.i64 %%args disp %d align 8 invariant
  %%sraw = load.%s %%p align 8
  %%s0 = and.%s %%sraw, 31
  %%s1 = and.%s %%sraw, 7
  %%v0 = splat.%sx%d %%s0
  %%v1 = splat.%sx%d %%s1
  %%l = iota.%sx%d at 0
`, w, 8*virtest.Data, 8*[]int{virtest.Out, virtest.Data}[rng.Intn(2)], index, index, index, index, w, index, w, index, w)
	text += fmt.Sprintf("  %%bits = load.i64 %%p disp %d align 8\n  %%m = unbits.i1x%d %%bits\n", 8*(1+rng.Intn(64)), w)
	mask := func() string {
		if rng.Intn(2) == 0 {
			return "%m"
		}
		return fmt.Sprintf("true:i1x%d", w)
	}
	t := fmt.Sprintf("%sx%d", index, w)
	made := 0
	op := func(format string, args ...any) string {
		made++
		text += fmt.Sprintf("  %%t%d = ", made) + fmt.Sprintf(format, args...) + "\n"
		return fmt.Sprintf("%%t%d", made)
	}
	part := func() string {
		k := rng.Intn(5)
		if rng.Intn(2) == 0 {
			return op("and.%s %%l, %d", t, 1<<k-1)
		}
		return op("lshr.%s %%l, %d", t, k)
	}
	sum := func() string {
		x := part()
		for range rng.Intn(3) {
			y := part()
			switch rng.Intn(5) {
			case 0:
				y = op("mul.%s %s, %%v0", t, y)
			case 1:
				y = op("mul.%s %%v1, %s", t, y)
			case 2:
				y = op("shl.%s %s, %d", t, y, rng.Intn(4))
			case 3:
				y = op("xor.%s %s, %d", t, y, rng.Intn(8))
			}
			x = op("add.%s %s, %s", t, x, y)
		}
		if rng.Intn(2) == 0 {
			x = op("add.%s %s, %%v%d", t, x, rng.Intn(2))
		}
		if rng.Intn(6) == 0 {
			x = op("sub.%s %s, %s", t, op("splat.%s %d:%s", t, 60, index), x)
			x = op("and.%s %s, 255", t, x)
		}
		return x
	}
	for k := range 1 + rng.Intn(3) {
		x := op("gather.%sx%d %%p, %s, %s disp %d scale %d align %d", elem, w, sum(), mask(), 64*rng.Intn(4), size, size)
		if rng.Intn(2) == 0 {
			text += fmt.Sprintf("  scatter.%sx%d %%out, %s, %s, %s disp %d scale %d align %d\n", elem, w, sum(), x, mask(), 512*k, size, size)
			continue
		}
		text += fmt.Sprintf("  vstore.%sx%d %%out, %s, true:i1x%d disp %d align %d\n", elem, w, x, w, 512*k, size)
	}
	return text + "  return\n}\n"
}

func TestPiecesKeepResults(t *testing.T) {
	st := opttest.Keeps(t, 1600, func(f *vir.Func, st opt.Stats) {
		memory.Pieces(f, st)
		memory.MaskedPieces(f, st)
		memory.MaskedPieceStores(f, st)
	}, pieceAccesses)
	require.Greater(t, st["gathers of pieces"], 150)
	require.Greater(t, st["scatters of pieces"], 20)
	require.Greater(t, st["gathers of pieces under masks"], 150)
	require.Greater(t, st["scatters of pieces under masks"], 20)
}
