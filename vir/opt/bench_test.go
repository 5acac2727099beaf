package opt_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir/legalize"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/virtest"
)

// BenchmarkRun measures all passes and legalization; the time per value must not grow with the
// size of the function.
func BenchmarkRun(b *testing.B) {
	for _, size := range []int{30, 1000, 10000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			values := 0
			for i := range b.N {
				b.StopTimer()
				f := virtest.Random(rand.New(rand.NewSource(int64(i))), virtest.Options{Width: 16, Size: size})
				values += f.NumValues()
				b.StartTimer()
				opt.Run(f, nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(values), "ns/value")
		})
	}
	b.Run("legalize", func(b *testing.B) {
		f := virtest.Random(rand.New(rand.NewSource(1)), virtest.Options{Width: 64, Size: 1000})
		for b.Loop() {
			if _, err := legalize.Func(f, avx512.Legal); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*f.NumValues()), "ns/value")
	})
}
