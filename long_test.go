package simtc_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Programs of which parts repeat many times take no more than what they have of them:
// each was quadratic, or worse, and took minutes.
func TestLongPrograms(t *testing.T) {
	repeat := func(n int, line func(i int) string) string {
		var b strings.Builder
		b.WriteString("kernel void k(global int *a, int n) {\n  int i = get_global_id(0);\n")
		for i := range n {
			b.WriteString(line(i))
		}
		b.WriteString("}\n")
		return b.String()
	}
	for name, c := range map[string]struct {
		kind   string
		width  int
		source string
	}{
		"loops that overlap": {"divergence", 16, repeat(250, func(i int) string {
			return fmt.Sprintf(" L%d: a[i] += %d; if (a[i] == %d) goto L%d;\n", i, i, i*7, i/2)
		})},
		"numbers with many uses": {"vir", 1, repeat(1000, func(i int) string {
			switch i {
			case 0:
				return "  global float8 *f = (global float8 *)a; float8 x = f[i], s = x;\n"
			case 999:
				return "  f[i] = s;\n"
			}
			return "  s = fma(s, x, s);\n"
		})},
		"atomics": {"vir", 16, repeat(2000, func(i int) string { return fmt.Sprintf("  a[i] += atomic_add(&a[%d], i);\n", i) })},
	} {
		t.Run(name, func(t *testing.T) {
			p := compile(t, c.source, simtc.Options{Target: simtc.AVX512, Width: c.width})
			began := time.Now()
			_, err := p.Emit(c.kind)
			require.NoError(t, err)
			t.Log(time.Since(began))
			require.Less(t, time.Since(began), 30*time.Second)
		})
	}
}

// Code that engines refuse for its length, as the plan did not foresee, has fewer lanes,
// unless it is asked for.
func TestRefusedForLength(t *testing.T) {
	source := "kernel void f(global ulong *a) {\n  size_t i = get_global_id(0);\n  ulong x = a[i], s = x;\n" +
		strings.Repeat("  s += mul_hi(s, x);\n", 6200) + "  a[i] = s;\n}\n"
	p := compile(t, source, simtc.Options{Target: simtc.WASM})
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

	_, err = compile(t, source, simtc.Options{Target: simtc.WASM, Width: 8}).Emit("wasm")
	require.ErrorContains(t, err, "a smaller width than 8 needs fewer")
}
