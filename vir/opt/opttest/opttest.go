// Package opttest holds helpers for tests of the passes over vir: golden files, runs before
// and after a pass, and generators of random functions.
//
// Only tests import it.
package opttest

import (
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/virtest"
)

// Keeps checks that random functions, written by write, compute the same before and after a
// pass, and after all passes. It returns the statistics of the pass.
func Keeps(t *testing.T, seeds int64, pass func(*vir.Func, opt.Stats), write func(*rand.Rand) string) opt.Stats {
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

// Goldens runs the golden tests of a package: the passes named in the first line of the
// comment ("all" for Run) are applied to the section in.vir.
func Goldens(t *testing.T) {
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
		if f.Scratch > scratch { // additional scratch memory belongs to passes
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
