package fuzz

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/simtc/simtc/launch"
)

// Loop makes a random OpenCL C program of loops that store: iterations store to and load from
// arrays, some of which are the same at other offsets, exit early before and after stores,
// accumulate sums, pass values to later iterations, and append to and read from lists.
func Loop(seed int64) (*Case, error) {
	l := &loops{cprogram: cprogram{rng: rand.New(rand.NewSource(seed))}}
	types := []string{"int", "int", "uint", "float", "uchar", "short", "long", "char"}
	for i := range l.types {
		l.types[i] = l.pick(types...)
	}
	l.list = l.pick(types...)
	l.kernel()
	words := []string{}
	for i, t := range l.types {
		words = append(words, fmt.Sprintf("b:%s:%d:rand,%d,-3,60", t, loopItems*loopWindow, seed%1000+int64(i)))
		if strings.HasPrefix(t, "u") {
			words[i] = strings.Replace(words[i], "-3", "0", 1)
		}
	}
	words = append(words, fmt.Sprintf("int:%d", l.rng.Intn(loopMost)), fmt.Sprintf("int:%d", 1+l.rng.Intn(9)), fmt.Sprintf("b:long:%d", loopItems*outWords))
	words = append(words, fmt.Sprintf("b:%s:%d:index", l.list, loopItems*loopWindow))
	return newProgram(seed, "loop", l.b.String(), words, launch.Of(loopItems))
}

const (
	loopItems  = 3
	loopWindow = 256 // elements of each array for a work-item
	loopMost   = 44  // no counter exceeds it in an iteration that runs
)

// loops writes such a program.
type loops struct {
	cprogram
	types  [3]string
	list   string   // the type of the elements of a list
	arrays []string // pointers of the program to elements
	sums   []string
	places []string // in lists, each of one statement
	inner  string   // the counter of the inner loop; "": none
	ends   bool     // an exit that ends the loop precedes
	scale  int      // of most subscripts in the loop
	stored string   // the array that most stores of the loop write
}

func (l *loops) kernel() {
	l.line("kernel void fuzz(global %s *a, global %s *b, global %s *c, int n, int m, global long *out, global %s *d)", l.types[0], l.types[1], l.types[2], l.list)
	l.line("{")
	l.depth++
	l.line("int id = get_global_id(0), at = -1;")
	for _, x := range "abc" {
		l.line("global %s *%c0 = %c + id * %d;", l.types[x-'a'], x, x, loopWindow)
		l.arrays = append(l.arrays, fmt.Sprintf("%c0", x))
	}
	if l.chance(25) { // the same array at another offset
		l.line("global %s *a1 = a0 + %s;", l.types[0], l.pick("1", "2", "16", "20", "m", "(n & 15)", "m * 8", "(n & 1) * 48"))
		l.arrays = append(l.arrays, "a1")
	}
	if l.chance(15) {
		l.line("%s own[%d];", l.types[1], loopWindow)
		l.line("for (int i = 0; i < %d; i++) own[i] = b0[i];", loopWindow)
		l.arrays = append(l.arrays, "own")
	}
	l.line("global long *o = out + id * %d;", outWords)
	l.line("global %s *d0 = d + id * %d;", l.list, loopWindow)
	for n := range 1 + l.rng.Intn(2) {
		l.loop(n)
	}
	if l.arrays[len(l.arrays)-1] == "own" {
		l.line("long all = 0;")
		l.line("for (int i = 0; i < %d; i++) all = all * 3 + (long)own[i];", loopWindow)
		l.line("o[14] = all;")
	}
	l.line("o[0] = at;")
	l.depth--
	l.line("}")
}

