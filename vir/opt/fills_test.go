package opt_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt"
)

// Loops that store random terms, from random counters on, to what they may also load.
func TestFillsKeepWhatIsStored(t *testing.T) {
	stats := keeps(t, 600, opt.Fills, func(rng *rand.Rand) string {
		g := reducing{rng: rng, counter: pick(rng, "i32", "i64"), k: "%k", index: "%k"}
		g.out.WriteString("vir f width 1 scratch 0 apart 8 16 {\nentry:\n")
		g.line("%%c = context")
		g.line("%%args = load.i64 %%c disp 184 align 8 invariant")
		g.line("%%data = load.i64 %%args disp 8 align 8 invariant")
		g.line("%%out = load.i64 %%args disp 16 align 8 invariant")
		g.line("%%near = add.i64 %s, 1024", pick(rng, "%data", "%data", "%data", "%out"))
		g.line("%%far = add.i64 %%data, 4096")
		for _, t := range componentTypes[:4] {
			g.line("%%same_%s = load.%s %%data disp 5000 align 1", t, t)
		}
		from := rng.Intn(4)
		g.line("jump head(%d)", from)
		fmt.Fprintf(&g.out, "head(%%k: %s):\n", g.counter)
		g.line("%%t = %s.%s %%k, %d", pick(rng, "slt", "ult", "sle"), g.counter, from+1+rng.Intn(pick(rng, 5, 40)))
		g.line("branch %%t, body, done")
		g.out.WriteString("body:\n")
		if g.counter == "i32" {
			g.index = g.op("sext.i64 %%k")
		}
		for i := range 1 + rng.Intn(2) {
			t := pick(rng, componentTypes[:4]...)
			at := g.op("shl.i64 %s, %d", g.index, map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[sizes[t]])
			to := g.op("add.i64 %%out, %s", at)
			g.line("store.%s %s, %s disp %d align 1", t, to, g.term(t, 2), 1000*i+pick(rng, 0, 1000, 1024))
		}
		g.line("%%k1 = add.%s %%k, 1", g.counter)
		g.line("jump head(%%k1)")
		g.out.WriteString("done:\n  return\n}\n")
		return g.out.String()
	})
	require.Greater(t, stats["loops that fill"], 150)
}
