package divergence_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// TestWhy compares the explanations of all divergent branches and of all stores of
// varying values.
func TestWhy(t *testing.T) {
	golden.Run(t, "testdata/why/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		info := divergence.Analyze(f, divergence.Options{Width: 16})
		var out strings.Builder
		show := func(what string, rs []divergence.Reason) {
			if len(rs) == 0 {
				return
			}
			fmt.Fprintf(&out, "%s\n", what)
			for _, r := range rs {
				fmt.Fprintf(&out, "  %s [%s]\n", r.Text, r.Kind)
			}
		}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.Op == kernel.Store {
					show(kernel.FormatValue(v), info.Why(v.Args[1]))
				}
			}
			show(kernel.Label(b)+": "+kernel.FormatTerm(b), info.WhyBranch(b))
		}
		return map[string]string{"why": out.String()}
	})
}

// TestEverythingIsExplained checks that every varying value and every divergent branch is
// explained: the chain starts there, leads from effect to cause without repetition, and
// ends at an origin. Uniform values have no explanation.
func TestEverythingIsExplained(t *testing.T) {
	for seed := range int64(60) {
		kind := []string{"reducible", "cfg", "program"}[seed%3]
		c, err := fuzz.Generate(seed, kind, fuzz.Options{Blocks: 12})
		require.NoError(t, err)
		canonical.Form(t, c.Kernel)
		info := divergence.Analyze(c.Kernel, divergence.Options{Width: strip})
		check := func(rs []divergence.Reason, differs bool) {
			require.Equal(t, differs, len(rs) > 0)
			seen := map[any]bool{}
			for i, r := range rs {
				require.Equal(t, i == len(rs)-1, r.Kind <= divergence.Carried, r.Text)
				require.NotEmpty(t, r.Text)
				if r.Value != nil {
					require.False(t, info.Uniform(r.Value))
					require.False(t, seen[r.Value])
					seen[r.Value] = true
					continue
				}
				require.True(t, info.Divergent[r.Block.ID])
				require.False(t, seen[r.Block])
				seen[r.Block] = true
			}
		}
		for _, b := range c.Kernel.Blocks {
			for _, vs := range [][]*kernel.Value{b.Params, b.Values} {
				for _, v := range vs {
					check(info.Why(v), !info.Uniform(v))
				}
			}
			check(info.WhyBranch(b), info.Divergent[b.ID])
		}
	}
}
