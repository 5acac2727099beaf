package wasmsimd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// The error for code that is too long because of its width suggests a smaller one.
func TestLimitsNameTheWidth(t *testing.T) {
	code := func(width int) error {
		var b strings.Builder
		fmt.Fprintf(&b, "vir f width %d scratch 0 {\nb0:\n  %%c = context\n  %%p = load.i64 %%c disp 184 align 8 invariant\n", width)
		const values = 7000
		for i := range values {
			fmt.Fprintf(&b, "  %%v%d = vload.i64xW %%p, true:i1xW disp %d align 8\n", i, i*128)
		}
		for i := range values {
			fmt.Fprintf(&b, "  vstore.i64xW %%p, %%v%d, true:i1xW disp %d align 8\n", values-1-i, i*128)
		}
		b.WriteString("  return\n}\n")
		f, err := vir.Parse("f", strings.ReplaceAll(b.String(), "xW", fmt.Sprintf("x%d", width)))
		require.NoError(t, err)
		_, err = Compile([]*vir.Func{f}, Options{})
		return err
	}
	require.NoError(t, code(4))
	require.ErrorContains(t, code(16), "locals, engines allow 50000; a smaller width than 16 needs fewer")
}
