package avx512

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// The code of dot products with AVX512_VNNI; without it they are expanded.
func TestDotProducts(t *testing.T) {
	golden.Run(t, "testdata/dot/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f, err := vir.Parse("in.vir", files["in.vir"])
		require.NoError(t, err)
		require.NoError(t, vir.Verify(f))
		code, err := Compile(f, Options{VNNI: true})
		require.NoError(t, err)
		require.True(t, code.VNNI)
		require.Equal(t, asm.V4, code.Level)
		without, err := Compile(f, Options{})
		require.NoError(t, err)
		require.False(t, without.VNNI)
		require.NotContains(t, without.Text(), "vpdpbusd")
		return map[string]string{"out.s": code.Text()}
	})
}
