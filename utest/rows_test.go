package utest

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

var rowSeeds = flag.Int("rows", 24, "random kernels of TestRows")

// randomRows generates a kernel whose work-items iterate over rows of n elements of a,
// and possibly of b, in row order or in another order.
func randomRows(random *rand.Rand) (source, element, counter string) {
	pick := func(of ...string) string { return of[random.Intn(len(of))] }
	element = pick("int", "float", "long", "double", "uchar", "short")
	counter = pick("int", "uint", "long", "ulong")
	start := pick("i * n", "starts[i]", "(int)i * (int)n")
	var s strings.Builder
	fmt.Fprintf(&s, "__kernel void k(__global %s *a, __global %[1]s *b, __global %[1]s *out, __global const int *starts, %s n, int from, int items) {\n", element, counter)
	fmt.Fprintf(&s, "  %s i = get_global_id(0);\n  %s sum = 1, other = 2;\n", pick("int", "size_t", "uint"), element)
	row := "a[" + start + " + k"
	switch random.Intn(3) {
	case 0:
		fmt.Fprintf(&s, "  __global %s *row = a + (%s);\n", element, start)
		row = "row[k"
	case 1:
		row = "a[k + (" + start + ")"
	}
	switch random.Intn(3) {
	case 0:
		s.WriteString("  if (i >= items) return;\n")
	case 1:
		s.WriteString("  if (i % 3 != 1 && i < items)\n")
	}
	each := []int{1, 1, 2, 4}[random.Intn(4)]
	fmt.Fprintf(&s, "  for (%s k = from; %s; k += %d) {\n", counter, pick("k < n", "k <= n - 1", "n > k"), each)
	next := row + " + 1]"
	row += fmt.Sprintf(" + %d]", random.Intn(each))
	store := ""
	switch random.Intn(6) {
	case 0:
		store = fmt.Sprintf("    b[%s + k] = %s + sum;\n", start, row)
	case 1: // other work-items may read the next element
		store, next = fmt.Sprintf("    %s = sum - %[1]s;\n", row), row
	case 2:
		store = "    out[i] += sum;\n"
	}
	for range 1 + random.Intn(3) {
		s.WriteString(pick(
			fmt.Sprintf("    sum = sum * 3 + %s;\n", row),
			fmt.Sprintf("    other += %s - sum;\n", next),
			fmt.Sprintf("    if (%s > sum) sum = other; else other += (%s)k;\n", row, element),
			fmt.Sprintf("    if (k %% 5 == 2) sum += %s;\n", row),
			fmt.Sprintf("    other += %s * %s;\n", row, next),
		))
	}
	for j := range each {
		if each > 1 && store == "" {
			fmt.Fprintf(&s, "    sum += %s * %d;\n", strings.Replace(next, "+ 1]", fmt.Sprintf("+ %d]", each-1-j), 1), j)
		}
	}
	s.WriteString(store + "  }\n  out[i] = sum + other;\n}\n")
	return s.String(), element, counter
}

// TestRows checks that accesses along rows give the interpreter's results with every
// strategy, and touch no memory out of bounds.
func TestRows(t *testing.T) {
	const items, most = 83, 4 // elements that may be accessed after the last row
	ways := widthsOfTargets(t)
	loads, stores := 0, 0
	for seed := range int64(*rowSeeds) {
		random := rand.New(rand.NewSource(seed))
		source, element, counter := randomRows(random)
		size := map[string]int{"uchar": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}[element]
		p, err := simtc.Compile(source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true, Verify: *long || seed%4 == 0}})
		require.NoError(t, err, source)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		n := []int{4, 8, 16, 36, 40, 64, 100}[random.Intn(7)]
		from := random.Intn(2)
		starts := make([]byte, 4*items)
		for i, r := range random.Perm(items) {
			binary.LittleEndian.PutUint32(starts[4*i:], uint32(r*n))
		}
		length := any(int32(n))
		if counter == "long" || counter == "ulong" {
			length = int64(n)
		}
		run := func(w simtc.Strategy) (out [3][]byte) {
			random := rand.New(rand.NewSource(seed))
			for b, elements := range []int{items*n + most, items*n + most, items} {
				out[b] = make([]byte, elements*size)
				for i := range elements { // small numbers, which floats represent exactly
					x := random.Intn(4)
					switch element {
					case "float":
						binary.LittleEndian.PutUint32(out[b][i*4:], math.Float32bits(float32(x)))
					case "double":
						binary.LittleEndian.PutUint64(out[b][i*8:], math.Float64bits(float64(x)))
					default:
						out[b][i*size] = byte(x)
					}
				}
			}
			way, err := k.With(w)
			require.NoError(t, err)
			require.NoError(t, way.Launch(context.Background(), simtc.NDRange(items), simtc.Buffer(out[0]), simtc.Buffer(out[1]), simtc.Buffer(out[2]),
				simtc.Buffer(starts), length, int32(from), int32(items-2)), "seed %d, %s\n%s", seed, w, source)
			stats, err := way.Stats()
			require.NoError(t, err)
			loads += stats["tiled gathers"]
			stores += stats["tiled scatters"]
			return out
		}
		want := run(simtc.Strategy{Target: simtc.Interpreter})
		for _, w := range inTurn(ways, int(seed)) {
			w.Bypass = simtc.BypassBoth
			require.Equal(t, want, run(w), "seed %d, %s\n%s", seed, w, source)
		}
		require.NoError(t, p.Close())
	}
	require.Positive(t, loads)
	require.Positive(t, stores)
}
