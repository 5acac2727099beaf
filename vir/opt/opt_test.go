package opt_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/virtest"
)

// Each pass alone, every prefix of the pass list, and all passes keep the results of random functions.
func TestPassesKeepResults(t *testing.T) {
	stats := map[string]int{}
	sizes := [2]int{}
	for seed := range int64(200) {
		make := func() *vir.Func {
			o := virtest.Options{Width: 4 << (seed % 4), Size: 30}
			if seed%3 == 0 {
				o.Elems = []alu.Type{alu.I32, alu.I64}
			}
			return virtest.Random(rand.New(rand.NewSource(seed)), o)
		}
		m := virtest.NewImage(rand.New(rand.NewSource(seed)))
		want, err := virtest.Run(make(), m)
		require.NoError(t, err)
		check := func(name string, f *vir.Func, before fmt.Stringer) {
			require.NoError(t, vir.Verify(f), "seed %d, %s\n%s\n%s", seed, name, before, f)
			require.True(t, cfg.Cycles(f.Graph()).Reducible(), "seed %d, %s\n%s\n%s", seed, name, before, f)
			got, err := virtest.Run(f, m)
			require.NoError(t, err, "seed %d, %s\n%s\n%s", seed, name, before, f)
			if d := virtest.Differ(want, got); d != "" {
				t.Fatalf("seed %d, %s: %s\n%s\n%s", seed, name, d, before, f)
			}
		}
		if seed%4 == 0 {
			for _, p := range opt.Passes {
				f := make()
				p.Run(f, nil)
				check(p.Name, f, make())
			}
		}
		f := make()
		for i, p := range opt.Passes {
			p.Run(f, stats)
			if seed%4 == 0 {
				check(fmt.Sprint("the first ", i+1, " passes, to ", p.Name), f, make())
			}
		}
		check("all", f, make())
		g := make()
		opt.Run(g, nil)
		require.Equal(t, f.String(), g.String(), "the passes are not deterministic")
		sizes[0] += make().NumValues()
		sizes[1] += f.NumValues()
	}
	t.Log(sizes, stats)
	for _, name := range []string{"simplified", "merged", "implied", "dead", "hoisted", "threaded edges",
		"joined blocks", "skipped blocks", "decided branches", "inverted branches", "constant offsets folded", "removed stores", "implied any", "coalesced", "contiguous", "interleaved"} {
		require.Positive(t, stats[name], "no random function lets %q happen", name)
	}
}
