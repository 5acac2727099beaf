package iterations_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

var eight = iterations.Options{Width: 8, Extents: true}

// TestGoldens prints the kernel with iterations as lanes, or "no" where no loop is
// suitable.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := f.String()
		eight := eight
		eight.Extents = files["sizes"] == ""
		if depth := files["depth"]; depth != "" {
			var err error
			eight.Depth, err = strconv.Atoi(strings.TrimSpace(depth))
			require.NoError(t, err)
			require.Contains(t, iterations.Depths(f, eight), eight.Depth)
		}
		if !iterations.Fit(f, eight) {
			return map[string]string{"out.simt": "no\n"}
		}
		st := opt.Stats{}
		g := iterations.Lanes(f, eight, st)
		require.Equal(t, before, f.String(), "Lanes must not modify its argument")
		require.NoError(t, kernel.Verify(g))
		return map[string]string{"out.simt": g.String(), "stats": stats(st)}
	})
}

// stats lists the statistics that are not 0.
func stats(st opt.Stats) string {
	var lines []string
	for name, n := range st {
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s %d\n", name, n))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// run linearizes f for a width and interprets it.
func run(t *testing.T, c *fuzz.Case, f *kernel.Func, o divergence.Options) ([][]byte, *vir.Func) {
	t.Helper()
	v, _, err := structurize.Linearize(f, divergence.Analyze(f, o), structurize.Options{Options: widen.Options{Width: o.Width, Iterations: o.Iterations}})
	require.NoError(t, err)
	require.NoError(t, vir.Verify(v))
	p := launch.Program{Kernel: f, Width: v.Width, Scratch: v.Scratch}
	got, err := c.Run(context.Background(), launch.NewVIRInterpreter(p, v, 1<<30))
	require.NoError(t, err, "seed %d\n%s\n%s", c.Seed, c.Source, f)
	return got, v
}

// keeps runs iterations of random programs as lanes, where possible, and compares the
// results. It returns the number of loops, and of programs that need no sizes of buffers.
func keeps(t *testing.T, generate func(seed int64) (*fuzz.Case, error), cases int64) (loops, certain int) {
	made := opt.Stats{}
	for seed := range cases {
		c, err := generate(seed)
		require.NoError(t, err)
		f, err := fuzz.Clone(c.Kernel)
		require.NoError(t, err)
		canonical.Form(t, f)
		want, err := c.Run(context.Background(), launch.NewInterpreter(f, 1<<24, false))
		require.NoError(t, err)
		o := iterations.Options{Width: []int{4, 16, 64}[seed%3], Extents: true, Overlap: seed%4 == 1}
		depths := iterations.Depths(f, o)
		if len(depths) == 0 {
			continue
		}
		if iterations.Fit(f, iterations.Options{Width: o.Width}) {
			certain++
		}
		for _, o.Depth = range depths {
			g := iterations.Lanes(f, o, made)
			require.NoError(t, kernel.Verify(g), "seed %d\n%s", seed, g)
			got, v := run(t, c, g, divergence.Options{Width: o.Width, Iterations: true})
			require.NoError(t, c.Compare(want, got), "seed %d\n%s\n%s", seed, c.Source, v)
		}
	}
	return made["loops with iterations as lanes"], certain
}

// some returns the number of random programs per test.
func some() int64 {
	if testing.Short() {
		return 40
	}
	return 250
}

// TestKeepsSearches checks random searches: iterations past the last do not change
// results, and none reads out of bounds, which the interpreter would report.
func TestKeepsSearches(t *testing.T) {
	cases := some()
	loops, certain := keeps(t, fuzz.Search, cases)
	require.Greater(t, loops, int(cases)/2)
	require.Greater(t, certain, int(cases)/40)
}

// TestKeepsSeries checks objects local to iterations and serial operations; loops whose
// iterations depend on each other otherwise are not transformed.
func TestKeepsSeries(t *testing.T) {
	cases := some()
	loops, _ := keeps(t, fuzz.Series, cases)
	require.Greater(t, loops, int(cases)/4)
}

// TestKeepsLoops checks loops that store: iterations that depend on each other are not lanes, and
// each store happens exactly in the iterations that run.
func TestKeepsLoops(t *testing.T) {
	cases := some()
	loops, certain := keeps(t, fuzz.Loop, cases)
	require.Greater(t, loops, int(cases)/4)
	require.Greater(t, certain, int(cases)/10)
}
