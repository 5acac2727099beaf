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

// Control comes to a switch once, however many tests it becomes: what has the operations of
// its first test elsewhere is a copy only where the whole switch is, of an unrolled loop or
// of a function that is called twice.
func TestRunsOfASwitch(t *testing.T) {
	const source = `kernel void plain(global int *o, int n) {
	int i = get_global_id(0), r;
	switch (o[i]) {
	case 3: r = 7; o[i + 24] = 1; break;
	case 10: r = 9; o[i + 24] = 2; break;
	case 17: r = 1; o[i + 24] = 3; break;
	default: r = 0;
	}
	o[i] = r;
}
kernel void variable(global int *o, int n) {
	int i = get_global_id(0), x = o[i] % n, r;
	switch (x) {
	case 0: r = 7; o[i + 24] = 1; break;
	case 1: r = 9; o[i + 24] = 2; break;
	case 3: r = 1; o[i + 24] = 3; break;
	case 4: r = 2; o[i + 24] = 4; break;
	default: r = 0;
	}
	o[i] = r;
}
kernel void unrolled(global int *o, int n) {
	int i = get_global_id(0), r = n;
#pragma unroll
	for (int k = 0; k < 4; k++) {
		switch (o[i] + r) {
		case 3: r += 7; o[i + 24] = r; break;
		case 10: r += 9; o[i + 24] = 2; break;
		case 17: r += 1; o[i + 24] = 3; break;
		default: r += 10;
		}
	}
	o[i] = r;
}
int f(global int *o, int i, int x) {
	switch (x) {
	case 3: o[i + 24] = 1; return 7;
	case 10: o[i + 24] = 2; return 9;
	case 17: o[i + 24] = 3; return x * 3;
	}
	return 0;
}
kernel void twice(global int *o, int n) {
	int i = get_global_id(0);
	o[i] = f(o, i, f(o, i, o[i]) + n);
}
kernel void ranges(global int *o, int n) {
	int i = get_global_id(0), x = o[i];
	switch (x) {
	case 3 ... 103: o[i + 24] = 1; break;
	case -100 ... -17: o[i + 24] = 2; break;
	case 1000 ... 2000: o[i + 24] = 3; break;
	case 2001: o[i + 24] = 4; break;
	}
	o[i] = n;
}`
	requireRuns(t, source, map[string]lineRuns{
		"plain": {3, 24, true}, "variable": {13, 24, true}, "unrolled": {26, 4 * 24, true}, "twice": {36, 2 * 24, true}, "ranges": {49, 24, true},
	})
}

// What a macro or a built-in function has several times is no copy of the first, and counts
// as often as control comes to the line.
func TestRunsOfAMacro(t *testing.T) {
	requireRuns(t, `#define STORE(x, low, high) if (x > low) o[i + 24] = x; if (x < high) o[i + 24] = low;
kernel void ifs(global int *o, int n) {
	int i = get_global_id(0), x = o[i];
	STORE(x, 3, n)
	o[i] = x + 1;
}
kernel void unrolled(global int *o, int n) {
	int i = get_global_id(0), x = o[i];
#pragma unroll
	for (int k = 0; k < 4; k++) {
		STORE(x, n, k)
		x += (k + 1) * i;
	}
	o[i] = x + 1;
}
int f(global int *o, int i, int x) {
	STORE(x, 3, 7)
	return x * 3;
}
kernel void twice(global int *o, int n) {
	int i = get_global_id(0);
	o[i] = f(o, i, f(o, i, o[i]) + n);
}
#define BOTH(x, y) fmod((float)x, (float)y) + fmod((float)y, (float)x)
kernel void builtins(global int *o, int n) {
	int i = get_global_id(0);
	o[i] = BOTH(i, n);
}`, map[string]lineRuns{
		"ifs": {4, 24, false}, "unrolled": {11, 4 * 24, false}, "twice": {17, 2 * 24, false}, "builtins": {27, 24, false},
	})
}

// lineRuns is how often 24 work-items come to a line.
type lineRuns struct {
	line int
	runs uint64
	full bool // no lane is missing in what the line does
}

// requireRuns runs the kernels of a source and requires of a line of each how often it runs.
func requireRuns(t *testing.T, source string, lines map[string]lineRuns) {
	t.Helper()
	for _, o := range []simtc.Options{{Target: simtc.Interpreter}, {Target: simtc.VIR, Width: 1}, {Target: simtc.VIR, Width: 4}, {Target: simtc.VIR, Width: 4, Linearize: simtc.BlockIP}} {
		p := compile(t, source, o)
		for name, want := range lines {
			k, err := p.Kernel(name)
			require.NoError(t, err)
			data := make([]int32, 48)
			for i := range data {
				data[i] = int32(i)
			}
			profile, err := k.Profile(context.Background(), simtc.NDRange(24), data, 5)
			require.NoError(t, err)
			width := uint64(profile.Width)
			for _, l := range profile.Lines {
				if l.Line == want.line {
					require.Equal(t, want.runs, l.Runs*width, "%s %s x%d", name, p.Target(), width)
					if want.full {
						require.Equal(t, float64(width), l.Lanes, "%s %s x%d", name, p.Target(), width)
					}
				}
			}
		}
	}
}
