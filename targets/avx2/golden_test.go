package avx2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/vir"
)

// TestGoldens shows the instructions of functions.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f, err := vir.Parse("in.vir", files["in.vir"])
		require.NoError(t, err)
		code, err := Compile(f, Options{})
		require.NoError(t, err)
		return map[string]string{"out.s": code.Text()}
	})
}
