package tripcount_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/tripcount"
	"github.com/simtc/simtc/utest/canonical"
)

func shapes(f *kernel.Func) *divergence.Info {
	return divergence.Analyze(f, divergence.Options{Width: 16})
}

// TestGoldens prints kernels with counted loops and their divergence.
func TestGoldens(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before, stats := f.String(), opt.Stats{}
		made := tripcount.Count(f, shapes(f), stats)
		require.Equal(t, before, f.String(), "Count must not modify its argument")
		if made == f {
			require.Empty(t, stats)
			return map[string]string{"counted.simt": "no\n"}
		}
		require.NotZero(t, stats["loops counted"])
		require.NoError(t, kernel.Verify(made))
		return map[string]string{"counted.simt": shapes(made).String()}
	})
}

// TestCountedLoopsStay counts each loop only once, even if it diverges for another reason:
// callers call Count until nothing changes.
func TestCountedLoopsStay(t *testing.T) {
	counted := 0
	for seed := range int64(40) {
		f := canonical.Kernel(t, map[string]string{"in.cl": randomLoop(rand.New(rand.NewSource(seed)))})
		made := tripcount.Count(f, shapes(f), opt.Stats{})
		if made == f {
			continue
		}
		counted++
		info := shapes(made)
		for i := range info.Divergent {
			info.Divergent[i] = true
		}
		require.Same(t, made, tripcount.Count(made, info, opt.Stats{}), "seed %d", seed)
	}
	require.Greater(t, counted, 10)
}

// randomLoop writes a kernel with a loop over a range of numbers, which may wrap; its trip
// count is at most 20.
func randomLoop(r *rand.Rand) string {
	pick := func(s ...string) string { return s[r.Intn(len(s))] }
	typ := pick("int", "uint", "long", "ulong")
	first := pick("i", "i * n", "i - n", "(i + 1) * n", "in[i]", "in[i] * n", "i * 8", "in[i] + i", "n - i")
	length := pick("n", "5", "12", "n + 3", "2 * n", "n * m", "m", "0", "1")
	up := r.Intn(3) > 0
	last, op, step := "b + "+length, pick("<", "<=", "!="), pick("k++", "k += 1", "k += 2", "k += 3")
	if !up {
		last, op, step = "b - "+length, pick(">", ">=", "!="), pick("k--", "k -= 1", "k -= 2", "k -= 3")
	}
	test := "k " + op + " e"
	if r.Intn(3) == 0 {
		test = "e " + map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}[op] + " k"
	}
	body := pick("s += k * 7;", "if (k & 1) continue; s ^= k + trips;", "s = s * 3 + in[i] + k;", "if (s == 12345) break; s += k | 1;")
	end, e := fmt.Sprintf("  %s e = %s;\n", typ, last), ""
	if r.Intn(3) == 0 { // computed in the loop
		end, e = "", last
	}
	return strings.NewReplacer("FIRST", first, "  END\n", end, "TEST", strings.Replace(test, "e", map[bool]string{true: "e", false: "(" + e + ")"}[e == ""], 1), "STEP", step, "BODY", body, "T", typ).Replace(`
kernel void k(global const T *in, T n, T m, global T *out, global T *after, global int *times)
{
  T i = get_global_id(0), s = 0, b = FIRST, k = b;
  END
  int trips = 0;
  for (; TEST; STEP) {
    if (trips++ == 20) break;
    BODY
  }
  out[i] = s;
  after[i] = k;
  times[i] = trips;
}
`)
}

// TestCountedLoopsMeanTheSame compares results, including bounds that wrap in some lanes.
func TestCountedLoopsMeanTheSame(t *testing.T) {
	cases := 2000
	if testing.Short() {
		cases = 200
	}
	const items = 40
	counted := map[int]int{} // by lanes
	for seed := range cases {
		r := rand.New(rand.NewSource(int64(seed)))
		text := randomLoop(r)
		f := canonical.Kernel(t, map[string]string{"in.cl": text})
		lanes := 1 + 15*(seed&1)
		made := tripcount.Count(f, divergence.Analyze(f, divergence.Options{Width: lanes}), opt.Stats{})
		if made == f {
			continue
		}
		counted[lanes]++
		require.NoError(t, kernel.Verify(made), "seed %d", seed)
		size := f.Args[1].Type.Size()
		number := func() uint64 {
			v := uint64(r.Intn(24)) - 8
			switch r.Intn(4) {
			case 0:
				v += 1 << (8*size - 1)
			case 1:
				v = uint64(r.Intn(6))
			}
			return v
		}
		scalar := func() launch.Arg {
			return launch.Bytes(binary.LittleEndian.AppendUint64(nil, number())[:size])
		}
		in := []byte{}
		for range items {
			in = append(in, binary.LittleEndian.AppendUint64(nil, number())[:size]...)
		}
		n, m := scalar(), scalar()
		run := func(f *kernel.Func) (mem [3][]byte) {
			mem = [3][]byte{make([]byte, items*size), make([]byte, items*size), make([]byte, items*4)}
			args := []launch.Arg{launch.Buffer(in), n, m, launch.Buffer(mem[0]), launch.Buffer(mem[1]), launch.Buffer(mem[2])}
			require.NoError(t, launch.NewInterpreter(f, 1<<24, false).Launch(context.Background(), launch.Range{Dims: 1, Global: [3]uint64{items}}, args, 1), "seed %d\n%s", seed, f)
			return mem
		}
		require.Equal(t, run(f), run(made), "seed %d\n%s\n%s\n%s", seed, text, f, made)
	}
	require.Greater(t, counted[16], cases/8)
	require.Greater(t, counted[1], cases/32)
}

// TestOneLane checks that loops with small constant trip counts are unrolled at width 1.
func TestOneLane(t *testing.T) {
	loop := func(start, end, step string) *kernel.Func {
		f := canonical.Kernel(t, map[string]string{"in.cl": fmt.Sprintf(`kernel void k(global int *x, int n)
{
	int i = get_global_id(0);
	for (int j = %s; j < %s; j += %s) x[j] += 1;
}`, start, end, step)})
		return tripcount.Count(f, divergence.Analyze(f, divergence.Options{Width: 1}), opt.Stats{})
	}
	loops := func(f *kernel.Func) int { return len(cfg.Cycles(f.Graph()).Cycles) }
	require.Zero(t, loops(loop("i * 8", "(i + 1) * 8", "1")))
	require.Zero(t, loops(loop("n * 8", "n * 8 + 8", "4")))
	for _, x := range []struct{ start, end, step, why string }{
		{"i * 8", "i * 8 + 65", "1", "many iterations"},
		{"i * 8", "i * 8 + 8", "3", "the distance is no multiple of the step"},
		{"i * n", "i * n + n", "1", "the trip count is an argument"},
	} {
		require.Equal(t, 1, loops(loop(x.start, x.end, x.step)), x.why)
	}
}

// TestLoopsOfLongCode checks that memory use grows linearly with the number of loops.
func TestLoopsOfLongCode(t *testing.T) {
	bytes := func(loops int) uint64 {
		var b strings.Builder
		b.WriteString("kernel void f(global int *a) { int x = a[get_global_id(0)];\n")
		for i := range loops {
			fmt.Fprintf(&b, "for (int j = 0; j < x; j++) x = x * %d + j;\n", 2*i+3)
		}
		b.WriteString("a[get_global_id(0)] = x; }\n")
		f := canonical.Kernel(t, map[string]string{"in.cl": b.String()})
		info := shapes(f)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tripcount.Count(f, info, opt.Stats{})
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	require.Less(t, bytes(800), 8*bytes(200))
}
