package utest

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

var stridedSeeds = flag.Int("strided", 60, "random kernels of TestStridedAccesses")

// stridedKernel is a kernel of random loads and stores to the fields of adjacent structs,
// one per work-item, in ascending or descending order.
type stridedKernel struct {
	source string
	bytes  [2]int // of the buffers, which end with the last accessed element
}

func randomStrided(random *rand.Rand, items int) stridedKernel {
	pick := func(of ...string) string { return of[random.Intn(len(of))] }
	t := pick("uchar", "short", "int", "long", "float", "double")
	size := map[string]int{"uchar": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}[t]
	fields := 1 + random.Intn(9)
	stride, first := fields, random.Intn(3)
	if random.Intn(3) == 0 {
		stride, first = -fields, fields*(items-1)
	}
	last := [2]int{}
	field := func() string {
		b, f := random.Intn(2), random.Intn(fields)
		last[b] = max(last[b], f)
		return fmt.Sprintf("%c[%d + %s * i + %d]", 'a'+b, first, pick(fmt.Sprint(stride), fmt.Sprintf("(%d)", stride)), f)
	}
	var s strings.Builder
	fmt.Fprintf(&s, "__kernel void k(__global %s *a, __global %s *b, int n) {\n  %s i = get_global_id(0);\n", t, t, pick("int", "size_t", "long"))
	if random.Intn(2) == 0 {
		s.WriteString("  if (i >= n) return;\n")
	}
	vars := []string{"(" + t + ")3"}
	for k := range 2 + random.Intn(7) {
		if random.Intn(2) == 0 {
			fmt.Fprintf(&s, "  %s x%d = %s;\n", t, k, field())
			vars = append(vars, fmt.Sprint("x", k))
			continue
		}
		if random.Intn(4) == 0 { // the same for several fields
			to, from, op, other := random.Intn(2), random.Intn(2), pick("+", "-", "*"), pick(vars...)
			if random.Intn(3) == 0 {
				fmt.Fprintf(&s, "  if (%s > (%s)20)", pick(vars...), t)
			}
			s.WriteString(" {\n")
			for f := range 1 + random.Intn(fields) {
				at := fmt.Sprintf("[%d + %d * i + %d]", first, stride, f)
				fmt.Fprintf(&s, "  %c%s = %c%s %s %s;\n", 'a'+to, at, 'a'+from, at, op, other)
				last[to], last[from] = max(last[to], f), max(last[from], f)
			}
			s.WriteString("  }\n")
			continue
		}
		if random.Intn(4) == 0 { // a record under a mask
			fmt.Fprintf(&s, "  if (%s > (%s)20) {\n  %s y = %s + %s;\n", pick(vars...), t, t, field(), field())
			fmt.Fprintf(&s, "  %s = y - %s;\n  %s = y + %s; }\n", field(), pick(vars...), field(), pick(vars...))
			continue
		}
		if random.Intn(5) == 0 {
			fmt.Fprintf(&s, "  if (%s > (%s)20) ", pick(vars...), t)
		}
		fmt.Fprintf(&s, "  %s = %s %s %s;\n", field(), pick(vars...), pick("+", "-", "*"), pick(vars...))
	}
	s.WriteString("}\n")
	k := stridedKernel{source: s.String()}
	for b := range k.bytes {
		k.bytes[b] = (first + max(stride, 0)*(items-1) + last[b] + 1) * size
	}
	return k
}

// widthsOfTargets returns some widths of the vector interpreter and all widths of the
// targets that run here.
func widthsOfTargets(t *testing.T) []simtc.Strategy {
	ways := []simtc.Strategy{{Target: simtc.VIR, Width: 4}, {Target: simtc.VIR, Width: 16}, {Target: simtc.VIR, Width: 64}}
	for _, target := range []string{simtc.AVX512, simtc.AVX2, simtc.WASM} {
		if err := simtc.Available(target); !runsHere(target) {
			t.Logf("SKIPPED %s: %v", target, err)
			continue
		}
		for _, w := range simtc.Widths(target) {
			ways = append(ways, simtc.Strategy{Target: target, Width: w})
		}
	}
	return ways
}

