package opt_test

import (
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/virtest"
)

// TestPassesKeepWhatFunctionsCompute runs each pass alone and all in order.
func TestPassesKeepWhatFunctionsCompute(t *testing.T) {
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
	for _, name := range []string{"simplified", "merged", "implied", "dead", "hoisted", "params", "threaded edges",
		"joined blocks", "skipped blocks", "decided branches", "inverted branches", "displacements", "removed stores", "implied any", "coalesced", "contiguous", "interleaved"} {
		require.Positive(t, stats[name], "no random function lets %q happen", name)
	}
}

// keeps runs functions that are written at random before and after a pass, and all
// passes, and returns what the pass counted.
func keeps(t *testing.T, seeds int64, pass func(*vir.Func, opt.Stats), write func(*rand.Rand) string) opt.Stats {
	stats := opt.Stats{}
	for seed := range seeds {
		rng := rand.New(rand.NewSource(seed))
		text := write(rng)
		m := virtest.NewImage(rng)
		run := func(pass func(*vir.Func)) (*vir.Func, *virtest.Image) {
			f, err := vir.Parse("f", text)
			require.NoError(t, err, text)
			pass(f)
			require.NoError(t, vir.Verify(f), "seed %d\n%s\n%s", seed, text, f)
			got, err := virtest.Run(f, m)
			require.NoError(t, err, "seed %d\n%s\n%s", seed, text, f)
			return f, got
		}
		_, want := run(func(*vir.Func) {})
		for _, pass := range []func(*vir.Func){
			func(f *vir.Func) { pass(f, stats) },
			func(f *vir.Func) { opt.Run(f, nil) },
		} {
			if f, got := run(pass); virtest.Differ(want, got) != "" {
				t.Fatalf("seed %d: %s\n%s\n%s", seed, virtest.Differ(want, got), text, f)
			}
		}
	}
	t.Log(stats)
	return stats
}

// TestGoldens optimizes the section in.vir with the passes that the first line
// of the comment names ("all" for Run).
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		first, _, _ := strings.Cut(files[golden.Comment], "\n")
		f, err := vir.Parse("in.vir", files["in.vir"])
		require.NoError(t, err)
		m := virtest.NewImage(rand.New(rand.NewSource(1)))
		want, err := virtest.Run(f, m)
		require.NoError(t, err)
		stats, scratch := map[string]int{}, f.Scratch
		if first == "all" {
			opt.Run(f, stats)
		} else {
			for _, name := range strings.Fields(first) {
				found := false
				for _, p := range slices.Concat(opt.Passes, opt.Final) {
					if p.Name == name && !found {
						found = true
						p.Run(f, stats)
					}
				}
				require.True(t, found, "no pass is called %q", name)
			}
		}
		require.NoError(t, vir.Verify(f), "%s", f)
		got, err := virtest.Run(f, m)
		require.NoError(t, err, "%s", f)
		if f.Scratch > scratch { // what passes ask for is theirs
			clear(got.Buffers[virtest.Scratch][scratch:f.Scratch])
		}
		require.Empty(t, virtest.Differ(want, got))
		var names []string
		for n := range stats {
			names = append(names, n)
		}
		sort.Strings(names)
		counts := ""
		for _, n := range names {
			counts += fmt.Sprintf("%s %d\n", n, stats[n])
		}
		return map[string]string{"out.vir": f.String(), "stats": counts}
	})
}
