package remarks_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/remarks"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// TestRandomKernels checks that kernels with arbitrary control flow and without source
// positions get a remark with a line for each divergent branch.
func TestRandomKernels(t *testing.T) {
	divergent := 0
	for seed := range int64(60) {
		kind := []string{"reducible", "cfg", "program"}[seed%3]
		x, err := fuzz.Generate(seed, kind, fuzz.Options{Blocks: 12})
		require.NoError(t, err)
		canonical.Form(t, x.Kernel)
		for _, w := range strategies {
			in, ok := w.input(t, x.Kernel, structurize.Ones(seed%3))
			if !ok {
				continue
			}
			branches := 0
			for _, b := range in.Info.Func.Blocks {
				if len(b.Edges) > 1 && in.Info.Divergent[b.ID] {
					branches++
				}
			}
			reported := 0
			for _, r := range remarks.Of(in) {
				require.Positive(t, r.Line, "%s", r)
				require.Positive(t, r.Count, "%s", r)
				if r.Kind == remarks.Divergent || r.Kind == remarks.DivergentLoop {
					reported += r.Count
				}
			}
			require.LessOrEqual(t, reported, branches)
			require.Equal(t, branches > 0, reported > 0)
			divergent += reported
		}
	}
	require.Greater(t, divergent, 200)
}
