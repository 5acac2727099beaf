package vectorize_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt/opttest"
	"github.com/simtc/simtc/vir/opt/vectorize"
)

// Loops that store random terms, with random initial counters, to memory they may also load.
func TestFillsKeepStoredValues(t *testing.T) {
	stats := opttest.Keeps(t, 600, vectorize.Fills, func(rng *rand.Rand) string {
		g := opttest.ReductionLoop{Rng: rng, Counter: opttest.Pick(rng, "i32", "i64"), K: "%k", Index: "%k"}
		g.Out.WriteString("vir f width 1 scratch 0 noalias 8 16 {\nentry:\n")
		g.Line("%%c = context")
		g.Line("%%args = load.i64 %%c disp 184 align 8 invariant")
		g.Line("%%data = load.i64 %%args disp 8 align 8 invariant")
		g.Line("%%out = load.i64 %%args disp 16 align 8 invariant")
		g.Line("%%near = add.i64 %s, 1024", opttest.Pick(rng, "%data", "%data", "%data", "%out"))
		g.Line("%%far = add.i64 %%data, 4096")
		for _, t := range opttest.Types[:4] {
			g.Line("%%same_%s = load.%s %%data disp 5000 align 1", t, t)
		}
		from := rng.Intn(4)
		g.Line("jump head(%d)", from)
		fmt.Fprintf(&g.Out, "head(%%k: %s):\n", g.Counter)
		g.Line("%%t = %s.%s %%k, %d", opttest.Pick(rng, "slt", "ult", "sle"), g.Counter, from+1+rng.Intn(opttest.Pick(rng, 5, 40)))
		g.Line("branch %%t, body, done")
		g.Out.WriteString("body:\n")
		if g.Counter == "i32" {
			g.Index = g.Op("sext.i64 %%k")
		}
		for i := range 1 + rng.Intn(2) {
			t := opttest.Pick(rng, opttest.Types[:4]...)
			at := g.Op("shl.i64 %s, %d", g.Index, map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[opttest.Sizes[t]])
			to := g.Op("add.i64 %%out, %s", at)
			g.Line("store.%s %s, %s disp %d align 1", t, to, g.Term(t, 2), 1000*i+opttest.Pick(rng, 0, 1000, 1024))
		}
		g.Line("%%k1 = add.%s %%k, 1", g.Counter)
		g.Line("jump head(%%k1)")
		g.Out.WriteString("done:\n  return\n}\n")
		return g.Out.String()
	})
	require.Greater(t, stats["fill loops replaced"], 150)
}
