package masks_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/interp"
	"github.com/simtc/simtc/vir/opt/edit"
	"github.com/simtc/simtc/vir/opt/masks"
)

// Scalar votes equal those of the lanes for all comparisons and operand orders, also where values
// wrap.
func TestVotesNearWrapAround(t *testing.T) {
	voted := 0
	for _, op := range []string{"slt", "sle", "ult", "ule", "eq", "ne"} {
		for _, typ := range []struct {
			name string
			bits int
		}{{"i32", 32}, {"i64", 64}} {
			for form := range 32 {
				x, y := "%v", "%l"
				if form&1 != 0 {
					x, y = y, x
				}
				not, limit, at, here := "%m", "%u", form>>3&1*16, "%q"
				if form&2 != 0 {
					not = "%n"
				}
				if form&4 != 0 {
					limit = "3:T"
				}
				if form&16 != 0 {
					here = "true:i1x8" // the vote is on the comparison alone
				}
				text := fmt.Sprintf(`vir f width 8 scratch 0 {
b0:
  %%c = context
  %%p = load.i64 %%c disp 184 align 8
  %%s = load.T %%p align 8
  %%u = load.T %%p disp 8 align 8
  %%left = load.i64 %%p disp 16 align 8
  %%sv = splat.Tx8 %%s
  %%i = iota.Tx8 at %d
  %%v = add.Tx8 %%sv, %%i
  %%l = splat.Tx8 %s
  %%m = %s.Tx8 %s, %s
  %%n = xor.i1x8 %%m, true
  %%q = prefix.i1x8 %%left at 4
  %%w = and.i1x8 %s, %s
  %%a = all.i1x8 %%w
  branch %%a, b1, b2
b1:
  store.i64 %%p, 1:i64 disp 24 align 8
  return
b2:
  %%y = any.i1x8 %%w
  branch %%y, b3, b4
b3:
  store.i64 %%p, 2:i64 disp 24 align 8
  return
b4:
  store.i64 %%p, 3:i64 disp 24 align 8
  return
}
`, at, limit, op, x, y, here, not)
				parse := func() *vir.Func {
					f, err := vir.Parse("f", strings.ReplaceAll(text, "T", typ.name))
					require.NoError(t, err)
					f.Renumber()
					return f
				}
				before, after, stats := parse(), parse(), edit.Stats{}
				masks.Votes(after, stats)
				require.NoError(t, vir.Verify(after))
				if len(stats) == 0 {
					require.Equal(t, before.String(), after.String())
					continue
				}
				voted++
				require.Positive(t, stats["sunk to divergent paths"], "%s", after)
				most := int64(1)<<(typ.bits-1) - 1
				numbers := []int64{0, 1, 2, 3, 6, 7, 8, 9, 23, 24, -1, -2, -7, -8, -9, most, most - 1, most - 6, most - 7, most - 8, most - 23, -most - 1, -most, -most + 6}
				for _, s := range numbers {
					for _, u := range numbers {
						for i, left := range []int64{11, 12, 5, 4} {
							if uint64(s+u)%3 != uint64((form+i)%3) {
								continue
							}
							require.Equal(t, votesRun(t, before, s, u, left), votesRun(t, after, s, u, left), "%d %d %d\n%s\n%s", s, u, left, before, after)
						}
					}
				}
			}
		}
	}
	require.Greater(t, voted, 200)
}

// votesRun returns the number of the block that f ended in.
func votesRun(t *testing.T, f *vir.Func, words ...int64) uint64 {
	var space memory.Space
	buf, ctx := make([]byte, 32), make([]byte, vir.CtxSize)
	for i, w := range words {
		binary.LittleEndian.PutUint64(buf[8*i:], uint64(w))
	}
	at := space.Add(ctx)
	binary.LittleEndian.PutUint64(ctx[vir.CtxArgs:], space.Add(buf))
	require.NoError(t, interp.Run(context.Background(), f, &space, at, 1000))
	return binary.LittleEndian.Uint64(buf[24:])
}
