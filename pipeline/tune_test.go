package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCandidatesAreSettled checks that a candidate of a plan is compiled as listed, whatever the other
// candidates are.
func TestCandidatesAreSettled(t *testing.T) {
	const source = `__kernel void f(__global const uchar *s, __global int *p) {
	int i = 0;
	while (i < 500 && s[get_global_id(0) * 9 + i] != 3)
		i++;
	p[get_global_id(0)] = i;
}`
	k := compile(t, source, testOptions{Strategy: Strategy{Target: VIR}})[0]
	_, err := k.shared.prepared()
	require.NoError(t, err)
	plan, err := k.shared.planFor(k.cfg)
	require.NoError(t, err)
	of := map[bool]int{}
	for _, c := range plan.configs {
		settled, err := k.shared.settle(c)
		require.NoError(t, err)
		require.Equal(t, c, settled, c.label())
		of[c.lanes == Iterations]++
	}
	require.Equal(t, 4, of[true])
	require.Greater(t, of[false], 5)
}