// inTurn returns a third of the strategies for a random kernel, all of them in long tests.
// Consecutive seeds cover all.
func inTurn(ways []simtc.Strategy, seed int) (out []simtc.Strategy) {
	for i, w := range ways {
		if (i+seed)%3 == 0 || *long {
			out = append(out, w)
		}
	}
	return out
}

// TestStridedAccesses checks that accesses to neighboring fields give the interpreter's
// results with every strategy, in source order, and touch no memory out of bounds.
func TestStridedAccesses(t *testing.T) {
	const items = 150
	ways := widthsOfTargets(t)
	fired, masked, merged := 0, 0, 0
	for seed := range int64(*stridedSeeds) {
		random := rand.New(rand.NewSource(seed))
		x := randomStrided(random, items)
		p, err := simtc.Compile(x.source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true, Verify: *long || seed%4 == 0}})
		require.NoError(t, err, x.source)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		n := []int{items, items - 1 - random.Intn(64)}[random.Intn(2)]
		run := func(w simtc.Strategy) (out [2][]byte) {
			random := rand.New(rand.NewSource(seed))
			for b := range out {
				out[b] = make([]byte, x.bytes[b])
				for i := range out[b] {
					out[b][i] = byte(random.Intn(60))
				}
			}
			way, err := k.With(w)
			require.NoError(t, err)
			require.NoError(t, way.Launch(context.Background(), simtc.NDRange(items), simtc.Buffer(out[0]), simtc.Buffer(out[1]), int32(n)), "seed %d, %s\n%s", seed, w, x.source)
			stats, err := way.Stats()
			require.NoError(t, err)
			fired += stats["interleaved"]
			masked += stats["interleaved under masks"]
			merged += stats["components merged"]
			return out
		}
		want := run(simtc.Strategy{Target: simtc.Interpreter})
		for _, w := range inTurn(ways, int(seed)) {
			w.Bypass = simtc.BypassBoth
			require.Equal(t, want, run(w), "seed %d, %s\n%s", seed, w, x.source)
		}
		require.NoError(t, p.Close())
	}
	require.Positive(t, fired)
	require.Positive(t, masked)
	require.Positive(t, merged)
}

// TestPairsAreSorted checks that unmasked pairs of 32-bit elements are deinterleaved with
// shuffles and not extracted lane by lane.
func TestPairsAreSorted(t *testing.T) {
	for _, c := range []struct {
		typ    string
		sorted bool
	}{{"float2", true}, {"uint2", true}, {"short2", false}, {"double2", true}} {
		source := fmt.Sprintf(`kernel void k(global const %s *a, global %[1]s *b) {
	int i = get_global_id(0);
	%[1]s v = a[i];
	b[i] = (%[1]s)(v.y + v.x, v.x - v.y);
}`, c.typ)
		p, err := simtc.Compile(source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.AVX512, Width: 16}, NoAlias: true})
		require.NoError(t, err)
		text, err := p.Emit("vir")
		require.NoError(t, err)
		loop, _, _ := strings.Cut(string(text), "vstore") // the loop over whole strips
		require.Equal(t, c.sorted, strings.Contains(loop, " = shuffle"), "%s\n%s", c.typ, text)
		require.NoError(t, p.Close())
	}
}

// TestComponentsOfManyLanes checks that vectors of more lanes than a mask has bits in an integer are
// processed in memory order.
func TestComponentsOfManyLanes(t *testing.T) {
	const source = `kernel void k(global float4 *a, float x) {
	int i = get_global_id(0);
	a[i] = a[i] * x;
}`
	for _, width := range []int{8, 32, 64} {
		p, err := simtc.Compile(source, simtc.Options{Strategy: simtc.Strategy{Target: simtc.VIR, Width: width}})
		require.NoError(t, err)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		stats, err := k.Stats()
		require.NoError(t, err)
		require.Positive(t, stats["components merged"], "width %d", width)
		require.NoError(t, p.Close())
	}
}

