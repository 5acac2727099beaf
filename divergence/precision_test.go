package divergence_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/opt"
)

// How much is found uniform or evenly strided in the kernels of utest: the
// shares must not fall. -v prints them by file.
func TestPrecision(t *testing.T) {
	files, err := filepath.Glob("../utest/kernels/*.cl")
	require.NoError(t, err)
	var all divergence.Counts
	for _, path := range files {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		m, err := clc.Compile(path, string(text), clc.Options{})
		if err != nil {
			continue // needs options that its run lines give
		}
		var file divergence.Counts
		for _, f := range m.Funcs {
			for _, p := range opt.Passes {
				p.Run(f, nil)
			}
			file = file.Add(divergence.Analyze(f, divergence.Options{Width: 16}).Count())
		}
		t.Logf("%-28s %s", filepath.Base(path), file)
		all = all.Add(file)
	}
	t.Logf("%-28s %s", "all", all)
	a := all.Accesses
	memory := a[divergence.AccessUniform] + a[divergence.AccessContiguous] + a[divergence.AccessStrided] + a[divergence.AccessVarying]
	require.Greater(t, memory, 300, "too few kernels")
	require.Greater(t, 100*all.Uniform/all.Branches, 15)
	require.GreaterOrEqual(t, 100*(memory-a[divergence.AccessVarying])/memory, 69)
}
