package refill_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/refill"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

func shapes(f *kernel.Func) *divergence.Info {
	return divergence.Analyze(f, divergence.Options{Width: 16})
}

// TestGoldens shows the kernel that takes work-items by itself, or says no.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := f.String()
		g := refill.Loop(f, shapes(f), refill.Options{})
		require.Equal(t, g != nil, refill.Fit(f, shapes(f)))
		require.Equal(t, before, f.String(), "the kernel stays as it is")
		if g == nil {
			return map[string]string{"out.simt": "no\n"}
		}
		require.NoError(t, kernel.Verify(g))
		return map[string]string{"out.simt": g.String()}
	})
}

// TestTakesAnyLoop: of random kernels some have loops that can be refilled, and all that come
// of them are well formed. What they compute is compared where others are run.
func TestTakesAnyLoop(t *testing.T) {
	made := 0
	for seed := range int64(300) {
		c := fuzz.Kernel(seed, fuzz.Options{Reducible: true})
		f, err := fuzz.Clone(c.Kernel)
		require.NoError(t, err)
		canonical.Form(t, f)
		g := refill.Loop(f, shapes(f), refill.Options{Far: true, Any: true})
		if g == nil {
			continue
		}
		made++
		require.NoError(t, kernel.Verify(g), "seed %d", seed)
	}
	require.Greater(t, made, 20)
}
