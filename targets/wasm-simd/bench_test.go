package wasmsimd

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// BenchmarkCompile selects, validates and encodes a large random function.
func BenchmarkCompile(b *testing.B) {
	f, _, _ := randomFlow(5, 16, 1500)
	n := 0
	for _, blk := range f.Blocks {
		n += len(blk.Values)
	}
	size := 0
	for b.Loop() {
		m, err := Compile([]*vir.Func{f}, Options{})
		require.NoError(b, err)
		size = len(m.Encode())
	}
	b.ReportMetric(float64(n), "vir-ops")
	b.ReportMetric(float64(size), "bytes")
	b.ReportMetric(float64(len(f.Blocks)), "blocks")
}
