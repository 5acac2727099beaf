package simtc_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// Lines of a kernel with barriers count how often control reached them, not how often the code after
// a barrier is resumed and recomputes values.
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
	for _, o := range []simtc.Options{{Strategy: simtc.Strategy{Target: simtc.Interpreter}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 1}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 4}}, {Strategy: simtc.Strategy{Target: simtc.WASM, Width: 4}}} {
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

// Control reaches a switch once, however many tests it has: another block with the operations of its
// first test is a copy only if the whole switch is copied, by an unrolled loop or a second call.
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

// Repeated operations in a macro or a built-in function are not copies of the first; they count as
// often as control reaches the line.
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

// lineRuns is the number of times that 24 work-items reach a line.
type lineRuns struct {
	line int
	runs uint64
	full bool // all lanes are active in the line
}

// requireRuns runs the kernels of a source and compares the count of a line of each.
func requireRuns(t *testing.T, source string, lines map[string]lineRuns) {
	t.Helper()
	for _, o := range []simtc.Options{{Strategy: simtc.Strategy{Target: simtc.Interpreter}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 1}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 4}}, {Strategy: simtc.Strategy{Target: simtc.VIR, Width: 4, Linearizer: simtc.BlockIP}}} {
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

// Lanes that are iterations, or that fetch or defer work-items, are counted as they run: full loops
// are full, and counts per work-item are not divided by the width.
func TestProfilesOfOtherLanes(t *testing.T) {
	const source = `kernel void rows(global const uchar *text, int n, global int *out) {
	int id = get_global_id(0);
	global const uchar *row = text + id * 256;
	int sum = id;
	for (int i = 0; i < n; i++)
		sum += row[i] * 3;
	out[id] = sum;
}
kernel void steps(global const uchar *text, int n, global int *out) {
	uint x = get_global_id(0) + 1, count = 0;
	while (x > 1) {
		x = x & 1 ? 3 * x + 1 : x / 2;
		count++;
	}
	out[get_global_id(0)] = count;
}
kernel void rare(global const uchar *text, int n, global int *out) {
	int id = get_global_id(0);
	uint x = out[id] * 2654435761u;
	if (x % 64 == 5)
		for (int k = 0; k < 100; k++)
			x = x * 1664525 + 1013904223;
	out[id] = x;
}`
	const items = 1024
	type line struct {
		line  int
		runs  uint64
		lanes float64
	}
	for _, c := range []struct {
		kernel        string
		n             int
		way           simtc.Strategy
		width         int
		low, high     float64 // efficiency
		exactly       []line
		itemsInBlocks uint64 // lanes of some block, in total
	}{
		{"rows", 250, simtc.Strategy{Bypass: simtc.BypassNone, Width: 16, Lanes: simtc.Iterations}, 16, 0.96, 1, []line{{2, items, 1}, {7, items, 1}, {6, 16 * items, 250.0 / 16}}, 240 * items}, // of whole chunks
		{"rows", 250, simtc.Strategy{Bypass: simtc.BypassNone, Width: 4, Lanes: simtc.Iterations}, 4, 0.98, 1, []line{{2, items, 1}, {7, items, 1}, {6, 63 * items, 250.0 / 63}}, 248 * items},
		{"rows", 12, simtc.Strategy{Bypass: simtc.BypassNone, Width: 16, Lanes: simtc.Iterations}, 16, 0.75, 0.96, []line{{2, items, 1}, {6, items, 12}, {7, items, 1}}, 12 * items},
		{"rows", 250, simtc.Strategy{Bypass: simtc.BypassNone, Width: 16, Lanes: simtc.Items}, 16, 1, 1, []line{{2, items / 16, 16}, {6, 250 * items / 16, 16}}, 250 * items},
		{"rows", 250, simtc.Strategy{Bypass: simtc.BypassNone, Width: 1}, 1, 1, 1, []line{{2, items, 1}, {6, 250 * items, 1}}, 250 * items},
		{"steps", 0, simtc.Strategy{Width: 16, Divergence: simtc.Refill}, 16, 0.6, 0.95, nil, items},
		{"steps", 0, simtc.Strategy{Width: 16, Bypass: simtc.BypassNone}, 16, 0.3, 0.5, []line{{10, items / 16, 16}}, items},
		{"steps", 0, simtc.Strategy{Bypass: simtc.BypassNone, Width: 1}, 1, 1, 1, []line{{10, items, 1}}, items},
		{"rare", 0, simtc.Strategy{Width: 16, Divergence: simtc.Defer}, 16, 0.4, 1, nil, items},
		{"rare", 0, simtc.Strategy{Width: 16, Bypass: simtc.BypassNone}, 16, 0.01, 0.2, []line{{19, items / 16, 16}}, items},
	} {
		var counts []simtc.BlockProfile
		for _, target := range []string{simtc.VIR, simtc.WASM, simtc.AVX512} {
			for _, linearizer := range simtc.Linearizers() {
				w := c.way
				w.Target, w.Linearizer = target, linearizer
				name := c.kernel + " " + w.String()
				k, err := compile(t, source, simtc.Options{Threads: 1, Emulate: simtc.Available(simtc.AVX512) != nil}).Kernel(c.kernel)
				require.NoError(t, err)
				k, err = k.With(w)
				require.NoError(t, err)
				out := make([]int32, items)
				for i := range out {
					out[i] = int32(i)
				}
				p, err := k.Profile(context.Background(), simtc.NDRange(items), make([]byte, 256*items), c.n, out)
				require.NoError(t, err, name)
				require.Equal(t, c.width, p.Width, name)
				require.LessOrEqual(t, c.low, p.Efficiency(), name)
				require.GreaterOrEqual(t, c.high, p.Efficiency(), name)
				for _, want := range c.exactly {
					at := slices.IndexFunc(p.Lines, func(l simtc.LineProfile) bool { return l.Line == want.line })
					got := p.Lines[at]
					require.Equal(t, want.runs, got.Runs, "%s: line %d", name, want.line)
					require.InDelta(t, want.lanes, got.Lanes, 1e-9, "%s: line %d", name, want.line)
					width := float64(c.width)
					if c.way.Lanes == simtc.Iterations && want.lanes == 1 {
						width = 1
					}
					require.InDelta(t, want.lanes/width, got.Active, 1e-9, "%s: line %d", name, want.line)
				}
				require.True(t, slices.ContainsFunc(p.Blocks, func(b simtc.BlockProfile) bool { return b.Lanes == c.itemsInBlocks }), "%s: %v", name, p.Blocks)
				if linearizer == simtc.Linearizers()[0] {
					if counts == nil {
						counts = p.Blocks
					}
					if c.way.Bypass == simtc.BypassNone {
						require.Equal(t, counts, p.Blocks, "%s: targets count the same", name)
					}
				}
			}
		}
	}
}
