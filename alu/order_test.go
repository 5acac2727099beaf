package alu_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
)

// TestOrders evaluates all comparisons of numbers near 0: an implication holds for all of them, and
// where none is claimed, both outcomes occur.
func TestOrders(t *testing.T) {
	ops := []alu.Op{alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule}
	numbers := []uint64{0, 1, 2, 3, 1<<32 - 3, 1<<32 - 2, 1<<32 - 1}
	holds := func(op alu.Op, x, y uint64) bool { return alu.Eval(op, alu.I1, alu.I32, x, y, 0) != 0 }
	for _, p := range ops {
		for _, q := range ops {
			for _, c := range []struct{ not, swapped bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
				have, ok := alu.OrderOf(p)
				require.True(t, ok)
				order, _ := alu.OrderOf(q)
				if c.not {
					have = have.Without()
				}
				if c.swapped {
					have = have.Swapped()
				}
				yes, no := 0, 0
				for _, x := range numbers {
					for _, y := range numbers {
						a, b := x, y
						if c.swapped {
							a, b = y, x
						}
						switch {
						case holds(p, a, b) == c.not:
						case holds(q, x, y):
							yes++
						default:
							no++
						}
					}
				}
				result, known := alu.AnyOrder.And(have).Decides(order)
				require.Equal(t, yes == 0 || no == 0, known, "%s %s %v", alu.InfoOf(p).Name, alu.InfoOf(q).Name, c)
				if known {
					require.Equal(t, yes > 0, result)
				}
			}
		}
	}
	_, ok := alu.OrderOf(alu.FLt)
	require.False(t, ok)
}
