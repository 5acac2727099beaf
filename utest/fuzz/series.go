package fuzz

import (
	"fmt"
	"math/rand"

	"github.com/simtc/simtc/launch"
)

// Series makes a random OpenCL C program for package opt/lanes/iterations with loops whose iterations
// have private arrays and contribute to ordered reductions. Arrays are stacks, declared in the
// loop, or neither: then an iteration reads elements of an earlier one.
func Series(seed int64) (*Case, error) {
	s := &series{cprogram: cprogram{rng: rand.New(rand.NewSource(seed))}}
	s.kernel()
	words := []string{
		fmt.Sprintf("b:uchar:%d:rand,%d,0,9", seriesItems*window, seed%1000), fmt.Sprintf("b:int:%d:rand,%d,-9,40", seriesItems, seed%997),
		fmt.Sprintf("b:long:%d", seriesItems*outWords),
	}
	return newProgram(seed, "series", s.b.String(), words, launch.Of(seriesItems))
}

const (
	seriesItems = 11
	deepest     = 6 // elements of a stack
)

// series writes such a program.
type series struct {
	cprogram
	stack string
	stale bool // an iteration may read elements of an earlier one
}

func (s *series) kernel() {
	s.line("kernel void fuzz(global const uchar *text, global const int *num, global long *out)")
	s.line("{")
	s.depth++
	s.line("int id = get_global_id(0), stop = num[id] & 31;")
	s.line("global const uchar *t = text + id * %d;", window)
	s.line("float sum = 0.5f, high = -3.0f; int first = -1, deep = 0, low = 99; uint h = 7;")
	s.stack = "st"
	inside := s.chance(35)
	s.stale = !inside && s.chance(30)
	if !inside {
		s.line("int st[%d] = {3, 1, 4, 1, 5, 9};", deepest)
	}
	s.line("for (int p = %d; p < %s; p += %d) {", s.rng.Intn(3), s.pick("stop", "40", "stop + 9"), 1+s.rng.Intn(5)/4)
	s.depth++
	if inside {
		s.line("int st[%d];", deepest)
	}
	s.line("int sp = 0, x = t[p];")
	s.line("for (int k = 0; k < %s; k++) {", s.pick("5", "9", "(stop & 7)"))
	s.depth++
	s.line("x = x * 3 + t[%s];", s.pick("k", "p + k", "(p ^ k) & 31"))
	s.line("switch (x & 3) {")
	for c := range 4 {
		s.line("case %d: %s break;", c, s.step())
	}
	s.line("}")
	if s.chance(60) {
		s.line("%s", s.pick("deep = sp > deep ? sp : deep;", "deep = deep < sp ? sp : deep;", "deep = max(deep, sp);"))
	}
	s.depth--
	s.line("}")
	s.line("int v = x & 15;")
	s.line("%s", s.pick("while (sp > 0) v = v * 5 + st[--sp];", "if (sp > 0) v += st[sp - 1];", "for (int k = 0; k < sp; k++) v ^= st[k] + k;"))
	for range 1 + s.rng.Intn(4) {
		s.line("%s", s.pick(
			"sum += (float)v * 0.37f;", "sum = sum * 0.5f + (float)x;", "sum -= (float)(v & 255);", "high = fmax(high, (float)v);",
			"first = first < 0 && (v & 1) ? p : first;", "first = v > 9 ? v : first;", "h = h * 33u ^ (uint)v;", "low = v < low ? v : low;", "h += (uint)v;"))
	}
	s.depth--
	s.line("}")
	s.line("global long *o = out + id * %d;", outWords)
	s.line("o[0] = as_int(sum); o[1] = as_int(high); o[2] = first; o[3] = deep; o[4] = low; o[5] = h;")
	if !inside && s.chance(20) {
		s.line("o[6] = st[1];")
	}
	s.depth--
	s.line("}")
}

// step writes an operation of an iteration on its stack.
func (s *series) step() string {
	if s.stale && s.chance(40) {
		return s.pick(
			fmt.Sprintf("x += st[sp %% %d];", deepest), fmt.Sprintf("x ^= st[(x & 7) %% %d];", deepest),
			fmt.Sprintf("if (sp < %d) sp++;", deepest), "if (sp > 0) x += st[(sp - 1) / 2 + 1];")
	}
	push := fmt.Sprintf("if (sp < %d) st[sp++] = x + k;", deepest)
	return s.pick(push, push, push,
		"if (sp > 0) x += st[--sp];",
		"if (sp > 1) { st[sp - 2] += st[sp - 1]; sp--; }",
		"if (sp > 0) st[sp - 1] ^= x;",
		fmt.Sprintf("if (sp > 0 && sp < %d) { int y = st[(x & 63) %% sp]; st[sp++] = y; }", deepest),
		"sp = 0;", "x += sp;")
}
