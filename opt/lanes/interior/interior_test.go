package interior_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/interior"
	"github.com/simtc/simtc/utest/canonical"
)

func shapes(f *kernel.Func) *divergence.Info {
	return divergence.Analyze(f, divergence.Options{Width: 16})
}

// TestGoldens prints kernels with versions for lanes away from boundaries.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before, stats := f.String(), opt.Stats{}
		made := interior.Split(f, shapes(f), 16, shapes, stats)
		require.Equal(t, before, f.String(), "Split must not modify its argument")
		if made == f {
			require.Empty(t, stats)
			return map[string]string{"interior.simt": "no\n"}
		}
		require.NotZero(t, stats["interiors"])
		require.NoError(t, kernel.Verify(made))
		return map[string]string{"interior.simt": shapes(made).String()}
	})
}

// bordered writes a kernel whose indices have boundaries.
func bordered(r *rand.Rand) string {
	pick := func(s ...string) string { return s[r.Intn(len(s))] }
	index := func() string {
		x := pick("i", "i + 1", "i - 2", "i + d", "i + m", "i * 2 - 3")
		return strings.ReplaceAll(pick(
			"clamp(X, 0, n - 1)", "max(min(X, n - 1), 0)", "min(max(X, m), n - 1)", "min((uint)(X), (uint)n - 1)",
			"(X) < 0 ? 0 : (X) >= n ? n - 1 : (X)", "(X) == 0 ? n - 1 : (X) - 1", "(X) + 1 < n ? (X) + 1 : 0",
			"(X) < 0 || (X) >= n ? 0 : (X)", "((X) + n) % n", "((X) + 1) % n", "((uint)(X) + (uint)n) % (uint)n", "min(max(X, 0) + 1, n - 1)",
			"max((X) - 1, m)", "(f[3] > 0.0f && (X) > 2) ? (X) : 1", "abs(clamp(X, 0, n - 1))",
			"(X) % n", "(X) / n", "(uint)(X) % (uint)n", "(uint)(X) / (uint)n", "(X) & 63", "(X) % 37", "(uint)(X) / 37 * 3 + (uint)(X) % 37", "(X) >> 5",
			"(X) / n * m + (X) % n", "min((X) % n + 1, n - 1)",
		), "X", x)
	}
	return strings.NewReplacer("FIRST", index(), "SECOND", index(), "THIRD", index(), "TRIPS", pick("1", "(n & 3)", "3")).Replace(`
kernel void k(global const int *in, int n, int m, global int *out, global int *marks, global const float *f)
{
  int i = get_global_id(0), d = 3, s = 0;
  for (int d = 0; d < TRIPS; d++) {
    int a = FIRST, b = SECOND;
    s = s * 3 + in[a & 63] + in[(uint)b & 63];
    if (a >= 0 && a < 64) s += in[a];
    if ((uint)b < 64) s ^= in[b];
  }
  int c = THIRD;
  if (c >= 0 && c < 64) marks[c] = c;
  out[i] = s + c;
}
`)
}

// TestInteriorsMeanTheSame compares results for random kernels and bounds, including empty
// ranges and the limits of int.
func TestInteriorsMeanTheSame(t *testing.T) {
	cases := 2000
	if testing.Short() {
		cases = 200
	}
	const items = 64
	split, stats := 0, opt.Stats{}
	for seed := range cases {
		r := rand.New(rand.NewSource(int64(seed)))
		text := bordered(r)
		f := canonical.Kernel(t, map[string]string{"in.cl": text})
		made := interior.Split(f, shapes(f), 16, shapes, stats)
		if made == f {
			continue
		}
		split++
		require.NoError(t, kernel.Verify(made), "seed %d\n%s", seed, made)
		scalar := func(x int32) launch.Arg { return launch.Bytes(binary.LittleEndian.AppendUint32(nil, uint32(x))) }
		in, floats := make([]byte, 4*items), make([]byte, 4*items)
		r.Read(in)
		floats[15] = byte(0x40 * r.Intn(2)) // 2 or 0
		n, m := int32(r.Intn(80)+1), int32(r.Intn(9)-4)
		switch r.Intn(6) {
		case 0:
			n = []int32{-5, 1<<31 - 1, -1 << 31, 1 << 30, 1<<30 + 7}[r.Intn(5)]
		case 1:
			m = []int32{1<<31 - 1, -1 << 31, 70}[r.Intn(3)]
		}
		run := func(f *kernel.Func) (mem [2][]byte) {
			mem = [2][]byte{make([]byte, 4*items), make([]byte, 4*items)}
			args := []launch.Arg{launch.Buffer(in), scalar(n), scalar(m), launch.Buffer(mem[0]), launch.Buffer(mem[1]), launch.Buffer(floats)}
			require.NoError(t, launch.NewInterpreter(f, 1<<24, false).Launch(context.Background(), launch.Range{Dims: 1, Global: [3]uint64{items}}, args, 1), "seed %d\n%s", seed, f)
			return mem
		}
		require.Equal(t, run(f), run(made), "seed %d, n %d, m %d\n%s\n%s\n%s", seed, n, m, text, f, made)
	}
	require.Greater(t, split, cases/4)
	require.Greater(t, stats["loops versioned"], cases/40)
	require.Greater(t, stats["loads split by side"], cases/4)
}

// TestNotVersioned covers kernels without boundaries, and with boundaries that the lanes
// of a vector always meet.
func TestNotVersioned(t *testing.T) {
	for _, body := range []string{
		"out[i] = in[in[i] % n];", "out[i] = in[min(in[i], n)];", "int own[8]; own[i & 7] = n; out[i] = own[min(i, 7)];",
		"out[i] = in[n > 3 ? i : i + 1];", "out[i] = in[i / 8];", "out[i] = in[i % 12] + in[i & 15] + in[(uint)i / 7];", "out[i] = in[n / (i + 1)];",
	} {
		f := canonical.Kernel(t, map[string]string{"in.cl": fmt.Sprintf("kernel void k(global const int *in, int n, global int *out) { int i = get_global_id(0); %s }\n", body)})
		require.Same(t, f, interior.Split(f, shapes(f), 16, shapes, opt.Stats{}), body)
	}
}
