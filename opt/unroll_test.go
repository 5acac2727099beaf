package opt_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/fuzz"
)

// runPasses runs passes over the module in section in.simt. It returns the IR
// and what they counted.
func runPasses(t *testing.T, files map[string]string, passes ...func(*kernel.Func, opt.Stats)) (text, stats string) {
	m, err := kernel.Parse("in.simt", files["in.simt"])
	require.NoError(t, err)
	st := opt.Stats{}
	for _, f := range m.Funcs {
		for _, p := range passes {
			p(f, st)
			require.NoError(t, kernel.Verify(f))
		}
	}
	var lines []string
	for name, n := range st {
		lines = append(lines, fmt.Sprintf("%s: %d\n", name, n))
	}
	slices.Sort(lines)
	return m.String(), strings.Join(lines, "")
}

// TestPasses covers the pass itself; this test covers the passes after it and the counts.
func TestUnrollGolden(t *testing.T) {
	golden.Run(t, "testdata/unroll/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		out, _ := runPasses(t, files, opt.Unroll)
		promoted, stats := runPasses(t, files, opt.Unroll, opt.Promote, opt.Fold)
		if promoted == out {
			promoted = ""
		}
		return map[string]string{"promoted.simt": promoted, "stats": stats}
	})
}

// Loops that are not profitable to unroll are unchanged.
func TestUnrollLeavesAlone(t *testing.T) {
	golden.Run(t, "testdata/unroll/not.txtar", func(t *testing.T, files map[string]string) map[string]string {
		plain, _ := runPasses(t, files)
		out, stats := runPasses(t, files, opt.Unroll)
		require.Equal(t, plain, out)
		require.Empty(t, stats)
		return nil
	})
}

// countedLoop returns a program with one or two counted loops, with arrays, exits
// and uses after the loop.
func countedLoop(rng *rand.Rand) string {
	pick := func(s ...string) string { return s[rng.Intn(len(s))] }
	typ := pick("int", "uint", "char", "ushort", "long", "ulong")
	var head string
	switch rng.Intn(8) {
	case 0:
		head = fmt.Sprintf("for (%s i = %d; i > 0; i >>= 1)", typ, 1<<rng.Intn(6))
	case 1:
		head = fmt.Sprintf("for (%s i = 1; i < %d; i *= 2)", typ, 1<<rng.Intn(6))
	case 2:
		head = fmt.Sprintf("for (%s i = %d; i-- %s 0;)", typ, rng.Intn(9), pick(">", "!="))
	case 3:
		step := 1 + rng.Intn(3)
		head = fmt.Sprintf("for (%s i = 0; i != %d; i += %d)", typ, step*rng.Intn(7), step)
	case 4:
		head = fmt.Sprintf("for (%s i = %d; %d >= i; i += %d)", typ, rng.Intn(5), rng.Intn(16), 1+rng.Intn(4))
	case 5:
		head = fmt.Sprintf("for (%s i = 0, m = 1; (i & 15) < %d && m != 0; i++, m += 2)", typ, rng.Intn(8))
	case 6:
		head = fmt.Sprintf("for (%s i = 0; ; i++) if (i == %d) break; else", typ, rng.Intn(7))
	default:
		head = fmt.Sprintf("for (%s i = %d; i <= %d; ++i)", typ, rng.Intn(4), rng.Intn(12))
	}
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	body := func(depth int) {
		for range 1 + rng.Intn(4) {
			switch rng.Intn(9) {
			case 0:
				line("a[i & 15] += s;")
			case 1:
				line("s = s * 31 + a[(i + %d) & 15];", rng.Intn(16))
			case 2:
				line("if ((s & %d) == 0) break;", 3+rng.Intn(9))
			case 3:
				line("if ((s & 3) == %d) continue;", rng.Intn(4))
			case 4:
				line("if ((s & 63) == 5) { out[id] = s + i; return; }")
			case 5:
				line("last = s ^ i;")
			case 6:
				line("s += v / (%d) + v %% (%d);", rng.Intn(40)-20, rng.Intn(40)-20)
			default:
				line("s ^= s >> 3; s += i;")
			}
		}
		if depth == 0 && rng.Intn(2) == 0 {
			line("for (int j = %s; j < %d; j++) { a[(i * 3 + j) & 15] ^= s + j; s += a[j & 15];", pick("0", "i", "i + 1"), 1+rng.Intn(5))
			if rng.Intn(2) == 0 {
				line("if ((s & 7) == 6) break;")
			}
			line("}")
		}
	}
	line("__kernel void fuzz(__global uint *out, __global const int *in) {")
	line("size_t id = get_global_id(0); int v = in[id]; uint s = v, last = 1; uint a[16];")
	line("for (int k = 0; k < 16; k++) a[k] = s + k;")
	if rng.Intn(3) == 0 {
		line("#pragma unroll")
	}
	line("%s {", head)
	body(0)
	line("}")
	line("for (int k = 0; k < 16; k++) s = s * 17 + a[k];")
	line("out[id] = s + last; }")
	return b.String()
}

// Counted loops of all forms have the same results after every pass, and many of
// them are unrolled.
func TestUnrollKeepsResults(t *testing.T) {
	n := 140
	if testing.Short() {
		n = 60
	}
	unrolled := 0
	for seed := range int64(n) {
		text := countedLoop(rand.New(rand.NewSource(seed)))
		m, err := clc.Compile("loop.cl", text, clc.Options{})
		require.NoError(t, err, text)
		c := &fuzz.Case{Seed: seed, Source: text, Kernel: m.Funcs[0], Range: launch.Of(40),
			Buffers: []fuzz.Buffer{{Size: 160}, {Size: 160, Fill: uint64(seed) + 1}}, Scalars: [][]byte{nil, nil}}
		if checkPasses(t, c)["loops unrolled"] > 2 {
			unrolled++
		}
	}
	require.Greater(t, unrolled, n/3)
}
