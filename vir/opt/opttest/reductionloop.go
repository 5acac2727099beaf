package opttest

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// Types are the types of scalars in random functions; the floating-point one is last.
var Types = []string{"i8", "i16", "i32", "i64", "f32"}

// Sizes are the sizes of Types in bytes.
var Sizes = map[string]int{"i8": 1, "i16": 2, "i32": 4, "i64": 8, "f32": 4}

// Pick returns one of xs.
func Pick[T any](rng *rand.Rand, xs ...T) T { return xs[rng.Intn(len(xs))] }

// ReductionLoop generates random loops that combine values they load.
type ReductionLoop struct {
	Rng     *rand.Rand
	Out     strings.Builder
	names   int
	Counter string // type
	Index   string // the counter, extended to 64 bits
	K       string
	Gathers bool // also loads at computed indices
	Exact   bool // the loop ends when its counter equals the limit
}

// Line writes a line of a block.
func (g *ReductionLoop) Line(format string, args ...any) {
	fmt.Fprintf(&g.Out, "  "+format+"\n", args...)
}

// Op writes an operation and returns its name.
func (g *ReductionLoop) Op(format string, args ...any) string {
	g.names++
	name := fmt.Sprintf("%%y%d", g.names)
	g.Line("%s = "+format, append([]any{name}, args...)...)
	return name
}

// Term writes operations and returns a value of type t that varies between iterations.
func (g *ReductionLoop) Term(t string, depth int) string {
	size := Sizes[t]
	if g.Gathers && depth > 0 && g.Rng.Intn(3) == 0 {
		return g.gathered(t, depth-1)
	}
	switch k := g.Rng.Intn(12); {
	case k < 5 || depth == 0 && k < 9:
		shift := map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[size]
		at := g.Op("shl.i64 %s, %d", g.Index, shift)
		a := ""
		if g.Rng.Intn(3) == 0 { // descending
			a = g.Op("sub.i64 %%far, %s", at)
		} else {
			a = g.Op("add.i64 %%near, %s", at)
		}
		return g.Op("load.%s %s disp %d align 1", t, a, 8*g.Rng.Intn(9))
	case k < 7 && depth > 0:
		op := Pick(g.Rng, "add", "sub", "mul", "xor", "smin", "and")
		return g.Op("%s.%s %s, %s", op, t, g.Term(t, depth-1), g.Term(t, depth-1))
	case k == 7 && depth > 0:
		from := Pick(g.Rng, "i8", "i32")
		c := g.Op("%s.%s %s, %s", Pick(g.Rng, "slt", "ule", "eq"), from, g.Term(from, depth-1), g.Term(from, depth-1))
		if g.Rng.Intn(2) == 0 {
			return g.Op("zext.%s %s", t, c)
		}
		return g.Op("select.%s %s, %s, 3:%s", t, c, g.Term(t, depth-1), t)
	case k == 8 && depth > 0 && size > 1:
		return g.Op("%s.%s %s", Pick(g.Rng, "sext", "zext"), t, g.Term("i8", depth-1))
	case k == 9 && t == g.Counter:
		return g.K
	case k == 10:
		return "%same_" + t
	}
	return fmt.Sprintf("%d:%s", g.Rng.Intn(9), t)
}

// gathered returns a value of type t loaded at a computed index.
func (g *ReductionLoop) gathered(t string, depth int) string {
	from := Pick(g.Rng, "i8", "i16", "i32", "i64")
	index := g.Op("and.%s %s, %d", from, g.Term(from, depth), Pick(g.Rng, 31, 100))
	if g.Rng.Intn(2) == 0 {
		index = g.Op("sub.%s %s, 50", from, index)
	}
	switch extend := Pick(g.Rng, "sext", "sext", "zext"); {
	case from == "i64":
	case extend == "zext":
		index = g.Op("zext.i64 %s", g.Op("and.%s %s, 127", from, index))
	default:
		index = g.Op("sext.i64 %s", index)
	}
	at := g.Op("shl.i64 %s, %d", index, g.Rng.Intn(5))
	a, b := "%near", at
	if g.Rng.Intn(2) == 0 {
		a, b = b, a
	}
	return g.Op("load.%s %s disp %d align 1", t, g.Op("add.i64 %s, %s", a, b), 8*g.Rng.Intn(9)-8)
}

