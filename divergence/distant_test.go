package divergence_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/canonical"
)

// Lanes access distant cache lines through loaded indices or large strides.
func TestDistantLanes(t *testing.T) {
	for at, want := range map[string]bool{
		"i":                         false,
		"y * n + min(x + 1, n - 1)": false, // a limit
		"x > 0 ? x - 1 : 0":         false,
		"15 * x":                    false,
		"17 * x":                    true,
		"x * n + y":                 true,
		"min(x, 5) * 20":            true,
		"index[i]":                  true,
		"y * n + index[y]":          false, // uniform
		"bytes[i]":                  false, // a small table
		"bytes[i] << 10":            true,
		"(int)sin((float)x)":        true,
		"min(x, 5) * -1":            false,
		"min(x, 5) * -20":           true,
		"((((min(x, 5L) << 31) + index[y]) << 31) + index[y + 1]) << 31": true, // exceeds 64 bits
	} {
		f := canonical.Kernel(t, map[string]string{"in.cl": fmt.Sprintf(`kernel void k(global int *p, global const int *index, global const uchar *bytes, int n) {
	int x = get_global_id(0), y = get_global_id(1), i = y * n + x;
	p[%s] = 0;
}`, at)})
		info := divergence.Analyze(f, divergence.Options{Width: 16})
		far := false
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.Op == kernel.Store {
					far = info.DistantLanes(v)
				}
			}
		}
		require.Equal(t, want, far, at)
	}
}