// loop writes a loop and the use of its results.
func (l *loops) loop(n int) {
	var places []string
	l.sums = nil
	l.scale, l.stored = 1+l.rng.Intn(4)/3, l.pick(l.arrays...)
	for range l.rng.Intn(3) {
		name := l.name("s")
		l.line("%s %s = %d;", l.pick("int", "uint", "long", "int", "uint", "float"), name, l.rng.Intn(9))
		l.sums = append(l.sums, name)
	}
	for range l.rng.Intn(4) - 1 {
		name := l.name("k")
		l.line("%s %s = %d;", l.pick("int", "uint", "long"), name, l.rng.Intn(9))
		l.places = append(l.places, name)
		places = append(places, name)
	}
	i := l.name("i")
	step := 1 + l.rng.Intn(5)/3
	limit := l.pick("n", "n", "m * 4", fmt.Sprint(l.rng.Intn(loopMost)))
	endless, end := false, "}"
	switch k := l.rng.Intn(15); {
	case k > 12: // ends after an iteration
		few := fmt.Sprintf("((%s) & 63)", limit)
		if l.chance(70) {
			l.line("%s %s = %d; do {", l.pick("int", "uint", "long"), i, l.rng.Intn(3))
			end = fmt.Sprintf(l.pick("} while (++%s < %s);", "} while (%s++ < %s);"), i, few)
		} else {
			l.line("int %s = %s; do {", i, few)
			end = fmt.Sprintf("} while (--%s > m);", i)
		}
	case k > 9: // ends that are no test of an increasing counter
		few := fmt.Sprintf("((%s) & 63)", limit)
		l.line(l.pick(
			"for (int %[1]s = 0; %[1]s != %[2]s; %[1]s++) {", "for (uint %[1]s = %[2]s; %[1]s-- != 0;) {", "for (int %[1]s = %[2]s; %[1]s > 0; %[1]s--) {",
			"for (int %[1]s = 0; %[1]s < (long)%[2]s; %[1]s++) {", "for (int %[1]s = 0; %[1]s < %[2]s && %[1]s <= m + 9; %[1]s++) {",
			"for (long %[1]s = m; %[1]s < %[2]s && %[1]s != 31; %[1]s++) {"), i, few)
	case k < 4:
		l.line("for (int %s = %d; %s < %s; %s += %d) {", i, l.rng.Intn(3), i, limit, i, step)
	case k < 6:
		l.line("for (uint %s = %d; %s <= (uint)(%s); %s += %d) {", i, l.rng.Intn(3), i, limit, i, step)
	case k < 7: // downwards
		l.line("for (int %s = %s; %s >= 0; %s -= %d) {", i, limit, i, i, step)
	default:
		l.line("for (%s %s = 0;; %s += %d) {", l.pick("int", "uint"), i, i, step)
		endless = true
	}
	l.ends = !endless
	l.depth++
	l.line("long x = %s;", l.value(i))
	body := 2 + l.rng.Intn(5)
	exit := l.rng.Intn(body)
	for k := range body {
		if endless && k == exit {
			l.line("if (%s >= %d) break;", i, 5+l.rng.Intn(loopMost-5))
			l.ends = true
		}
		l.statement(i, n)
	}
	l.depth--
	l.line("%s", end)
	for k, name := range l.sums {
		l.line("o[%d] = (long)%s;", 2+4*n+k, name)
	}
	for k, name := range places {
		l.line("o[%d] = (long)%s;", 10+k, name)
	}
	l.places = nil
}

func (l *loops) statement(i string, n int) {
	switch k := l.rng.Intn(12); {
	case len(l.places) > 0 && l.inner == "" && l.chance(30):
		l.append(i)
	case k < 4:
		l.line("%s[%s] = %s;", l.written(), l.index(i), l.value(i))
	case k < 5:
		l.line("if (%s) %s[%s] = %s;", l.test(i), l.written(), l.index(i), l.value(i))
	case k < 7 && len(l.sums) > 0:
		s := l.pick(l.sums...)
		switch l.rng.Intn(18) {
		case 16: // sums on some of several paths
			l.line("if (%s && %s) %s %s %s;", l.test(i), l.test(i), s, l.pick("+=", "+=", "*="), l.value(i))
			l.line("%s[%s] = %s;", l.written(), l.index(i), s)
		case 17:
			l.line("if (%s) { if (%s) %s += %s; else if (%s) { %s += %s; %s[%s] = %s; } }", l.test(i), l.test(i), s, l.value(i), l.test(i), s, l.value(i), l.written(), l.index(i), l.value(i))
			l.line("%s[%s] = %s;", l.written(), l.index(i), s)
		case 12: // a sum from the last place where a condition holds
			l.line("if (%s) %s = %s; else %s += %s;", l.test(i), s, l.value(i), s, l.value(i))
			l.line("%s[%s] = %s;", l.written(), l.index(i), s)
		case 13:
			l.line("%s = %s ? %s + %s : %s;", s, l.test(i), s, l.value(i), l.value(i))
			l.line("%s[%s] = %s;", l.written(), l.index(i), s)
		case 14:
			l.line("if (%s) %s = %s;", l.test(i), s, l.value(i))
			l.line("if (%s < (int)%s) %s[%s] = %s;", l.value(i), s, l.written(), l.index(i), l.value(i))
		case 15:
			l.line("if (%s) { %s[%s] = %s; %s = 0; }", l.test(i), l.written(), l.index(i), s, s)
			l.line("%s += %s;", s, l.value(i))
		case 0:
			l.line("if (%s < %s) { %s = %s; at = %s; }", l.value(i), s, s, l.value(i), i)
		case 1:
			l.line("if (%s) %s += 1;", l.test(i), s)
		case 2: // passed to the next iteration
			l.line("%s[%s] = %s; %s = %s;", l.written(), l.index(i), s, s, l.value(i))
		default:
			l.line("%s += %s;", s, l.value(i))
		}
	case k == 7 && l.inner == "":
		l.line("if (%s) { o[1] = %s; break; }", l.test(i), i)
	case k == 8 && l.inner == "" && l.ends:
		l.line("if (%s) continue;", l.test(i))
	case k == 9 && l.inner == "":
		l.line("if (%s) { o[%d] = %s; return; }", l.test(i), 12+n, i)
	case k == 10 && l.inner == "":
		l.inner = l.name("j")
		l.line("for (int %s = 0; %s < %s; %s++) {", l.inner, l.inner, l.pick("m & 3", "3", "4"), l.inner)
		l.depth++
		for range 1 + l.rng.Intn(2) {
			l.statement(i, n)
		}
		l.depth--
		l.line("}")
		l.inner = ""
	default:
		l.line("x = %s;", l.value(i))
	}
}

