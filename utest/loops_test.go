package utest

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// escape returns a kernel that runs loop, an iteration of z*z + c with at most limit
// iterations.
func escape(loop string) string {
	return `__kernel void escape(__global int *out, int limit) {
  int px = get_global_id(0), py = get_global_id(1), w = get_global_size(0), h = get_global_size(1);
  float cx = -2.0f + 2.5f * (float)px / (float)w, cy = -1.25f + 2.5f * (float)py / (float)h;
  float x = 0.0f, y = 0.0f;
` + loop + `  out[py * w + px] = n;
}
`
}

const escapeStep = "{ float t = x * x - y * y + cx; y = 2.0f * x * y + cy; x = t; "

// TestInnerLoops counts the instructions of an iteration of 16 work-items for several
// forms of the same loop.
func TestInnerLoops(t *testing.T) {
	read := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(text)
	}
	cases := []struct {
		name, source string
		most         int
	}{
		{"mandelbrot", read("bench/kernels/mandelbrot.cl"), 12},
		{"nothing contracted", read("../examples/mandelbrot.cl"), 16},
		{"both tests", escape("  int n = 0; while (n < limit && x*x + y*y <= 4.0f)" + escapeStep + "n++; }\n"), 12},
		{"the other first", escape("  int n = 0; while (x*x + y*y <= 4.0f && n < limit)" + escapeStep + "n++; }\n"), 12},
		{"break", escape("  int n; for (n = 0; n < limit; n++) { if (x*x + y*y > 4.0f) break; " + escapeStep + "} }\n"), 15},
		{"unsigned", escape("  uint n; for (n = 0; n < (uint)limit; ++n) { if (x*x + y*y >= 4.0f) break; " + escapeStep + "} }\n"), 15},
		{"at the end", escape("  int n = 0; do " + escapeStep + "n++; } while (x*x + y*y <= 4.0f && n < limit);\n"), 12},
		{"constant limit", escape("  int n = 256; for (int i = 0; i < 256; i++) { " + escapeStep + "} if (x*x + y*y > 4.0f) { n = i; break; } }\n"), 15},
		{"collatz32", read("bench/kernels/collatz32.cl"), 9},
		{"greatest common divisor", `__kernel void gcd(__global const uint *a, __global const uint *b, __global uint *o) {
  uint i = get_global_id(0), x = a[i], y = b[i];
  while (x != y) { if (x > y) x -= y; else y -= x; }
  o[i] = x;
}
`, 9},
		{"newton", `__kernel void newton(__global const float *a, __global float *o, int most) {
  int i = get_global_id(0), n = 0;
  float v = a[i], r = v;
  do {
    float next = 0.5f * (r + v / r);
    if (fabs(next - r) < 1e-6f) { r = next; break; }
    r = next;
  } while (++n < most);
  o[i] = r + n;
}
`, 16},
		{"rare_branch", read("bench/kernels/rare_branch.cl"), 22},
		{"irreducible", read("bench/kernels/irreducible.cl"), 23},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, l := range []string{simtc.BlockIP, simtc.Partial} {
				p, err := simtc.Compile(c.source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Linearizer: l, Width: 16}, File: "loop.cl"})
				require.NoError(t, err)
				listing, err := p.Emit("asm")
				require.NoError(t, err)
				require.NoError(t, p.Close())
				n := innermost(string(listing))
				require.Positive(t, n)
				require.LessOrEqual(t, n, c.most, "%s\n%s", l, listing)
			}
		})
	}
}

// TestLoopsChange checks that the passes for loops of one-lane code still apply when all
// passes run.
func TestLoopsChange(t *testing.T) {
	for _, c := range []struct {
		kernel string
		width  int
		did    string
		times  int
	}{
		{"grid_paths", 1, "loops nested", 1}, {"grid_paths", 8, "loops nested", 0}, {"grid_paths", 1, "loops unswitched", 2},
		{"flagged_search", 1, "back edges threaded out of loops", 4}, {"flagged_search", 8, "back edges threaded out of loops", 0},
		{"private_fills", 1, "fill loops replaced", 11}, {"private_tables", 1, "fill loops replaced", 4},
		{"rolling_hash", 1, "recurrent multiplications shortened", 7},
	} {
		source, err := os.ReadFile("kernels/" + c.kernel + ".cl")
		require.NoError(t, err)
		p, err := simtc.Compile(string(source), simtc.Options{Strategy: simtc.Strategy{Target: simtc.WASM, Width: c.width}, File: c.kernel + ".cl"})
		require.NoError(t, err)
		k, err := p.Kernel(c.kernel)
		require.NoError(t, err)
		stats, err := k.Stats()
		require.NoError(t, err)
		require.Equal(t, c.times, stats[c.did], "%s: %s at width %d", c.kernel, c.did, c.width)
		require.NoError(t, p.Close())
	}
}

var (
	labelLine = regexp.MustCompile(`^(\.L\d+):`)
	jumpLine  = regexp.MustCompile(`^\tj\w+ (\.L\d+)`)
)

// innermost returns the number of instructions of the shortest loop of a listing.
func innermost(listing string) int {
	at := map[string]int{}
	count, shortest := 0, 0
	for _, line := range strings.Split(listing, "\n") {
		if m := labelLine.FindStringSubmatch(line); m != nil {
			at[m[1]] = count
			continue
		}
		if !strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "\t.") {
			continue
		}
		count++
		if m := jumpLine.FindStringSubmatch(line); m != nil {
			if from, back := at[m[1]]; back && (shortest == 0 || count-from < shortest) {
				shortest = count - from
			}
		}
	}
	return shortest
}

