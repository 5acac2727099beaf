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

// uniformRegions collapses single-entry single-exit regions from the inside out ("AVR
// Predication", Alternating collapse of SESE regions): with its inner regions each
// replaced by one instruction, a region is uniform if none of its remaining branches
// diverges. It returns the blocks with branches in uniform regions.
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

// TestUniformRegionsKeepTheirBranches checks that the branches of a uniform region stay
// branches, whatever the branches around it do.
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

// TestAlternatingRegions compares, for nests of alternately uniform and divergent
// regions, the uniform branches that must remain.
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

// TestFold checks that with Fold no forward branch remains, but those of loops do.
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
