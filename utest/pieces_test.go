package utest

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// piecesKernel is a kernel whose lanes access pieces of consecutive elements under masks: rows of a
// tile, or elements that neighbouring work-items share.
type piecesKernel struct {
	source    string
	size      int // of an element
	local     []uint64
	groups    int
	w, n      int
	load, out func(group, l int) int // indices of elements
	on        []byte
}

func randomPieces(random *rand.Rand) piecesKernel {
	pick := func(of ...string) string { return of[random.Intn(len(of))] }
	t := pick("uchar", "short", "int", "float", "double", "float4")
	k := piecesKernel{size: map[string]int{"uchar": 1, "short": 2, "int": 4, "float": 4, "double": 8, "float4": 16}[t], groups: 3}
	row := 4 << random.Intn(3)
	items := row * (8 << random.Intn(2))
	l := "get_local_id(0)"
	k.local = []uint64{uint64(items)}
	if random.Intn(2) == 0 {
		k.local = []uint64{uint64(row), uint64(items / row)}
		l = fmt.Sprintf("(get_local_id(0) + get_local_id(1) * %d)", row)
	}
	k.w = row + random.Intn(9)
	if random.Intn(4) == 0 {
		k.w = row
	}
	type form struct {
		text string
		at   func(l int) int
	}
	loads := []form{
		{"y * w + x", func(l int) int { return l/row*k.w + l%row }},
		{fmt.Sprintf("y * w + (%d - x)", row-1), func(l int) int { return l/row*k.w + row - 1 - l%row }},
		{"y", func(l int) int { return l / row }},
		{"x", func(l int) int { return l % row }},
		{"y * w", func(l int) int { return l / row * k.w }},
		{"(y ^ 1) * w + x", func(l int) int { return (l/row^1)*k.w + l%row }},
		{"y * w + (x ^ 3)", func(l int) int { return l/row*k.w + (l%row ^ 3) }},
	}
	load, store := loads[random.Intn(len(loads))], loads[[]int{0, 0, 1, 5, 6}[random.Intn(5)]]
	x, y := fmt.Sprintf("l %% %d", row), fmt.Sprintf("l / %d", row)
	if len(k.local) == 2 {
		x, y = "get_local_id(0)", "get_local_id(1)"
	}
	k.load = func(g, l int) int { return g*items*2 + load.at(l) }
	k.out = func(g, l int) int { return g*items*4 + store.at(l) }
	var s strings.Builder
	fmt.Fprintf(&s, "__kernel void k(__global const %s *a, __global %[1]s *b, __global const uchar *on, int w, int n, int from, int to) {\n", t)
	fmt.Fprintf(&s, "  %s l = %s, g = get_group_id(0), x = %s, y = %s, i = g * %d + l;\n", pick("int", "uint", "size_t"), l, x, y, items)
	k.n, k.on = k.groups*items, make([]byte, k.groups*items)
	for i := range k.on {
		k.on[i] = byte(random.Intn(2))
	}
	switch random.Intn(3) {
	case 0:
		s.WriteString("  if (i >= n) return;\n")
		k.n -= 1 + random.Intn(items)
		s.WriteString("  if (on[i])\n")
	case 1:
		s.WriteString("  if (i < n)\n")
		k.n -= 1 + random.Intn(items)
		for i := range k.on {
			k.on[i] = 1
		}
	case 2:
		s.WriteString("  if (on[i])\n")
	}
	clear(k.on[k.n:])
	k.on[random.Intn(k.n)] = 1
	two := map[string]string{"uchar": "(uchar)2", "short": "(short)2"}[t]
	if two == "" {
		two = "2"
	}
	fmt.Fprintf(&s, "    b[g * %d + (%s) + to] = a[g * %d + (%s) + from] * %s;\n}\n", items*4, store.text, items*2, load.text, two)
	k.source = s.String()
	return k
}

// TestPiecesUnderMasks checks that accesses to pieces under masks give the interpreter's results with
// every strategy, for buffers between pages without access that end with the last accessed element or
// begin with the first.
func TestPiecesUnderMasks(t *testing.T) {
	const page = 4096
	ways := widthsOfTargets(t)
	loads, stores := 0, 0
	for seed := range int64(*stridedSeeds) {
		random := rand.New(rand.NewSource(seed))
		x := randomPieces(random)
		p, err := simtc.Compile(x.source, simtc.Options{Threads: 1, Debug: simtc.Debug{EmulateMissing: true, Verify: *long || seed%4 == 0}})
		require.NoError(t, err, x.source)
		k, err := p.Kernel("k")
		require.NoError(t, err)
		// bounds returns the first accessed element and the number up to the last.
		bounds := func(at func(group, l int) int) (first, elements int) {
			first, items := 1<<30, len(x.on)/x.groups
			last := 0
			for i, on := range x.on {
				if on != 0 {
					first, last = min(first, at(i/items, i%items)), max(last, at(i/items, i%items))
				}
			}
			return first, last - first + 1
		}
		from, reads := bounds(x.load)
		to, writes := bounds(x.out)
		contents := make([]byte, (max(reads, writes)*x.size+page-1)/page*page)
		for i := range contents {
			contents[i] = byte(random.Intn(60))
		}
		a, b := fenced(t, contents, false), fenced(t, contents, false)
		atEnd := seed%2 == 0
		part := func(of []byte, elements int) []byte {
			n := elements * x.size
			if atEnd {
				return of[len(of)-n:]
			}
			return of[:n:n]
		}
		r := simtc.NDRange(append([]uint64{x.local[0] * uint64(x.groups)}, x.local[1:]...)...).WithLocal(x.local...)
		run := func(w simtc.Strategy) []byte {
			copy(b, contents)
			way, err := k.With(w)
			require.NoError(t, err)
			require.NoError(t, way.Launch(context.Background(), r, simtc.Buffer(part(a, reads)), simtc.Buffer(part(b, writes)), simtc.Buffer(x.on),
				int32(x.w), int32(x.n), int32(-from), int32(-to)), "seed %d, %s\n%s", seed, w, x.source)
			stats, err := way.Stats()
			require.NoError(t, err)
			loads += stats["gathers of pieces under masks"]
			stores += stats["scatters of pieces under masks"]
			return append([]byte(nil), b...)
		}
		want := run(simtc.Strategy{Target: simtc.Interpreter})
		for _, w := range inTurn(ways, int(seed)) {
			if len(x.local) == 2 {
				w.LaneDim = "rows"
			}
			if seed%3 == 0 {
				w.Bypass = simtc.BypassBoth
			}
			require.Equal(t, want, run(w), "seed %d, %s\n%s", seed, w, x.source)
		}
		require.NoError(t, p.Close())
	}
	require.Positive(t, loads)
	require.Positive(t, stores)
}
