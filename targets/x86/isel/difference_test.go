package isel

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
)

// The condition for another constant is equivalent for all values.
func TestConditionsOfDifferences(t *testing.T) {
	holds := func(c asm.Cond, x, y int64) bool { // of bytes
		ux, uy := uint8(x), uint8(y)
		switch c {
		case asm.CondE:
			return x == y
		case asm.CondL:
			return x < y
		case asm.CondLE:
			return x <= y
		case asm.CondB:
			return ux < uy
		case asm.CondBE:
			return ux <= uy
		}
		return false
	}
	is := func(c asm.Cond, x, y int64) bool {
		switch c {
		case asm.CondNE, asm.CondG, asm.CondGE, asm.CondA, asm.CondAE:
			return !holds(c.Negate(), x, y)
		}
		return holds(c, x, y)
	}
	found := map[bool]int{}
	for _, cond := range []asm.Cond{asm.CondE, asm.CondNE, asm.CondL, asm.CondLE, asm.CondG, asm.CondGE, asm.CondB, asm.CondBE, asm.CondA, asm.CondAE} {
		for k := int64(-128); k < 128; k++ {
			for c := max(k-2, -128); c <= min(k+2, 127); c++ {
				d := &difference{c: c, cond: cond}
				ok := d.comparesWith(k, alu.I8)
				found[ok]++
				for x := int64(-128); ok && x < 128; x++ {
					require.Equal(t, is(cond, x, k), is(d.cond, x, c), "%d %s %d, now %s %d", x, cond, k, d.cond, c)
				}
			}
		}
	}
	require.Greater(t, found[true], 4000)
	require.Positive(t, found[false])
}
