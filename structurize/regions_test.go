package structurize_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
	"github.com/simtc/simtc/widen"
)

// uniformRegions collapses single-entry single-exit regions from the inside
// out ("AVR Predication", Alternating collapse of SESE regions): once its inner
// regions stand for one instruction each, a region is uniform if no branch that
// is left in it diverges. It returns the blocks that branch in uniform regions.
func uniformRegions(info *divergence.Info) []*kernel.Block {
	tree := cfg.Regions(info.Func.Graph())
	diverges := make([]bool, len(tree.Regions))
	for b, d := range info.Divergent {
		r := tree.Innermost(b)
		diverges[r.ID] = diverges[r.ID] || d
	}
	var out []*kernel.Block
	for _, b := range info.Func.Blocks {
		if len(b.Edges) > 1 && b.Edges[0].To != b.Edges[1].To && !diverges[tree.Innermost(b.ID).ID] {
			out = append(out, b)
		}
	}
	return out
}

// Whatever the branches around a uniform region do, its own stay branches.
func TestUniformRegionsKeepTheirBranches(t *testing.T) {
	regions, branches := 0, 0
	for seed := range int64(400) {
		c, err := fuzz.Generate(seed, "reducible", fuzz.Options{Blocks: 24})
		require.NoError(t, err)
		f := c.Kernel
		canonical.Form(t, f)
		info := divergence.Analyze(f, divergence.Options{Width: 16})
		_, report, err := structurize.Linearize(f, info, sixteen)
		require.NoError(t, err)
		for _, b := range uniformRegions(info) {
			require.Contains(t, report.Kept, b, "seed %d: %s\n%s", seed, kernel.Label(b), info)
			regions++
		}
		branches += len(report.Kept) + len(report.Folded)
	}
	t.Logf("%d of %d uniform branches are in uniform regions", regions, branches)
	require.Greater(t, regions, 500, "too few to tell")
}

// Each file is a nest of regions that are uniform and divergent by turns, with
// the uniform branches that must be left.
func TestAlternatingRegions(t *testing.T) {
	golden.Run(t, "testdata/regions/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		info := divergence.Analyze(f, divergence.Options{Width: 16})
		flow, err := structurize.Explain(f, info, sixteen)
		require.NoError(t, err)
		v, report, err := structurize.Linearize(f, info, sixteen)
		require.NoError(t, err)
		canonical.RequireSame(t, f, v)
		kept := ""
		for _, b := range report.Kept {
			kept += kernel.Label(b) + "\n"
		}
		require.Subset(t, report.Kept, uniformRegions(info))
		return map[string]string{"divergence": info.String(), "flow": flow, "kept": kept}
	})
}

// What folding costs: every forward branch is gone, the loops' stay.
func TestFold(t *testing.T) {
	f := canonical.Kernel(t, map[string]string{"in.cl": `
kernel void k(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), x = in[i];
	for (int j = 0; j < n; j++) {
		if (n & 1)
			x += in[j];
		else
			x ^= j;
	}
	out[i] = x;
}`})
	info := divergence.Analyze(f, divergence.Options{Width: 16})
	for _, fold := range []bool{false, true} {
		v, report, err := structurize.Linearize(f, info, structurize.Options{Options: widen.Options{Width: 16}, Fold: fold})
		require.NoError(t, err)
		canonical.RequireSame(t, f, v)
		want := map[bool]int{false: 2, true: 1}
		require.Len(t, report.Kept, want[fold])
		require.Len(t, report.Folded, 2-want[fold])
	}
}