// randomVectors generates a kernel that loads and stores adjacent vectors, of which it rearranges the
// components, and returns the bytes of an element of its buffers and the elements per work-item.
func randomVectors(random *rand.Rand) (source string, size, elements int) {
	pick := func(of ...string) string { return of[random.Intn(len(of))] }
	t := pick("uchar", "short", "int", "float", "double", "long")
	size = map[string]int{"uchar": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}[t]
	n, vectors := []int{2, 4, 8, 16}[random.Intn(4)], 1+random.Intn(4)
	elements = n * vectors
	var s strings.Builder
	fmt.Fprintf(&s, "__kernel void k(__global const %s *a, __global %[1]s *b, int n) {\n  int i = get_global_id(0);\n", t)
	s.WriteString(pick("  if (i >= n) return;\n", "  if (i % 3 == 1 || i >= n) return;\n", ""))
	at := func(buffer string, j int) string {
		if j%2 == 0 {
			return fmt.Sprintf("*(__global %s%s%d *)(%s + %d * i + %d)", map[bool]string{true: "const "}[buffer == "a"], t, n, buffer, elements, j*n)
		}
		return fmt.Sprintf("((__global %s%s%d *)%s)[%d * i + %d]", map[bool]string{true: "const "}[buffer == "a"], t, n, buffer, vectors, j)
	}
	for j := range vectors {
		fmt.Fprintf(&s, "  %s%d x%d = %s;\n", t, n, j, at("a", j))
	}
	for j := range vectors {
		if vectors > 2 && random.Intn(4) == 0 {
			continue // a gap
		}
		y := fmt.Sprint("x", random.Intn(vectors))
		if random.Intn(2) == 0 { // some components
			k := random.Intn(n)
			fmt.Fprintf(&s, "  %[1]s.s%[2]x = x%[3]d.s%[4]x * (%[5]s)2 + %[1]s.s%[6]x;\n", y, k, random.Intn(vectors), random.Intn(n), t, random.Intn(n))
		}
		fmt.Fprintf(&s, "  %s = %s;\n", at("b", j), pick(y, y+" + "+fmt.Sprint("x", random.Intn(vectors)), y+".s1 + "+y, "("+t+")2 - "+y))
	}
	s.WriteString("}\n")
	return s.String(), size, elements
}

// TestAdjacentVectors checks that accesses to adjacent vectors give the interpreter's results with
// every strategy, and touch no memory out of bounds.
func TestAdjacentVectors(t *testing.T) {
	const items = 150
	ways := widthsOfTargets(t)
	for seed := range int64(*stridedSeeds) {
		random := rand.New(rand.NewSource(seed))
		source, size, elements := randomVectors(random)
		p, err := simtc.Compile(source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true, Verify: *long || seed%4 == 0}})
		require.NoError(t, err, source)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		n := items - random.Intn(64)
		contents := make([]byte, n*elements*size)
		for i := range contents {
			contents[i] = byte(random.Intn(60))
		}
		a, b := fenced(t, contents, seed%3 == 0), fenced(t, contents, seed%3 == 0)
		run := func(w simtc.Strategy) []byte {
			copy(b, contents)
			way, err := k.With(w)
			require.NoError(t, err)
			r := simtc.NDRange(items)
			if !strings.Contains(source, "return") {
				r = simtc.NDRange(uint64(n))
			}
			require.NoError(t, way.Launch(context.Background(), r, simtc.Buffer(a), simtc.Buffer(b), int32(n)), "seed %d, %s\n%s", seed, w, source)
			return append([]byte(nil), b...)
		}
		want := run(simtc.Strategy{Target: simtc.Interpreter})
		for _, w := range inTurn(ways, int(seed)) {
			w.Bypass = simtc.BypassBoth
			require.Equal(t, want, run(w), "seed %d, %s\n%s", seed, w, source)
		}
		require.NoError(t, p.Close())
	}
}
