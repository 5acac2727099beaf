package meld_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/meld"
	"github.com/simtc/simtc/utest/canonical"
)

// manyBranches generates a kernel of n branches with arms of about size operations, in
// sequence or nested.
func manyBranches(t testing.TB, n, size int, nested bool) *kernel.Func {
	t.Helper()
	var b strings.Builder
	b.WriteString("kernel void k(global int *out, global const int *a) {\nint i = get_global_id(0);\nint x = out[i];\n")
	arm := func(k int) {
		for s := range size {
			fmt.Fprintf(&b, "x = a[(x >> %d) & 63] / (x | %d) + %d;\n", (k+s)%7, 1+2*((s+k)%5), s)
		}
	}
	for k := range n {
		fmt.Fprintf(&b, "if (x & %d) {\n", 1<<(k%20))
		arm(k)
		b.WriteString("} else {\n")
		arm(k + 1)
		if !nested {
			b.WriteString("}\n")
		}
	}
	if nested {
		b.WriteString(strings.Repeat("}\n", n))
	}
	b.WriteString("out[i] = x;\n}\n")
	m, err := clc.Compile("k.cl", b.String(), clc.Options{})
	require.NoError(t, err)
	canonical.Simplify(m.Funcs[0])
	canonical.Form(t, m.Funcs[0])
	return m.Funcs[0]
}

// BenchmarkArms measures scaling: linear in the number of branches, at most quadratic in the
// length of arms, which is limited.
func BenchmarkArms(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, size int
		nested  bool
	}{
		{"sequence/100", 100, 3, false}, {"sequence/400", 400, 3, false},
		{"nested/25", 25, 2, true}, {"nested/100", 100, 2, true},
		{"arms/7", 20, 7, false}, {"arms/28", 20, 28, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			f := manyBranches(b, c.n, c.size, c.nested)
			lanes := everywhere(f)
			for b.Loop() {
				st := opt.Stats{}
				meld.Arms(kernel.Clone(f), lanes, st)
				require.NotZero(b, st["branches melded"])
			}
		})
	}
}
