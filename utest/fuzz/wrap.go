package fuzz

import (
	"fmt"
	"math/rand"

	"github.com/simtc/simtc/launch"
)

// Wrap makes a random OpenCL C program whose indices are in bounds although intermediate
// 32-bit sums wrap: sums of ids, of loop counters and of terms that cancel.
func Wrap(seed int64) (*Case, error) {
	w := &wrap{cprogram: cprogram{rng: rand.New(rand.NewSource(seed))}}
	w.elem = w.pick("int", "uchar", "short", "long")
	w.kernel()
	n := []uint32{0x7fffffff, 0x80000000, 0xffffffff, 0x80000001, w.rng.Uint32(), 5, 0xfffffff0, 0x40000000}[w.rng.Intn(8)]
	words := []string{
		fmt.Sprintf("b:%s:%d:rand,%d,0,100", w.elem, 2*wrapMiddle, seed%1000), fmt.Sprintf("b:%s:%d", w.elem, wrapItems), fmt.Sprintf("b:long:%d", wrapItems),
		fmt.Sprintf("uint:%d", n), fmt.Sprintf("uint:%d", -n), "b:uint:4:const,2147483648",
	}
	return newProgram(seed, "wrap", w.b.String(), words, launch.Of(wrapItems))
}

const (
	wrapItems  = 41
	wrapRow    = 9
	wrapMiddle = 200 // above every index
)

// wrap writes such a program. n and m are zero together, and half is four times 1<<31.
type wrap struct {
	cprogram
	elem     string
	counters []string // of the enclosing loops
}

func (w *wrap) kernel() {
	w.line("kernel void fuzz(global const %s *in, global %s *own, global long *out, uint n, uint m, global const uint *half)", w.elem, w.elem)
	w.line("{")
	w.depth++
	w.line("%s id = get_global_id(0);", w.pick("int", "uint", "size_t", "long"))
	w.line("%s x = id %% %d, y = id / %d;", w.pick("int", "uint"), wrapRow, wrapRow)
	w.line("global const %s *p = in + %d;", w.elem, wrapMiddle)
	w.line("global %s *d = own + id;", w.elem)
	w.line("ulong s = 0; int c = 0;")
	for range 2 + w.rng.Intn(3) {
		w.statement(2)
	}
	w.line("out[id] = s * 3 + c;")
	w.depth--
	w.line("}")
}

// term is a number below 50, at least in its low bits.
func (w *wrap) term() string {
	return w.pick(append([]string{"x", "y", "(uint)id", "1", "3"}, append(w.counters, w.counters...)...)...)
}

// index is a number between -wrapMiddle and wrapMiddle.
func (w *wrap) index() string {
	parts := []string{w.term()}
	if w.chance(60) {
		parts = append(parts, w.term())
	}
	k := w.pick(append([]string{"x", "y"}, w.counters...)...)
	switch w.rng.Intn(9) {
	case 0, 1:
		parts = append(parts, "n", "m")
	case 2:
		parts = append(parts, "half[0]", "half[1]")
	case 3:
		parts = append(parts, "(uint)"+k+" * n", "(uint)"+k+" * m")
	case 4:
		parts = append(parts, "0x80000000u", "half[2]")
	case 5:
		parts = append(parts, "(n ^ 5u)", "(0u - (n ^ 5u))")
	case 6:
		parts = append(parts, "half[3] * 2u")
	case 7:
		parts = append(parts, "(((uint)"+k+" << 31) << 1)", "(n + 7u)", "(m - 7u)")
	}
	w.rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	for len(parts) > 1 {
		i := w.rng.Intn(len(parts) - 1)
		sum := "(%s + %s)"
		if w.chance(15) {
			sum = "(%s - (0u - %s))"
		}
		parts[i] = fmt.Sprintf(sum, parts[i], parts[i+1])
		parts = append(parts[:i+1], parts[i+2:]...)
	}
	return fmt.Sprintf("%s(%s)", w.pick("(int)", "(int)", "(int)", "(long)(int)"), parts[0])
}

func (w *wrap) statement(depth int) {
	if depth > 0 && w.chance(55) {
		w.loop(depth)
		return
	}
	w.access()
	if w.chance(20) {
		w.line("d[(int)(n + m)] = s;")
	}
}

func (w *wrap) access() {
	switch w.rng.Intn(5) {
	case 0, 1:
		w.line("s += p[%s];", w.index())
	case 2:
		w.line("s ^= p[%s] * 3;", w.index())
	case 3:
		w.line("if (%s) s += p[%s] - p[%s];", w.pick("x > 0", "y > 0", "c & 1", "s & 4"), w.index(), w.index())
	default:
		w.line("c += p[%s] > %d;", w.index(), w.rng.Intn(50))
	}
}

// loop writes a loop with fewer than ten iterations.
func (w *wrap) loop(depth int) {
	k, around := w.name("k"), w.counters
	w.counters = append(append([]string{}, around...), k)
	typ := w.pick("int", "uint", "int", "uchar", "short", "long")
	switch w.rng.Intn(4) {
	case 0:
		w.line("for (%s %s = %d; %s < %s; %s += %d) {", typ, k, w.rng.Intn(3), k, w.pick("6", "(int)(n & 7)", "9"), k, 1+w.rng.Intn(2))
	case 1:
		w.line("for (int %s = %d; %s >= 0; %s--) {", k, 2+w.rng.Intn(6), k, k)
	case 2:
		w.line("for (uint %s = n; %s != n + %d; %s++) {", k, k, 2+w.rng.Intn(6), k)
		w.counters = append(append([]string{}, around...), "("+k+" - n)", "("+k+" + m)")
	default:
		w.line("%s %s = 0;", typ, k)
		w.line("while (%s++ < 6) {", k)
	}
	w.depth++
	w.access()
	w.statement(depth - 1)
	if w.chance(30) {
		w.line("if (%s) break;", w.pick("s > 4000", "c == 3", "(s & 15) == 7"))
	}
	w.depth--
	w.line("}")
	w.counters = around
}
