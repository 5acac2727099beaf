package divergence_test

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// expression writes an expression of ids, uniform values and constants, in which rows and columns of
// tiles are frequent.
func expression(rng *rand.Rand, depth int) string {
	if depth == 0 {
		return []string{"l", "l", "l", "g", "x", "(uint)n"}[rng.Intn(6)]
	}
	e := expression(rng, depth-1)
	c := 1 << rng.Intn(6)
	switch rng.Intn(10) {
	case 0:
		return fmt.Sprintf("(%s %% %du)", e, c)
	case 1:
		return fmt.Sprintf("(%s / %du)", e, c)
	case 2:
		return fmt.Sprintf("(%s & %du)", e, c-1)
	case 3:
		return fmt.Sprintf("(%s >> %d)", e, rng.Intn(5))
	case 4:
		return fmt.Sprintf("(%s * %du)", e, rng.Intn(12))
	case 5:
		return fmt.Sprintf("(uint)((int)%s / %d)", e, c)
	case 6:
		return fmt.Sprintf("(uint)((int)%s %% %d)", e, c)
	case 7:
		return fmt.Sprintf("(uint)(long)(int)(%s - %s)", e, expression(rng, depth-1))
	case 8:
		return fmt.Sprintf("(%s << %d)", e, rng.Intn(5))
	}
	return fmt.Sprintf("(%s + %s)", e, expression(rng, depth-1))
}

// TestExpressionsOfIDsKeepTheirShapes compares the shapes of random expressions of ids with the
// values that the interpreter computes, and some kernels with the results of vector code.
func TestExpressionsOfIDsKeepTheirShapes(t *testing.T) {
	total, piecewise := 0, 0
	for seed := range int64(150) {
		rng := rand.New(rand.NewSource(seed))
		text := "kernel void k(global int *out, int n) {\n  uint l = get_local_id(0), g = get_group_id(0), x = get_global_id(0);\n  int sum = 0;\n"
		for range 6 {
			text += fmt.Sprintf("  sum += %s;\n", expression(rng, 1+rng.Intn(4)))
		}
		text += "  out[x * 32] = sum;\n}\n"
		m, err := clc.Compile("k.cl", text, clc.Options{})
		require.NoError(t, err, text)
		c := fuzz.CaseOf(m.Funcs[0], 0)
		c.Seed, c.Source = seed, text
		canonical.Simplify(c.Kernel)
		comparisons, err := observe(t, c)
		info := divergence.Analyze(c.Kernel, divergence.Options{Width: strip})
		require.NoError(t, err, "seed %d\n%s\n%s", seed, text, info)
		total += comparisons
		if seed%10 == 0 {
			steps := fuzz.Steps{Widths: []int{4, strip}, Native: fuzz.Native(seed, 1)}
			require.NoError(t, fuzz.Check(context.Background(), c, steps), "seed %d\n%s", seed, text)
		}
		for _, s := range info.Shapes {
			if s.Kind == divergence.Piecewise {
				piecewise++
			}
		}
	}
	require.Greater(t, total, 10000)
	require.Greater(t, piecewise, 100)
}
