package alu_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
)

// EvalLanes computes the same as Eval, also if the result overwrites an operand.
func TestLanesAreNumbers(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	types := []alu.Type{alu.I1, alu.I8, alu.I16, alu.I32, alu.I64, alu.F16, alu.F32, alu.F64}
	for op := alu.Op(1); op.Pure(); op++ {
		for _, arg := range types {
			for _, res := range types {
				if r, err := alu.ResultType(op, arg, res); err != nil || r != res {
					continue
				}
				var operands [3][]uint64
				for i := range alu.InfoOf(op).Args {
					for range 64 {
						x := rng.Uint64()
						if rng.Intn(2) == 0 {
							x = edges[rng.Intn(len(edges))]
						}
						if op == alu.Select && i == 0 {
							x &= 1
						}
						operands[i] = append(operands[i], x&arg.Mask())
					}
				}
				want, got := make([]uint64, 64), make([]uint64, 64)
				for l := range want {
					var one [3]uint64
					for i := range alu.InfoOf(op).Args {
						one[i] = operands[i][l]
					}
					want[l] = alu.Eval(op, res, arg, one[0], one[1], one[2])
				}
				alu.EvalLanes(op, res, arg, got, operands[0], operands[1], operands[2])
				require.Equal(t, want, got, "%s %s %s", alu.InfoOf(op).Name, res, arg)
				alu.EvalLanes(op, res, arg, operands[0], operands[0], operands[1], operands[2])
				require.Equal(t, want, operands[0], "%s %s %s in place", alu.InfoOf(op).Name, res, arg)
			}
		}
	}
}
