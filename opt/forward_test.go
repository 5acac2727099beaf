package opt_test

import (
	"testing"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/opt"
)

// TestPasses covers the code; this test covers the counts.
func TestForwardStats(t *testing.T) {
	golden.Run(t, "testdata/forward/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		_, stats := runPasses(t, files, opt.Forward)
		return map[string]string{"stats": stats}
	})
}
