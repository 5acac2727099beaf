package utest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/utest/runfile"
)

// profile runs the kernel with profiling code.
func (r *testRun) profile(t testing.TB, k *simtc.Kernel) (*simtc.Profile, [][]byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	buffers := make([][]byte, len(r.specs))
	args := make([]any, len(r.specs))
	for i := range r.specs {
		switch a := &r.specs[i]; a.Kind {
		case ndarg.Buffer:
			buffers[i] = append([]byte(nil), r.fills[i]...)
			args[i] = simtc.Buffer(buffers[i])
		case ndarg.Image:
			buffers[i] = append([]byte(nil), r.fills[i]...)
			args[i] = imageArg(&a.Image, buffers[i])
		case ndarg.Local:
			args[i] = simtc.LocalMemory(a.Bytes)
		default:
			args[i] = simtc.Bytes(a.Value)
		}
	}
	require.NoError(t, k.Program().Reset(ctx))
	p, err := k.Profile(ctx, r.rng, args...)
	require.NoError(t, err)
	return p, buffers
}

// shape returns the properties common to all profiles of a kernel.
func shape(p *simtc.Profile) []string {
	out := places(p)
	for i, b := range p.Blocks {
		out[i] += fmt.Sprint(" ", b.Ops)
	}
	return out
}

// places returns the names and places of the blocks.
func places(p *simtc.Profile) []string {
	var out []string
	for _, b := range p.Blocks {
		out = append(out, fmt.Sprint(b.Name, " ", b.File, ":", b.Line))
	}
	return out
}

// TestProfiles checks that with every strategy, with three threads, the lane count of
// each block equals the number of visits by individual work-items, and that results do
// not change. Each kernel is run with some of the strategies, the next one with others.
func TestProfiles(t *testing.T) {
	for at, path := range sources(t, "kernels/*.cl") {
		t.Run(name(path), func(t *testing.T) {
			t.Parallel()
			f, err := runfile.Read(path)
			require.NoError(t, err)
			r, err := readRun(path, f.Runs[0])
			require.NoError(t, err)
			programs := programs{source: f.Source, byOptions: map[string]*simtc.Program{}}
			defer programs.close(t)
			k, err := programs.get(t, r.opt).Kernel(r.kernel)
			require.NoError(t, err)
			one, err := k.With(simtc.Strategy{Target: simtc.Interpreter})
			require.NoError(t, err)
			want, reference := r.profile(t, one)
			require.NoError(t, r.verify(reference, nil))
			require.Equal(t, 1.0, want.Efficiency())
			subGroups := knowsSubGroups(t, k)
			for i, w := range ways(t, k, *long) {
				every := 36
				if slowly(w) {
					every = 48
				}
				if runsHere(w.Target) && (*long || (i+at)%every == 0) {
					if subGroups {
						one, err := k.With(simtc.Strategy{Target: simtc.Interpreter, Width: w.Width})
						require.NoError(t, err)
						want, reference := r.profile(t, one)
						t.Run(w.String(), func(t *testing.T) { testProfile(t, r.withSums(reference), k, w, want, reference) })
						continue
					}
					t.Run(w.String(), func(t *testing.T) { testProfile(t, r, k, w, want, reference) })
				}
			}
		})
	}
}

func testProfile(t *testing.T, r *testRun, k *simtc.Kernel, w simtc.Strategy, want *simtc.Profile, reference [][]byte) {
	k, err := k.With(w)
	require.NoError(t, err)
	got, buffers := r.profile(t, k)
	require.NoError(t, r.verify(buffers, reference))
	require.Equal(t, w.Target, got.Target)
	require.Equal(t, w.Width, got.Width)
	items := want.Blocks[0].Lanes
	require.True(t, got.Blocks[0].Lanes == items || w.Divergence == simtc.Refill && slices.ContainsFunc(got.Blocks, func(b simtc.BlockProfile) bool { return b.Lanes == items }),
		"every work-item runs the first block, or the one in which lanes begin with what they have taken")
	require.LessOrEqual(t, got.Efficiency(), 1.0)
	if w.Width == 1 {
		require.Equal(t, 1.0, got.Efficiency())
	}
	for _, b := range got.Blocks {
		require.LessOrEqual(t, b.Lanes, b.Runs*uint64(b.Width), b.Name)
		require.LessOrEqual(t, b.Width, w.Width, b.Name)
	}
	if fmt.Sprint(shape(want)) != fmt.Sprint(shape(got)) {
		// Arms of branches were melded or deferred, or iterations run as lanes.
		if got.Linearizer == simtc.Partial || w.Divergence == simtc.Defer || w.Divergence == simtc.Refill || w.Lanes == simtc.Iterations {
			return
		}
		require.Equal(t, places(want), places(got), "blocks may have other operations, because of equalities")
	}
	text, err := k.Emit("kernel")
	require.NoError(t, err)
	if strings.Contains(string(text), " cmpxchg.") {
		return // the number of attempts depends on other work-items
	}
	for i, b := range got.Blocks {
		require.Equal(t, want.Blocks[i].Lanes, b.Lanes, "lanes of %s", b.Name)
	}
}
