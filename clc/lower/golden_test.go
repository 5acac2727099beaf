package lower_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
)

// TestGolden compiles the programs in testdata and prints their kernel IR.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		m, err := clc.Compile("in.cl", files["in.cl"], clc.Options{})
		if err != nil {
			return map[string]string{"kernel": "", "errors": err.Error() + "\n"}
		}
		for _, f := range m.Funcs {
			require.NoError(t, kernel.Verify(f))
		}
		return map[string]string{"kernel": (&kernel.Printer{}).Module(m), "errors": ""}
	})
}
