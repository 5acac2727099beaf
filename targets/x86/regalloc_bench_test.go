package x86

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/mach/regalloc"
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
			for _, bl := range f.Blocks {
				n += len(bl.Insts)
			}
			copies := make([]*Func, b.N)
			for i := range copies {
				copies[i] = f.Clone()
			}
			b.ResetTimer()
			b.ReportAllocs()
			for i := range b.N {
				_, err := regalloc.Allocate(&copies[i].Func, copies[i].Registers())
				require.NoError(b, err)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Minst/s")
			b.ReportMetric(float64(n), "inst")
		})
	}
}
