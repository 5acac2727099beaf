package widen_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
	"github.com/simtc/simtc/widen"
)

func widened(t *testing.T, f *kernel.Func, width int) *vir.Func {
	t.Helper()
	v, _, err := blockip.Linearize(f, divergence.Analyze(f, divergence.Options{Width: width}), blockip.Options{Options: widen.Options{Width: width}})
	require.NoError(t, err)
	require.NoError(t, vir.Verify(v))
	return v
}

// TestMaxLanes checks that facts about the lanes of a sub-group hold for the largest
// sub-group.
func TestMaxLanes(t *testing.T) {
	require.Equal(t, vir.MaxLanes, kernel.MaxLanes)
}

// TestAddresses compares tables of address forms; dead code is removed, so that only the
// address computations remain.
func TestAddresses(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		v := widened(t, f, 4)
		requireSameResults(t, f, v)
		edit.Dead(v, nil)
		v.Renumber()
		return map[string]string{"vir": v.String()}
	})
}

// TestOneLane checks that at width 1 every value and access is a scalar.
func TestOneLane(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		v := widened(t, f, 1)
		requireSameResults(t, f, v)
		for _, b := range v.Blocks {
			for _, x := range b.Values {
				require.True(t, x.Type == (vir.Type{}) || x.Type.IsScalar(), "%s", vir.FormatValue(x))
			}
		}
		require.NotContains(t, strings.ReplaceAll(v.String(), "vir ", ""), "gather")
		return nil
	})
}
