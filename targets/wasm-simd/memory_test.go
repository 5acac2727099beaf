package wasmsimd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// TestStoredValuesAreUsedUnconditionally: the first use of every stored value is
// outside of conditional code. wasmtime computes what is used nowhere else in
// each piece of conditional code anew; kernels that scatter were fifteen times
// as large, and as slow, when a branch went around each lane.
func TestStoredValuesAreUsedUnconditionally(t *testing.T) {
	for name, source := range map[string]string{
		"scatter": "scatter.f32x8 %0, %3, %5, %2 scale 4 align 4",
		"bytes":   "scatter.i8x8 %0, %3, %6, %2 scale 4 align 1",
		"vstore":  "vstore.f32x8 %0, %5, %2 align 4",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := vir.Parse("t.vir", `vir t width 8 scratch 0 {
b0:
  %8 = context
  %0 = load.i64 %8 disp 184 align 8
  %1 = load.i64 %8 disp 24 align 8
  %2 = prefix.i1x8 %1 at 0
  %3 = iota.i32x8 at 0
  %4 = vload.f32x8 %0, true:i1x8 align 4
  %5 = fadd.f32x8 %4, %4
  %6 = trunc.i8x8 %3
  `+source+`
  return
}
`)
			require.NoError(t, err)
			m, err := Compile([]*vir.Func{f}, Options{})
			require.NoError(t, err)
			depth, stores := 0, 0
			for _, in := range m.Funcs[0].Body {
				switch in.Op {
				case wasm.If:
					require.NotZero(t, stores, "a branch before the first store")
					depth++
				case wasm.End:
					depth--
				case wasm.V128Store, wasm.V128Store32Lane, wasm.V128Store8Lane:
					if depth == 0 {
						stores++
					}
				}
			}
			require.NotZero(t, stores)
		})
	}
}
