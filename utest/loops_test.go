package utest

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// escape is a kernel around the iteration of z*z + c from outside its bounds.
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

// TestInnerLoops counts the instructions of an iteration of 16 work-items, the
// count of fuel among them, whatever way the loop is written.
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
		{"mandelbrot", read("bench/kernels/mandelbrot.cl"), 13},
		{"both tests", escape("  int n = 0; while (n < limit && x*x + y*y <= 4.0f)" + escapeStep + "n++; }\n"), 13},
		{"the other first", escape("  int n = 0; while (x*x + y*y <= 4.0f && n < limit)" + escapeStep + "n++; }\n"), 13},
		{"break", escape("  int n; for (n = 0; n < limit; n++) { if (x*x + y*y > 4.0f) break; " + escapeStep + "} }\n"), 13},
		{"unsigned", escape("  uint n; for (n = 0; n < (uint)limit; ++n) { if (x*x + y*y >= 4.0f) break; " + escapeStep + "} }\n"), 13},
		{"at the end", escape("  int n = 0; do " + escapeStep + "n++; } while (x*x + y*y <= 4.0f && n < limit);\n"), 13},
		{"constant limit", escape("  int n = 256; for (int i = 0; i < 256; i++) { " + escapeStep + "} if (x*x + y*y > 4.0f) { n = i; break; } }\n"), 13},
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
				p, err := simtc.Compile(c.source, simtc.Options{File: "loop.cl", Target: simtc.AVX512, Linearize: l, Width: 16})
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

var (
	labelLine = regexp.MustCompile(`^(\.L\d+):`)
	jumpLine  = regexp.MustCompile(`^\tj\w+ (\.L\d+)`)
)

// innermost counts the instructions of the shortest loop of a listing.
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

// TestMaskLoopsYield stops a launch in loops that look at a mask and the fuel
// at once: one that never ends, and one that ends soon, in one that does not.
func TestMaskLoopsYield(t *testing.T) {
	cases := []struct{ name, body string }{
		{"itself", "while (x != 1) x = (x & 1) ? 3 * x + 1 : x / 2;"},
		{"within another", "for (uint k = 1; k != 0; k += 2) { uint y = x; while (y > 7) y = y / 3 + (k & 1); out[x] = y; }"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := "__kernel void f(__global uint *out) {\n  uint x = get_global_id(0);\n  " + c.body + "\n  out[get_global_id(0)] = x;\n}\n"
			eachWay(t, source, []simtc.Way{{Target: simtc.AVX512, Width: 8}, {Target: simtc.AVX512, Width: 16}, {Target: simtc.AVX512, Width: 32}}, func(t *testing.T, _ simtc.Way, k *simtc.Kernel) {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
				defer cancel()
				err := k.Launch(ctx, simtc.NDRange(64), simtc.Buffer(make([]byte, 4*64)))
				require.ErrorIs(t, err, context.DeadlineExceeded)
			})
		})
	}
}
