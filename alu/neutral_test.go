package alu_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
)

func TestNeutral(t *testing.T) {
	found := 0
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		if !alu.Combines(op) {
			continue
		}
		found++
		require.True(t, alu.InfoOf(op).Commutative)
		for _, typ := range []alu.Type{alu.I8, alu.I32, alu.I64} {
			none := alu.Neutral(op, typ)
			for _, x := range []uint64{0, 1, 5, typ.Mask() >> 1, typ.Mask()>>1 + 1, typ.Mask()} {
				require.Equal(t, x, alu.Eval(op, typ, typ, x, none, 0), "%s.%s", alu.InfoOf(op).Name, typ)
			}
		}
	}
	require.Equal(t, 9, found)
	for _, op := range []alu.Op{alu.FAdd, alu.FMul, alu.FMin, alu.FMax} {
		require.True(t, alu.CombinesFloats(op))
		for _, x := range []float32{0, float32(math.Copysign(0, -1)), 1.5, -3e30, float32(math.Inf(1))} {
			require.EqualValues(t, math.Float32bits(x), alu.Eval(op, alu.F32, alu.F32, uint64(math.Float32bits(x)), alu.Neutral(op, alu.F32), 0), "%v %v", op, x)
		}
	}
	require.False(t, alu.Combines(alu.FAdd))
	require.False(t, alu.Combines(alu.Sub))
}