// append appends to a list where a condition holds, or reads the next element of one.
func (l *loops) append(i string) {
	k := l.places[0]
	l.places = l.places[1:]
	list := "d0"
	if l.chance(25) {
		list = l.pick(l.arrays...)
	}
	access := fmt.Sprintf("%s[%s] = %s", list, k, l.value(i))
	switch l.rng.Intn(6) {
	case 0:
		access = fmt.Sprintf("x = %s[%s]", list, k)
	case 1:
		access = fmt.Sprintf("%s[%s + 3] = %s", list, k, l.value(i))
	}
	switch l.rng.Intn(5) {
	case 0:
		l.line("if (%s) { %s; %s++; } else { x = %s; }", l.test(i), access, k, l.value(i))
	case 1:
		l.line("if (%s) x = %s; else { %s; %s++; }", l.test(i), l.value(i), access, k)
	default:
		l.line("if (%s) { %s; %s++; }", l.test(i), access, k)
	}
}

// written is an array to store to.
func (l *loops) written() string {
	if l.chance(70) {
		return l.stored
	}
	return l.pick(l.arrays...)
}

// index is a subscript that stays within the window, for every iteration that runs.
func (l *loops) index(i string) string {
	if l.inner != "" && l.chance(60) {
		return l.pick(fmt.Sprintf("%s * 3 + %s", i, l.inner), fmt.Sprintf("%s * 4 + %s", i, l.inner), fmt.Sprintf("%s * (m & 3) + %s", i, l.inner),
			fmt.Sprintf("(long)%s * (m & 3) + %s", i, l.inner), fmt.Sprintf("(ulong)%s * 4 + %s", i, l.inner), l.inner)
	}
	if l.chance(12) { // at a distance that is not known
		return i + l.pick(" + m", " + m * 8", " + (n & 31)", " * 2 + m", " + (n & 1) * 20", " + (m & 4) * 16")
	}
	if l.chance(93) && l.scale == 2 {
		return l.pick(i+" * 2", i+" * 2", i+" * 2 + 1")
	} else if l.chance(93) {
		return l.pick(i, i, i, i, i, i+" + 1", fmt.Sprintf("%s + %d", i, l.rng.Intn(40)))
	}
	return l.pick(i+" * 3", fmt.Sprintf("%d - %s", loopMost, i), fmt.Sprintf("(%s ^ 1)", i), fmt.Sprintf("(%s & 7)", i), "3", "(x & 31)", "m", i+" + m")
}

func (l *loops) value(i string) string {
	xs := []string{"x", i, "n", fmt.Sprint(l.rng.Intn(50)), "x * 3"}
	if l.inner != "" {
		xs = append(xs, l.inner)
	}
	from := l.pick(l.arrays...)
	if from == l.stored && l.chance(50) {
		from = l.pick(l.arrays...)
	}
	load := fmt.Sprintf("%s[%s]", from, strings.ReplaceAll(l.index(i), "x & 31", i+" & 31"))
	return "(int)" + l.pick(append(xs, load, load, load, load)...)
}

func (l *loops) test(i string) string {
	return fmt.Sprintf("%s %s %s", l.value(i), l.pick("==", "==", "<", ">", "!=", "> 50 +"), l.value(i))
}
