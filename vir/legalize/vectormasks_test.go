package legalize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/targets/avx2"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// TestAVX2 shows legal functions of a target whose masks are vectors.
func TestAVX2(t *testing.T) {
	golden.Run(t, "testdata/avx2/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f, err := vir.Parse("in.vir", files["in.vir"])
		require.NoError(t, err)
		out, err := legalize.Func(f, avx2.Legal)
		require.NoError(t, err)
		require.NoError(t, vir.Verify(out))
		return map[string]string{"out.vir": out.String()}
	})
}

// TestVectorMasks shows the lane sizes of masks and the conversions between them.
func TestVectorMasks(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f, err := vir.Parse("in.vir", files["in.vir"])
		require.NoError(t, err)
		out := legalize.VectorMasks(f, 256)
		require.NoError(t, vir.Verify(out))
		return map[string]string{"out.vir": out.String()}
	})
}
