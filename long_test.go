package simtc_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// BenchmarkLongPrograms reports how the time grows if parts of a program are repeated twice as
// often: the aim is 2; each was 4 or worse.
func BenchmarkLongPrograms(b *testing.B) {
	for _, c := range []struct {
		name  string
		kind  string
		width int
		line  func(i, n int) string
		n     int
	}{
		{"loops that overlap", "divergence", 16, func(i, _ int) string {
			return fmt.Sprintf(" L%d: a[i] += %d; if (a[i] == %d) goto L%d;\n", i, i, i*7, i/2)
		}, 125},
		{"numbers with many uses", "vir", 1, func(i, n int) string {
			switch i {
			case 0:
				return "  global float8 *f = (global float8 *)a; float8 x = f[i], s = x;\n"
			case n - 1:
				return "  f[i] = s;\n"
			}
			return "  s = fma(s, x, s);\n"
		}, 500},
		{"atomics", "vir", 16, func(i, _ int) string { return fmt.Sprintf("  a[i] += atomic_add(&a[%d], i);\n", i) }, 1000},
	} {
		emit := func(b *testing.B, n int) time.Duration {
			var source strings.Builder
			source.WriteString("kernel void k(global int *a, int n) {\n  int i = get_global_id(0);\n")
			for i := range n {
				source.WriteString(c.line(i, n))
			}
			source.WriteString("}\n")
			began := time.Now()
			_, err := compile(b, source.String(), simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: c.width}}).Emit(c.kind)
			require.NoError(b, err)
			return time.Since(began)
		}
		b.Run(c.name, func(b *testing.B) {
			var once, twice time.Duration
			for b.Loop() {
				once += emit(b, c.n)
				twice += emit(b, 2*c.n)
			}
			b.ReportMetric(twice.Seconds()/once.Seconds(), "growth")
		})
	}
}

// If an engine rejects code for its length, which the plan did not foresee, the kernel gets fewer
// lanes, unless the width was requested.
func TestTooLongCode(t *testing.T) {
	source := "kernel void f(global ulong *a) {\n  size_t i = get_global_id(0);\n  ulong x = a[i], s = x;\n" +
		strings.Repeat("  s += mul_hi(s, x);\n", 6200) + "  a[i] = s;\n}\n"
	p := compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM}})
	k, err := p.Kernel("f")
	require.NoError(t, err)
	require.NoError(t, k.Build())
	width, err := k.Width()
	require.NoError(t, err)
	require.Equal(t, 4, width)
	a := []uint64{1, 2, 3}
	require.NoError(t, k.Launch(t.Context(), simtc.NDRange(3), a))
	require.Equal(t, []uint64{1, 2, 3}, a)
	_, err = p.Emit("wasm")
	require.NoError(t, err)

	_, err = compile(t, source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Width: 8}}).Emit("wasm")
	require.ErrorContains(t, err, "a smaller width than 8 needs fewer")
}
