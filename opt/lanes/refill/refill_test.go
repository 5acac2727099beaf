package refill_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/lanes/refill"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

func shapes(f *kernel.Func) *divergence.Info {
	return divergence.Analyze(f, divergence.Options{Width: 16})
}

// TestGoldens prints the transformed kernel, or "no".
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := f.String()
		g := refill.Loop(f, shapes(f), refill.Options{})
		require.Equal(t, g != nil, refill.Fit(f, shapes(f)))
		require.Equal(t, before, f.String(), "Loop must not modify its argument")
		if g == nil {
			return map[string]string{"out.simt": "no\n"}
		}
		require.NoError(t, kernel.Verify(g))
		return map[string]string{"out.simt": g.String()}
	})
}

// TestTakesAnyLoop transforms random kernels and verifies the result. Tests that run kernels
// compare what they compute.
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

// TestNoteIsAtTheLoop checks the position of the remark, with code before the loop.
func TestNoteIsAtTheLoop(t *testing.T) {
	f := canonical.Kernel(t, map[string]string{"in.cl": `kernel void k(global const uint *in, global uint *out)
{
	int i = get_global_id(0);
	uint x = in[i], n = 0;
	if (x > 100) out[i] = 1;
	if (x > 200) out[i] = 2;
	if (x > 300) out[i] = 3;
	if (x > 400) out[i] = 4;
	if (x > 500) out[i] = 5;
	if (x > 600) out[i] = 6;
	while (x > 1) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		n++;
	}
	out[i] += n;
}
`})
	g := refill.Loop(f, shapes(f), refill.Options{})
	require.NotNil(t, g)
	require.Equal(t, 11, g.Notes[len(g.Notes)-1].Pos.Line)
}
