package opt_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/canonical"
)

// manyBranches is a kernel of n branches with arms of about size operations,
// in sequence or each in an arm of the one before.
func manyBranches(t *testing.T, n, size int, nested bool) *kernel.Func {
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

func timeMeld(t *testing.T, f *kernel.Func) time.Duration {
	t.Helper()
	best := time.Hour
	for range 3 {
		c := kernel.Clone(f)
		lanes := everywhere(c)
		st := opt.Stats{}
		start := time.Now()
		opt.Meld(c, lanes, st)
		best = min(best, time.Since(start))
		require.NotZero(t, st["branches melded"])
	}
	return best
}

// Four times as many branches take about four times as long. Arms of four
// times the length may take 16 times as long, up to the bound on them.
func TestMeldTime(t *testing.T) {
	for _, c := range []struct {
		name        string
		small, big  *kernel.Func
		most, limit float64
	}{
		{"sequence", manyBranches(t, 100, 3, false), manyBranches(t, 400, 3, false), 12, 1},
		{"nested", manyBranches(t, 25, 2, true), manyBranches(t, 100, 2, true), 12, 1},
		{"arms", manyBranches(t, 20, 7, false), manyBranches(t, 20, 28, false), 32, 1},
	} {
		small, big := timeMeld(t, c.small), timeMeld(t, c.big)
		t.Logf("%s: %v, %v", c.name, small, big)
		require.Less(t, float64(big)/float64(small), c.most, c.name)
		require.Less(t, big.Seconds(), c.limit, c.name)
	}
}
