package alu_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
)

// Identities have no effect; two consecutive operations equal one with the folded operand.
func TestRMW(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for k := range alu.NumRMW {
		in := k.Info()
		parsed, ok := alu.ParseRMW(k.String())
		require.True(t, ok)
		require.Equal(t, k, parsed)
		for _, typ := range []alu.Type{alu.I32, alu.I64} {
			for range 1000 {
				old, a, b := rng.Uint64()&typ.Mask(), rng.Uint64()&typ.Mask(), rng.Uint64()&typ.Mask()
				twice := k.Apply(typ, k.Apply(typ, old, a), b)
				if in.Fold == alu.Invalid {
					require.Equal(t, b, twice)
					continue
				}
				require.Equal(t, old, k.Apply(typ, old, k.Identity(typ)), "%s", k)
				require.Equal(t, twice, k.Apply(typ, old, alu.Eval(in.Fold, typ, typ, a, b, 0)), "%s", k)
			}
		}
	}
	_, ok := alu.ParseRMW("nand")
	require.False(t, ok)
	require.Empty(t, alu.NumRMW.String())
}
