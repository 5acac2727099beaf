package fuzz

import (
	"fmt"
	"math/rand"

	"github.com/simtc/simtc/launch"
)

// Ask makes a random OpenCL C program with loops that search small private arrays, between
// stores to them: the register-cached arrays of memory.ArrayCache. Stores use computed indices,
// adjacent ones, loops and whole vectors.
func Ask(seed int64) (*Case, error) {
	a := &ask{cprogram: cprogram{rng: rand.New(rand.NewSource(seed))}}
	a.program()
	words := []string{
		fmt.Sprintf("b:uint:%d:rand,%d", askItems*askWords, seed%1000), fmt.Sprintf("b:int:%d:rand,%d,-3,9", askItems*askWords, seed%997),
		fmt.Sprintf("b:ulong:%d", askItems*outWords),
	}
	return newProgram(seed, "ask", a.b.String(), words, launch.Of(askItems))
}

const (
	askItems = 11
	askWords = 16
)

// ask writes such a program.
type ask struct {
	cprogram
	sets []set
}

// set is a private array.
type set struct {
	name, typ string
	n         int
}

func (a *ask) one() set { return a.sets[a.rng.Intn(len(a.sets))] }

func (a *ask) program() {
	a.line("kernel void fuzz(global const uint *in, global const int *num, global ulong *out)")
	a.line("{")
	a.depth++
	a.line("int id = get_global_id(0), c = num[id * %d], d = 1, row = num[id * %d + 1] & 3;", askWords, askWords)
	a.line("uint h = 1;")
	for range 1 + a.rng.Intn(3) {
		s := set{a.name("set"), a.pick("char", "uchar", "short", "ushort", "int", "uint"), 3 + a.rng.Intn([]int{14, 32}[a.rng.Intn(2)])}
		a.line("%s %s[%d];", s.typ, s.name, s.n)
		i := a.name("i")
		a.line("for (int %s = 0; %s < %d; %s++) %s[%s] = %s;", i, i, s.n, i, s.name, i,
			a.pick("-1", i, fmt.Sprintf("in[id * %d + (%s & 15)]", askWords, i), fmt.Sprintf("num[id * %d + (%s & 15)]", askWords, i)))
		a.sets = append(a.sets, s)
	}
	a.line("for (int round = 0; round < %d; round++) {", 3+a.rng.Intn(9))
	a.depth++
	a.line("uint x = in[id * %d + (round & 15)];", askWords)
	a.line("c = num[id * %d + (round * 3 & 15)];", askWords)
	for range 3 + a.rng.Intn(6) {
		if a.chance(45) {
			a.store()
		} else {
			a.question()
		}
	}
	a.line("row = (row + 1) & 7;")
	a.depth--
	a.line("}")
	for _, s := range a.sets {
		i := a.name("i")
		a.line("for (int %s = 0; %s < %d; %s++) h = h * 31 + (uint)%s[%s];", i, i, s.n, i, s.name, i)
	}
	a.line("out[id * %d] = h; out[id * %d + 1] = (ulong)d; out[id * %d + 2] = (ulong)c;", outWords, outWords, outWords)
	a.depth--
	a.line("}")
}

// store writes to one or more elements.
func (a *ask) store() {
	s := a.one()
	value := a.pick("c", "x", "row", "h", "d", "-1", "7")
	switch a.rng.Intn(6) {
	case 0:
		a.line("%s[%d] = %s;", s.name, a.rng.Intn(s.n), value)
	case 1: // two elements at a fixed distance
		i, by := a.name("i"), a.rng.Intn(3)
		a.line("int %s = (int)(x %% %du);", i, s.n-by)
		a.line("%s[%s] = %s; %s[%s + %d] = %s;", s.name, i, value, s.name, i, by, a.pick("c", "x"))
	case 2:
		a.line("if (%s) %s[x %% %du] %s %s;", a.pick("d & 1", "c > 2", "h & 4"), s.name, s.n, a.pick("=", "+=", "^="), value)
	case 3:
		i := a.name("i")
		a.line("for (int %s = %d; %s < %d; %s++) %s[%s] = %s;", i, a.rng.Intn(2), i, s.n, i, s.name, i, a.pick("c", "0", i))
	case 4:
		a.line("while (d & 3) { %s[(uint)d %% %du] = %s; d++; }", s.name, s.n, value)
	default:
		a.line("%s[(row + %d) %% %d] = %s;", s.name, a.rng.Intn(3), s.n, value)
	}
}

// question writes a search loop and the use of its result.
func (a *ask) question() {
	s := a.one()
	i, hit := a.name("i"), a.name("hit")
	inclusive := a.rng.Intn(2)
	limit := a.pick(fmt.Sprint(s.n-inclusive), fmt.Sprintf("(int)(x %% %du)", s.n+1-inclusive), fmt.Sprintf("min(row, %d)", s.n-inclusive))
	typ := a.pick("int", "int", "uint")
	if typ == "uint" && a.chance(50) {
		limit = fmt.Sprintf("(uint)(%s)", limit)
	}
	a.line("int %s = 0;", hit)
	first := fmt.Sprintf("%s %s = %d", typ, i, a.rng.Intn(3))
	where := a.chance(40) // the index is used after the loop
	if where {
		a.line("%s;", first)
		first = ""
	}
	a.line("for (%s; %s %s %s; %s++) {", first, i, []string{"<", "<="}[inclusive], limit, i)
	a.depth++
	element := fmt.Sprintf("%s[%s]", s.name, i)
	other := element
	if t := a.one(); t.n >= s.n {
		other = fmt.Sprintf("%s[%s]", t.name, i)
	}
	if a.chance(50) {
		e := a.name("e")
		a.line("int %s = %s - %s;", e, element, a.pick("c", "row", "(int)(x & 7)"))
		element = e
	}
	test := func() string {
		return a.pick(element+" == c", element+" == 0", fmt.Sprintf("%s == row - %s", element, i), fmt.Sprintf("(%s & 3) == 2", other), fmt.Sprintf("%s < %d", element, a.rng.Intn(9)),
			fmt.Sprintf("abs(%s) == abs(row - %s)", element, i), fmt.Sprintf("%s > %s", other, a.pick("c", "row")), "c > 100")
	}
	leave := a.pick(hit+" = 1; break;", hit+" = 1; break;", hit+" = c; break;", fmt.Sprintf("%s = (int)%s; break;", hit, i))
	switch a.rng.Intn(4) {
	case 0:
		a.line("if (%s && %s) { %s }", test(), test(), leave)
	case 1:
		a.line("if (%s || %s || %s) { %s }", test(), test(), test(), leave)
	case 2:
		a.line("if (%s) { if (%s) { %s } } else if (%s) { %s }", test(), test(), leave, test(), leave)
	default:
		a.line("if (%s) { %s }", test(), leave)
	}
	a.depth--
	a.line("}")
	if where {
		a.line(a.pick("h = h * 7 + (uint)%[1]s;", "if (%[1]s < %[2]d) %[3]s[%[1]s] = c;", "out[id * 16 + 3] += %[1]s;"), i, s.n, s.name)
	}
	a.line("%s", a.pick(
		fmt.Sprintf("if (%s) d += 3; else { d++; %s[(uint)d %% %du] = c; }", hit, s.name, s.n),
		fmt.Sprintf("h = h * 5 + (uint)%s;", hit), fmt.Sprintf("if (%s) continue;", hit), fmt.Sprintf("if (!%s) row = (row + 1) & 7;", hit),
		fmt.Sprintf("d ^= %s + 2;", hit)))
}
