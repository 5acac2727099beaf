package x86

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86/asm"
)

// carried builds a loop that carries n vectors. next computes each of them from those
// of the previous iteration.
func carried(n int, next func(w *writer, now []asm.Reg, i int) asm.Reg) *Func {
	return loopOf(
		func(w *writer, base asm.Reg) (first []asm.Reg) {
			for i := range n {
				first = append(first, load(w, base, int32(64*i)))
			}
			return first
		},
		func(w *writer, base asm.Reg, now []asm.Reg) (last []asm.Reg) {
			for i := range now {
				last = append(last, next(w, now, i))
			}
			return last
		}, storeAll)
}

// A value that a loop carries in memory stays in its slot: it is reloaded and stored
// once per iteration, and no register is saved for a move.
func TestCarriedInMemory(t *testing.T) {
	const n, more = 48, 48 - 31
	f := carried(n, func(w *writer, now []asm.Reg, i int) asm.Reg {
		d := w.vec()
		w.zmm(asm.VPADDD, d, now[i], now[i])
		return d
	})
	_, al := allocateAndVerify(t, f)
	require.GreaterOrEqual(t, al.Stats.SharedSlots, more-1)
	require.LessOrEqual(t, al.Stats.InnerReloads, more+2)
	require.LessOrEqual(t, al.Stats.InnerSpills, more+2)
}

// Values that rotate through slots must be moved, since the values of the previous
// iteration are read later.
func TestRotatedInMemory(t *testing.T) {
	const n = 48
	f := carried(n, func(w *writer, now []asm.Reg, i int) asm.Reg { return now[(i+1)%n] })
	_, al := allocateAndVerify(t, f)
	require.GreaterOrEqual(t, al.Stats.InnerReloads, n-32)
	require.LessOrEqual(t, al.Stats.InnerReloads, n, "registers are saved for each move")
}
