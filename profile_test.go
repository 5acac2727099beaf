package simtc_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Lines of a kernel with barriers count how often control came to them, not how often what
// goes on behind a barrier finds out where, and computes again what it needs.
func TestProfilesOfBarriers(t *testing.T) {
	const source = `kernel void straight(global int *o, local int *l, int n) {
	int i = get_local_id(0);
	l[i] = i;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < 3)
		l[i] += l[i + 1];
	barrier(CLK_LOCAL_MEM_FENCE);
	o[get_global_id(0)] = l[i ^ 1];
}
kernel void loop(global int *o, local int *l, int n) {
	int i = get_local_id(0);
	l[i] = i;
	for (int k = 0; k < n; k++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		int x = l[(i + k) % 12];
		barrier(CLK_LOCAL_MEM_FENCE);
		l[i] += x;
	}
	o[get_global_id(0)] = l[i];
}
kernel void later(global int *o, local int *l, int n) {
	int i = get_local_id(0);
	int far = i * 7 + 3;
	l[i] = 1;
	for (int k = 0; k < n; k++) {
		barrier(CLK_LOCAL_MEM_FENCE);
		o[get_global_id(0)] += far;
	}
	o[get_global_id(0)] -= far;
}`
	want := map[string]map[int]uint64{
		"straight": {2: 24, 3: 24, 4: 24, 5: 24, 6: 6, 7: 24, 8: 24},
		"loop":     {11: 24, 12: 24, 13: 24 * 6, 14: 24 * 5, 15: 24 * 5, 16: 24 * 5, 17: 24 * 5, 19: 24},
		"later":    {22: 24, 23: 24, 24: 24, 25: 24 * 6, 26: 24 * 5, 27: 24 * 5, 29: 24},
	}
	for _, o := range []simtc.Options{{Target: simtc.Interpreter}, {Target: simtc.VIR, Width: 1}, {Target: simtc.VIR, Width: 4}, {Target: simtc.WASM, Width: 4}} {
		p := compile(t, source, o)
		for name, lines := range want {
			k, err := p.Kernel(name)
			require.NoError(t, err)
			profile, err := k.Profile(context.Background(), simtc.NDRange(24).WithLocal(12), make([]int32, 24), simtc.LocalMemory(48), 5)
			require.NoError(t, err)
			got := map[int]uint64{}
			for _, l := range profile.Lines {
				got[l.Line] = l.Runs
				if o.Width == 4 && (name != "straight" || l.Line != 6) {
					got[l.Line] *= 4
				}
			}
			require.Equal(t, lines, got, "%s %s x%d", name, p.Target(), o.Width)
		}
	}
}
