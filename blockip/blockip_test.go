package blockip_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

func TestLinearize(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := f.String()
		info := divergence.Analyze(f, divergence.Options{Width: 16})
		schedule, err := blockip.Explain(f, info, blockip.Options{})
		require.NoError(t, err)
		v, _, err := blockip.Linearize(f, info, blockip.Options{Options: widen.Options{Width: 16}})
		require.NoError(t, err)
		require.NoError(t, vir.Verify(v))
		require.Equal(t, before, f.String(), "the kernel stays as it is")
		canonical.RequireSame(t, f, v)
		return map[string]string{"kernel": before, "schedule": schedule, "vir": v.String()}
	})
}

// TestLinearizeRejects checks that Linearize verifies its preconditions.
func TestLinearizeRejects(t *testing.T) {
	for _, c := range canonical.Malformed {
		t.Run(c.Name, func(t *testing.T) {
			f := c.Kernel(t)
			info := divergence.Analyze(f, divergence.Options{Width: 16})
			_, _, err := blockip.Linearize(f, info, blockip.Options{Options: widen.Options{Width: 16}})
			require.ErrorContains(t, err, "blockip: kernel f")
			require.ErrorContains(t, err, c.Want)
			_, explained := blockip.Explain(f, info, blockip.Options{})
			require.Equal(t, err, explained)
		})
	}
}

// TestFold checks that with Fold lanes wait at uniform branches too, except those of
// loops, and that values that join after them stay correct.
func TestFold(t *testing.T) {
	f := canonical.Kernel(t, map[string]string{"in.cl": `
kernel void k(global int *out, global const int *in, int n)
{
	int i = get_global_id(0), x = in[i], u = 0;
	for (int j = 0; j < n; j++) {
		if (n & 1) {
			x += in[j];
			u += 3;
		} else {
			x ^= j;
			out[i] = u;
		}
	}
	out[i] = x + u;
}`})
	info := divergence.Analyze(f, divergence.Options{Width: 16})
	for _, fold := range []bool{false, true} {
		v, report, err := blockip.Linearize(f, info, blockip.Options{Options: widen.Options{Width: 16}, Fold: fold})
		require.NoError(t, err)
		canonical.RequireSame(t, f, v)
		want := map[bool]int{false: 2, true: 1}
		require.Len(t, report.Kept, want[fold])
		require.Len(t, report.Folded, 2-want[fold])
	}
}
