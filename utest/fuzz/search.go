package fuzz

import (
	"fmt"
	"math/rand"

	"github.com/simtc/simtc/launch"
)

// Search makes a random OpenCL C program for package opt/lanes/iterations with loops that only compute
// and load. Iterations exit early, contain inner loops and accumulate sums; loads of
// iterations past the last may be outside of every buffer.
func Search(seed int64) (*Case, error) {
	s := &search{cprogram: cprogram{rng: rand.New(rand.NewSource(seed))}}
	s.kernel()
	words := []string{
		fmt.Sprintf("b:uchar:%d:rand,%d,0,3", searchBytes, seed%1000), fmt.Sprintf("b:int:%d:rand,%d,-9,40", searchItems*2, seed%997),
		fmt.Sprintf("b:uchar:8:rand,%d,0,3", seed%991), fmt.Sprintf("int:%d", s.rng.Intn(7)), fmt.Sprintf("b:long:%d", searchItems*outWords),
	}
	return newProgram(seed, "search", s.b.String(), words, launch.Of(searchItems))
}

const (
	searchItems = 11
	window      = 70
	searchBytes = searchItems * window
)

// search writes such a program. The text has a window of bytes for each work-item; the last
// window ends at the end of the buffer.
type search struct {
	cprogram
	sums   []string // of the loop, with the operation of each
	ops    []string
	inside bool // an inner loop
	values []string
}

func (s *search) kernel() {
	s.line("kernel void fuzz(global const uchar *text, global const int *num, constant uchar *pat, int m, global long *out)")
	s.line("{")
	s.depth++
	s.line("int id = get_global_id(0), stop = num[id] & 31, at = -1, last = 0;")
	s.line("global const uchar *t = text + id * %d;", window)
	s.line("global long *o = out + id * %d;", outWords)
	if s.chance(30) {
		s.line("int own[4];")
		s.line("for (int i = 0; i < 4; i++) own[i] = num[i] + id;")
		s.values = append(s.values, "own[x & 3]")
	}
	for n := range 1 + s.rng.Intn(2) {
		s.loop(n)
	}
	s.line("o[0] = at; o[1] = last;")
	s.depth--
	s.line("}")
}

// loop writes a loop and the use of its results.
func (s *search) loop(n int) {
	s.sums, s.ops = nil, nil
	for range s.rng.Intn(3) {
		name, typ := s.name("sum"), s.pick("int", "uint", "long", "uchar")
		s.line("%s %s = %d;", typ, name, s.rng.Intn(50))
		s.sums, s.ops = append(s.sums, name), append(s.ops, s.pick("+=", "+=", "-=", "^=", "|=", "&=", "*=", "max", "min"))
	}
	p := s.name("p")
	step := 1 + s.rng.Intn(5)/3
	limit := s.pick("stop", "stop", fmt.Sprint(window-8), "m * 6", "num[id + 11] & 31")
	certain := s.chance(30)
	// Without a certain end, some iteration below stop exits the loop.
	switch {
	case certain && s.chance(30): // some start above the limit, near the point where counters wrap
		s.line("for (uint %s = num[id] & 1 ? %du : %du; %s < (uint)(%s); %s += %d) {", p, s.rng.Intn(3), uint32(1<<32-1)-uint32(s.rng.Intn(9)), p, limit, p, step)
	case certain:
		s.line("for (int %s = %d; %s < %s; %s += %d) {", p, s.rng.Intn(3), p, limit, p, step)
	case s.chance(50):
		s.line("for (int %s = %d; %s + m <= %d; %s += %d) {", p, s.rng.Intn(3), p, window-8, p, step)
	default:
		s.line("for (uint %s = 0;; %s += %d) {", p, p, step)
	}
	s.depth++
	s.line("int x = t[%s%s];", p, s.pick("", "", " + 7"))
	if !certain {
		s.line("if (%s >= (stop & 31) + 20) break;", p)
	}
	s.body(p, 2+s.rng.Intn(6))
	s.depth--
	s.line("}")
	for i, name := range s.sums {
		s.line("o[%d] = %s;", 2+4*n+i, name)
	}
}

// body writes statements of an iteration.
func (s *search) body(p string, n int) {
	for range n {
		switch k := s.rng.Intn(10); {
		case k < 3 && len(s.sums) > 0:
			i := s.rng.Intn(len(s.sums))
			if op := s.ops[i]; op == "max" || op == "min" {
				s.line("if (%s) %s = %s(%s, (__typeof__(%s))(%s));", s.test(p), s.sums[i], op, s.sums[i], s.sums[i], s.value(p))
			} else {
				s.line("if (%s) %s %s %s;", s.test(p), s.sums[i], op, s.value(p))
			}
		case k < 5 && !s.inside:
			s.inner(p)
		case k == 5 && !s.inside:
			s.line("if (%s) { at = %s; break; }", s.test(p), s.value(p))
		case k == 6 && !s.inside:
			s.line("if (%s) continue;", s.test(p))
		case k == 7 && !s.inside:
			s.line("if (%s) { last = %s; o[%d] = %s; return; }", s.test(p), s.value(p), 12+s.rng.Intn(3), p)
		default:
			s.line("x = %s;", s.value(p))
		}
	}
}

// inner writes an inner loop, which may be endless in speculative iterations.
func (s *search) inner(p string) {
	k := s.name("k")
	s.line("int %s = 0;", k)
	s.inside = true
	if s.chance(50) {
		s.line("while (%s < m && t[%s + %s] == pat[%s]) {", k, p, k, k)
	} else {
		s.line("while ((t[%s] ^ %s) != (x & 3) && %s < 6) {", p, k, k)
	}
	s.depth++
	s.body(p, s.rng.Intn(2))
	s.line("%s++;", k)
	s.depth--
	s.line("}")
	s.inside = false
	if s.chance(60) {
		s.line("if (%s == m) { at = %s; %s }", k, p, s.pick("break;", "break;", "continue;"))
	} else {
		s.line("x += %s;", k)
	}
}

// value is a number of iteration p.
func (s *search) value(p string) string {
	xs := append([]string{"x", p, fmt.Sprintf("t[%s]", p), fmt.Sprintf("(x * 3 + %s)", p), "pat[x & 7]", "m", fmt.Sprintf("t[(%s ^ x) & 31]", p)}, s.values...)
	return s.pick(xs...)
}

func (s *search) test(p string) string {
	return fmt.Sprintf("(%s %s %s)", s.value(p), s.pick("==", "!=", "<", "> 2 +"), s.value(p))
}
