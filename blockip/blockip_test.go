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
		schedule, err := blockip.Explain(f, info)
		require.NoError(t, err)
		v, _, err := blockip.Linearize(f, info, blockip.Options{Options: widen.Options{Width: 16}})
		require.NoError(t, err)
		require.NoError(t, vir.Verify(v))
		require.Equal(t, before, f.String(), "the kernel stays as it is")
		canonical.RequireSame(t, f, v)
		return map[string]string{"kernel": before, "schedule": schedule, "vir": v.String()}
	})
}

// What Linearize requires is checked, not assumed.
func TestLinearizeRejects(t *testing.T) {
	for _, c := range canonical.Malformed {
		t.Run(c.Name, func(t *testing.T) {
			f := c.Kernel(t)
			info := divergence.Analyze(f, divergence.Options{Width: 16})
			_, _, err := blockip.Linearize(f, info, blockip.Options{Options: widen.Options{Width: 16}})
			require.ErrorContains(t, err, "blockip: kernel f")
			require.ErrorContains(t, err, c.Want)
			_, explained := blockip.Explain(f, info)
			require.Equal(t, err, explained)
		})
	}
}