// Function returns the text of a random function.
func (g *ReductionLoop) Function() string {
	g.Out.WriteString("vir f width 1 scratch 0 noalias 8 16 {\nentry:\n")
	g.Line("%%c = context")
	g.Line("%%count = load.i64 %%c disp 24 align 8 invariant")
	g.Line("%%args = load.i64 %%c disp 184 align 8 invariant")
	g.Line("%%data = load.i64 %%args disp 8 align 8 invariant")
	g.Line("%%out = load.i64 %%args disp 16 align 8 invariant")
	g.Line("%%near = add.i64 %%data, 1024")
	g.Line("%%far = add.i64 %%data, 4096")
	for _, t := range Types[:4] {
		g.Line("%%same_%s = load.%s %%data disp 5000 align 1", t, t)
	}
	g.Line("jump strip(0)")
	g.Out.WriteString("strip(%s: i64):\n")
	g.Line("%%s64 = shl.i64 %%s, 6")
	g.Line("%%mine = add.i64 %%out, %%s64")
	g.Counter = Pick(g.Rng, "i32", "i64")
	steps := Pick(g.Rng, 1, 1, 1, 2, 4, 3)
	g.Line("%%place = add.i64 %%data, %%s")
	g.Line("%%n0 = load.%s %%place disp 6000 align 1", g.Counter)
	g.Line("%%n = and.%s %%n0, %d", g.Counter, Pick(g.Rng, 15, 63, 127))
	g.Line("%%from0 = load.%s %%place disp 7000 align 1", g.Counter)
	g.Line("%%from = and.%s %%from0, 7", g.Counter)
	start := Pick(g.Rng, "0", "1", "%from", "-5")
	if g.Exact { // an initial value from which the limit is reached
		steps = Pick(g.Rng, 1, -1, 1, -1, 2, 4, -4, 3)
		start = g.Op("sub.%s %%n, %s", g.Counter, g.Op("mul.%s %%from, %d", g.Counter, steps))
	}
	sums := 1 + g.Rng.Intn(3)
	var types, ops, head, args, next []string
	for i := range sums {
		types = append(types, Pick(g.Rng, Types[:4]...))
		ops = append(ops, Pick(g.Rng, "add", "sub", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"))
		head = append(head, fmt.Sprintf("%%x%d: %s", i, types[i]))
		args = append(args, fmt.Sprint(g.Rng.Intn(100)))
	}
	g.Line("jump head(%s)", strings.Join(append([]string{start}, args...), ", "))
	fmt.Fprintf(&g.Out, "head(%s):\n", strings.Join(append([]string{"%k: " + g.Counter}, head...), ", "))
	g.Line("%%seen = xor.%s %%k, 21", g.Counter)
	stay, leave := "body", "done"
	if g.Exact {
		if g.Rng.Intn(2) == 0 {
			stay, leave = leave, stay
			g.Line("%%t = eq.%s %%n, %%k", g.Counter)
		} else {
			g.Line("%%t = ne.%s %%k, %%n", g.Counter)
		}
	} else if compare := Pick(g.Rng, "slt", "ult", "sle", "ule"); g.Rng.Intn(2) == 0 {
		g.Line("%%t = %s.%s %%k, %%n", compare, g.Counter)
	} else {
		g.Line("%%t = %s.%s %%n, %%k", compare, g.Counter)
		stay, leave = leave, stay
	}
	g.Line("branch %%t, %s, %s", stay, leave)
	g.Out.WriteString("body:\n")
	g.K = "%k"
	if g.Index = "%k"; g.Counter == "i32" {
		g.Index = g.Op("sext.i64 %%k")
	}
	for i := range sums {
		x := fmt.Sprintf("%%x%d", i)
		for range 1 + g.Rng.Intn(2) {
			y, before := g.Term(types[i], 2), x
			when := ""
			if g.Rng.Intn(4) == 0 {
				when = g.Op("ult.i8 %s, %s", g.Term("i8", 1), g.Term("i8", 0))
			}
			if ops[i] != "sub" && g.Rng.Intn(4) == 0 {
				x, y = y, x
			}
			if op := ops[i]; op[1:] != "min" && op[1:] != "max" || g.Rng.Intn(3) > 0 {
				x = g.Op("%s.%s %s, %s", op, types[i], x, y)
				if when != "" && g.Rng.Intn(2) == 0 {
					x = g.Op("select.%s %s, %s, %s", types[i], when, before, x)
				} else if when != "" {
					x = g.Op("select.%s %s, %s, %s", types[i], when, x, before)
				}
				continue
			}
			less := g.Op("%s.%s %s, %s", ops[i][:1]+Pick(g.Rng, "lt", "le"), types[i], x, y)
			if ops[i][1:] == "max" {
				x, y = y, x
			}
			x = g.Op("select.%s %s, %s, %s", types[i], less, x, y)
		}
		next = append(next, x)
	}
	g.Line("%%k1 = add.%s %%k, %d", g.Counter, steps)
	g.Line("jump head(%s)", strings.Join(append([]string{"%k1"}, next...), ", "))
	g.Out.WriteString("done:\n")
	g.Line("store.%s %%mine, %%k align 1", g.Counter)
	g.Line("store.%s %%mine, %%seen disp 8 align 1", g.Counter)
	for i := range sums {
		g.Line("store.%s %%mine, %%x%d disp %d align 1", types[i], i, 16+8*i)
	}
	g.Line("%%s1 = add.i64 %%s, 1")
	g.Line("%%more = slt.i64 %%s1, %%count")
	g.Line("branch %%more, strip(%%s1), exit")
	g.Out.WriteString("exit:\n")
	g.Line("return")
	g.Out.WriteString("}\n")
	return g.Out.String()
}

// ManyLoops returns a function with many loops in sequence.
func ManyLoops(t *testing.T, loops int) *vir.Func {
	var b strings.Builder
	b.WriteString(`vir f width 1 scratch 0 noalias {
entry:
  %c = context
  %args = load.i64 %c disp 184 align 8 invariant
  %p = load.i64 %args align 8 invariant
  %n = load.i64 %args disp 8 align 8
  jump strip(0)
strip(%s: i64):
  jump head0(0, 0)
`)
	for i := range loops {
		fmt.Fprintf(&b, `head%[1]d(%%i%[1]d: i64, %%x%[1]d: i32):
  %%t%[1]d = slt.i64 %%i%[1]d, %%n
  branch %%t%[1]d, body%[1]d, head%[2]d(0, %%x%[1]d)
body%[1]d:
  %%j%[1]d = shl.i64 %%i%[1]d, 2
  %%q%[1]d = add.i64 %%p, %%j%[1]d
  %%a%[1]d = load.i32 %%q%[1]d align 4
  %%y%[1]d = add.i32 %%x%[1]d, %%a%[1]d
  %%k%[1]d = add.i64 %%i%[1]d, 1
  jump head%[1]d(%%k%[1]d, %%y%[1]d)
`, i, i+1)
	}
	fmt.Fprintf(&b, `head%d(%%i: i64, %%x: i32):
  store.i32 %%p, %%x align 4
  %%s1 = add.i64 %%s, 1
  %%t = slt.i64 %%s1, 9
  branch %%t, strip(%%s1), exit
exit:
  return
}
`, loops)
	f, err := vir.Parse("f.vir", b.String())
	require.NoError(t, err)
	return f
}