// TestMaskLoopsEnd stops a launch in loops that test a mask: an endless loop, and a short
// loop inside an endless one.
func TestMaskLoopsEnd(t *testing.T) {
	cases := []struct{ name, body string }{
		{"itself", "while (x != 1) x = (x & 1) ? 3 * x + 1 : x / 2;"},
		{"within another", "for (uint k = 1; k != 0; k += 2) { uint y = x; while (y > 7) y = y / 3 + (k & 1); out[x] = y; }"},
		{"counted within another", "for (uint k = 1; k != 0; k += 2) { int n; uint y = x; for (n = 0; n < 100; n++) { if (y == k) break; y = y * 5 + 1; } out[x] = y; }"},
		{"counted", "for (int n = 0; n < 2147483647; n++) { if (x == 0x80000000u) break; x = x * 5 + (n & x); }"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void f(__global uint *out) {\n  uint x = get_global_id(0);\n  " + c.body + "\n  out[get_global_id(0)] = x;\n}\n"
			eachWay(t, source, []simtc.Strategy{{Target: simtc.AVX512, Width: 8}, {Target: simtc.AVX512, Width: 16}, {Target: simtc.AVX512, Width: 32}}, func(t *testing.T, _ simtc.Strategy, k *simtc.Kernel) {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
				defer cancel()
				err := k.Launch(ctx, simtc.NDRange(64), simtc.Buffer(make([]byte, 4*64)))
				require.ErrorIs(t, err, context.DeadlineExceeded)
			})
		})
	}
}

// TestCountedLoops checks loops that end by a counter or by a condition of a lane, with
// counters that end at once, after many iterations, or near the point where they would
// wrap.
func TestCountedLoops(t *testing.T) {
	const text = `__kernel void f(__global uint *out, TYPE first, TYPE limit, uint found) {
  uint i = get_global_id(0), x = i * 77 + 1;
  TYPE n;
  for (n = first; n < limit; n++) {
    if ((x & 0xffff) == found) break;
    x = x * 1103515245 + 12345;
  }
  out[i] = x ^ (uint)n;
}
`
	const never, items = 0x10000, 100
	cases := []struct{ first, limit, found int64 }{
		{0, 1, never}, {0, 0, never}, {5, 3, never}, {0, 300, never}, {0, 300, 0x1234},
		{0, 8192, never}, {0, 8193, never}, {0, 30000, never}, {7, 30000, 0x1234},
		{math.MinInt32, math.MinInt32 + 9000, never}, {math.MaxInt32 - 9000, math.MaxInt32, never},
		{math.MinInt32, math.MaxInt32, 0x1234}, {0, math.MaxUint32, 0x1234}, {math.MaxUint32 - 10, math.MaxUint32, never},
	}
	word := func(x int64) simtc.Arg { return simtc.Bytes(binary.LittleEndian.AppendUint32(nil, uint32(x))) }
	for _, typ := range []string{"int", "uint"} {
		source := strings.ReplaceAll(text, "TYPE", typ)
		below := func(a, b uint32) bool { return a < b }
		if typ == "int" {
			below = func(a, b uint32) bool { return int32(a) < int32(b) }
		}
		eachWay(t, source, []simtc.Strategy{{Target: simtc.VIR, Width: 16}, {Target: simtc.WASM, Width: 8}, {Target: simtc.AVX512, Width: 8}, {Target: simtc.AVX512, Width: 16}, {Target: simtc.AVX512, Width: 64}}, func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
			for _, c := range cases {
				if far := uint32(c.limit) - uint32(c.first); w.Target == simtc.VIR && far > 1000 || slowly(w) && far > 10000 {
					continue
				}
				out := make([]byte, 4*items)
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(items), simtc.Buffer(out), word(c.first), word(c.limit), uint32(c.found)))
				for i := range uint32(items) {
					x, n := i*77+1, uint32(c.first)
					for ; below(n, uint32(c.limit)) && x&0xffff != uint32(c.found); n++ {
						x = x*1103515245 + 12345
					}
					require.Equal(t, x^n, binary.LittleEndian.Uint32(out[4*i:]), "%v, work-item %d", c, i)
				}
			}
		})
	}
}

// TestCountedLoopsThatWrap checks loops whose first test is of a counter that has just
// wrapped.
func TestCountedLoopsThatWrap(t *testing.T) {
	const source = `__kernel void f(__global uint *out, uint first, uint limit) {
  uint i = get_global_id(0), x = i * 77 + 1, n = first;
  do {
    x = x * 1103515245 + 12345;
    if ((x & 0xfff) == 0x123) break;
  } while (++n < limit);
  out[i] = x ^ n;
}
`
	const items = 100
	eachWay(t, source, []simtc.Strategy{{Target: simtc.VIR, Width: 16}, {Target: simtc.WASM, Width: 8}, {Target: simtc.AVX512, Width: 8}, {Target: simtc.AVX512, Width: 16}, {Target: simtc.AVX512, Width: 64}}, func(t *testing.T, _ simtc.Strategy, k *simtc.Kernel) {
		for _, c := range [][2]uint32{{math.MaxUint32, 50}, {math.MaxUint32, 0}, {math.MaxUint32 - 1, 50}, {0, 50}, {60, 50}} {
			out := make([]byte, 4*items)
			require.NoError(t, k.Launch(context.Background(), simtc.NDRange(items), simtc.Buffer(out), c[0], c[1]))
			for i := range uint32(items) {
				x, n := i*77+1, c[0]
				for {
					if x = x*1103515245 + 12345; x&0xfff == 0x123 {
						break
					}
					if n++; n >= c[1] {
						break
					}
				}
				require.Equal(t, x^n, binary.LittleEndian.Uint32(out[4*i:]), "%v, work-item %d", c, i)
			}
		}
	})
}
