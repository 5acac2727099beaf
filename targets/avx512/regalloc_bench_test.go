package avx512

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkAllocate reports instructions per second, for functions from small ones to
// the size of the largest known kernels.
func BenchmarkAllocate(b *testing.B) {
	for _, c := range []struct {
		name  string
		shape shape
	}{
		{"small", shape{blocks: 6, perBlock: 12, params: 3, keepAlive: 0.2, constants: true}},
		{"medium", shape{blocks: 60, perBlock: 30, params: 4, keepAlive: 0.2, constants: true}},
		{"large", shape{blocks: 1500, perBlock: 30, params: 4, keepAlive: 0.1, constants: true}},
		{"pressure", shape{blocks: 60, perBlock: 60, params: 10, keepAlive: 0.8, constants: true}},
		{"straight", shape{blocks: 2, perBlock: 30000, params: 1, keepAlive: 0.05, constants: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := makeRandom(rand.New(rand.NewSource(3)), c.shape)
			n := 0
			for _, bl := range f.blocks {
				n += len(bl.insts)
			}
			copies := make([]*machineFunc, b.N)
			for i := range copies {
				copies[i] = f.clone()
			}
			b.ResetTimer()
			b.ReportAllocs()
			for i := range b.N {
				_, err := allocate(copies[i])
				require.NoError(b, err)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
			b.ReportMetric(float64(n), "inst")
		})
	}
}
