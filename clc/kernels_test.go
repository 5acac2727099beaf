package clc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
)

// sources returns the .cl files of a folder below utest.
func sources(t testing.TB, folder string) map[string]string {
	paths, err := filepath.Glob(filepath.Join("..", "utest", folder, "*.cl"))
	require.NoError(t, err)
	out := map[string]string{}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		out[filepath.Base(p)] = string(text)
	}
	return out
}

// Every kernel of the end-to-end tests compiles to IR that verifies.
func TestKernels(t *testing.T) {
	files := sources(t, "kernels")
	require.NotEmpty(t, files)
	for name, text := range files {
		t.Run(strings.TrimSuffix(name, ".cl"), func(t *testing.T) {
			m, err := clc.Compile(name, text, clc.Options{})
			require.NoError(t, err)
			require.NotEmpty(t, m.Funcs)
			for _, f := range m.Funcs {
				require.NoError(t, kernel.Verify(f))
			}
		})
	}
}
