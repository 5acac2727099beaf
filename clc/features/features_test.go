package features_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc/features"
)

// TestTables checks that the tables are sorted and contain no name twice.
func TestTables(t *testing.T) {
	var names []string
	for _, e := range features.Extensions {
		require.Regexp(t, `^cl_(khr|ext|intel)_[a-z0-9_]+$`, e.Name)
		require.NotZero(t, e.Version, e.Name)
		names = append(names, e.Name)
	}
	for _, f := range features.Features {
		require.Regexp(t, `^__opencl_c_[a-z0-9_]+$`, f.Name)
		require.NotZero(t, f.Version, f.Name)
		names = append(names, f.Name[2:]) // sorts after cl_
	}
	require.True(t, slices.IsSorted(names))
	require.Equal(t, len(names), len(slices.Compact(names)))
}

func TestVersions(t *testing.T) {
	require.Equal(t, features.Version(3<<22), features.MakeVersion(3, 0, 0))
	require.Equal(t, features.Version(1<<22|2<<12|3), features.MakeVersion(1, 2, 3))
	for std, want := range map[string]bool{"": false, "1.0": false, "CL1.2": false, "2.0": true, "CL3.0": true} {
		require.Equal(t, want, features.Has(features.GenericAddressSpace, std), std)
		require.Equal(t, want, slices.Contains(features.Macros(std), "__opencl_c_read_write_images=1"), std)
		require.Contains(t, features.Macros(std), "cl_khr_fp64=1", std)
		require.True(t, features.Has("__opencl_c_subgroups", std), std)
		require.False(t, features.Has("__opencl_c_pipes", std), std)
	}
}
