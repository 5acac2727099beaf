package opt_test

import (
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
)

// reducing writes loops that put together what they load.
type reducing struct {
	rng     *rand.Rand
	out     strings.Builder
	names   int
	counter string // type
	index   string // the counter, extended to 64 bits
	k       string
	gathers bool // terms that lie anywhere
	exact   bool // the loop ends where its counter is the limit
}

func (g *reducing) line(format string, args ...any) { fmt.Fprintf(&g.out, "  "+format+"\n", args...) }

// op writes an operation and returns its name.
func (g *reducing) op(format string, args ...any) string {
	g.names++
	name := fmt.Sprintf("%%y%d", g.names)
	g.line("%s = "+format, append([]any{name}, args...)...)
	return name
}

func pick[T any](rng *rand.Rand, xs ...T) T { return xs[rng.Intn(len(xs))] }

// term returns a number of type t that differs from round to round.
func (g *reducing) term(t string, depth int) string {
	size := sizes[t]
	if g.gathers && depth > 0 && g.rng.Intn(3) == 0 {
		return g.gathered(t, depth-1)
	}
	switch k := g.rng.Intn(12); {
	case k < 5 || depth == 0 && k < 9:
		shift := map[int]int{1: 0, 2: 1, 4: 2, 8: 3}[size]
		at := g.op("shl.i64 %s, %d", g.index, shift)
		a := ""
		if g.rng.Intn(3) == 0 { // downwards
			a = g.op("sub.i64 %%far, %s", at)
		} else {
			a = g.op("add.i64 %%near, %s", at)
		}
		return g.op("load.%s %s disp %d align 1", t, a, 8*g.rng.Intn(9))
	case k < 7 && depth > 0:
		op := pick(g.rng, "add", "sub", "mul", "xor", "smin", "and")
		return g.op("%s.%s %s, %s", op, t, g.term(t, depth-1), g.term(t, depth-1))
	case k == 7 && depth > 0:
		from := pick(g.rng, "i8", "i32")
		c := g.op("%s.%s %s, %s", pick(g.rng, "slt", "ule", "eq"), from, g.term(from, depth-1), g.term(from, depth-1))
		if g.rng.Intn(2) == 0 {
			return g.op("zext.%s %s", t, c)
		}
		return g.op("select.%s %s, %s, 3:%s", t, c, g.term(t, depth-1), t)
	case k == 8 && depth > 0 && size > 1:
		return g.op("%s.%s %s", pick(g.rng, "sext", "zext"), t, g.term("i8", depth-1))
	case k == 9 && t == g.counter:
		return g.k
	case k == 10:
		return "%same_" + t
	}
	return fmt.Sprintf("%d:%s", g.rng.Intn(9), t)
}

// gathered returns a number of type t from where another number says.
func (g *reducing) gathered(t string, depth int) string {
	from := pick(g.rng, "i8", "i16", "i32", "i64")
	index := g.op("and.%s %s, %d", from, g.term(from, depth), pick(g.rng, 31, 100))
	if g.rng.Intn(2) == 0 {
		index = g.op("sub.%s %s, 50", from, index)
	}
	switch extend := pick(g.rng, "sext", "sext", "zext"); {
	case from == "i64":
	case extend == "zext":
		index = g.op("zext.i64 %s", g.op("and.%s %s, 127", from, index))
	default:
		index = g.op("sext.i64 %s", index)
	}
	at := g.op("shl.i64 %s, %d", index, g.rng.Intn(5))
	a, b := "%near", at
	if g.rng.Intn(2) == 0 {
		a, b = b, a
	}
	return g.op("load.%s %s disp %d align 1", t, g.op("add.i64 %s, %s", a, b), 8*g.rng.Intn(9)-8)
}

func (g *reducing) function() string {
	g.out.WriteString("vir f width 1 scratch 0 apart 8 16 {\nentry:\n")
	g.line("%%c = context")
	g.line("%%count = load.i64 %%c disp 24 align 8 invariant")
	g.line("%%args = load.i64 %%c disp 184 align 8 invariant")
	g.line("%%data = load.i64 %%args disp 8 align 8 invariant")
	g.line("%%out = load.i64 %%args disp 16 align 8 invariant")
	g.line("%%near = add.i64 %%data, 1024")
	g.line("%%far = add.i64 %%data, 4096")
	for _, t := range componentTypes[:4] {
		g.line("%%same_%s = load.%s %%data disp 5000 align 1", t, t)
	}
	g.line("jump strip(0)")
	g.out.WriteString("strip(%s: i64):\n")
	g.line("%%s64 = shl.i64 %%s, 6")
	g.line("%%mine = add.i64 %%out, %%s64")
	g.counter = pick(g.rng, "i32", "i64")
	steps := pick(g.rng, 1, 1, 1, 2, 4, 3)
	g.line("%%place = add.i64 %%data, %%s")
	g.line("%%n0 = load.%s %%place disp 6000 align 1", g.counter)
	g.line("%%n = and.%s %%n0, %d", g.counter, pick(g.rng, 15, 63, 127))
	g.line("%%from0 = load.%s %%place disp 7000 align 1", g.counter)
	g.line("%%from = and.%s %%from0, 7", g.counter)
	start := pick(g.rng, "0", "1", "%from", "-5")
	if g.exact { // a start that comes to the limit
		steps = pick(g.rng, 1, -1, 1, -1, 2, 4, -4, 3)
		start = g.op("sub.%s %%n, %s", g.counter, g.op("mul.%s %%from, %d", g.counter, steps))
	}
	sums := 1 + g.rng.Intn(3)
	var types, ops, head, args, next []string
	for i := range sums {
		types = append(types, pick(g.rng, componentTypes[:4]...))
		ops = append(ops, pick(g.rng, "add", "sub", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"))
		head = append(head, fmt.Sprintf("%%x%d: %s", i, types[i]))
		args = append(args, fmt.Sprint(g.rng.Intn(100)))
	}
	g.line("jump head(%s)", strings.Join(append([]string{start}, args...), ", "))
	fmt.Fprintf(&g.out, "head(%s):\n", strings.Join(append([]string{"%k: " + g.counter}, head...), ", "))
	g.line("%%seen = xor.%s %%k, 21", g.counter)
	stay, leave := "body", "done"
	if g.exact {
		if g.rng.Intn(2) == 0 {
			stay, leave = leave, stay
			g.line("%%t = eq.%s %%n, %%k", g.counter)
		} else {
			g.line("%%t = ne.%s %%k, %%n", g.counter)
		}
	} else if compare := pick(g.rng, "slt", "ult", "sle", "ule"); g.rng.Intn(2) == 0 {
		g.line("%%t = %s.%s %%k, %%n", compare, g.counter)
	} else {
		g.line("%%t = %s.%s %%n, %%k", compare, g.counter)
		stay, leave = leave, stay
	}
	g.line("branch %%t, %s, %s", stay, leave)
	g.out.WriteString("body:\n")
	g.k = "%k"
	if g.index = "%k"; g.counter == "i32" {
		g.index = g.op("sext.i64 %%k")
	}
	for i := range sums {
		x := fmt.Sprintf("%%x%d", i)
		for range 1 + g.rng.Intn(2) {
			y, before := g.term(types[i], 2), x
			when := ""
			if g.rng.Intn(4) == 0 {
				when = g.op("ult.i8 %s, %s", g.term("i8", 1), g.term("i8", 0))
			}
			if ops[i] != "sub" && g.rng.Intn(4) == 0 {
				x, y = y, x
			}
			if op := ops[i]; op[1:] != "min" && op[1:] != "max" || g.rng.Intn(3) > 0 {
				x = g.op("%s.%s %s, %s", op, types[i], x, y)
				if when != "" && g.rng.Intn(2) == 0 {
					x = g.op("select.%s %s, %s, %s", types[i], when, before, x)
				} else if when != "" {
					x = g.op("select.%s %s, %s, %s", types[i], when, x, before)
				}
				continue
			}
			less := g.op("%s.%s %s, %s", ops[i][:1]+pick(g.rng, "lt", "le"), types[i], x, y)
			if ops[i][1:] == "max" {
				x, y = y, x
			}
			x = g.op("select.%s %s, %s, %s", types[i], less, x, y)
		}
		next = append(next, x)
	}
	g.line("%%k1 = add.%s %%k, %d", g.counter, steps)
	g.line("jump head(%s)", strings.Join(append([]string{"%k1"}, next...), ", "))
	g.out.WriteString("done:\n")
	g.line("store.%s %%mine, %%k align 1", g.counter)
	g.line("store.%s %%mine, %%seen disp 8 align 1", g.counter)
	for i := range sums {
		g.line("store.%s %%mine, %%x%d disp %d align 1", types[i], i, 16+8*i)
	}
	g.line("%%s1 = add.i64 %%s, 1")
	g.line("%%more = slt.i64 %%s1, %%count")
	g.line("branch %%more, strip(%%s1), exit")
	g.out.WriteString("exit:\n")
	g.line("return")
	g.out.WriteString("}\n")
	return g.out.String()
}

// Sums of all kinds, before and after, alone and with all passes.
func TestReductionsKeepSums(t *testing.T) {
	stats := keeps(t, 1000, opt.Reductions, func(rng *rand.Rand) string {
		g := reducing{rng: rng, exact: rng.Intn(3) == 0}
		return g.function()
	})
	require.Greater(t, stats["reductions"], 300)
}

func TestGatherReductionsKeepSums(t *testing.T) {
	stats := keeps(t, 1000, opt.GatherReductions, func(rng *rand.Rand) string {
		g := reducing{rng: rng, gathers: true, exact: rng.Intn(3) == 0}
		return g.function()
	})
	require.Greater(t, stats["reductions that gather"], 100)
}

func TestGatherLanesKeepSums(t *testing.T) {
	stats := keeps(t, 1000, opt.GatherLanes, func(rng *rand.Rand) string {
		g := reducing{rng: rng, gathers: true, exact: rng.Intn(3) == 0}
		return g.function()
	})
	require.Greater(t, stats["reductions by gathers"], 100)
}

// What counters are that start below zero, or wrap, is told right.
func TestSignsOfCounters(t *testing.T) {
	stats := keeps(t, 500, opt.Signs, func(rng *rand.Rand) string {
		g := reducing{rng: rng, gathers: true}
		return g.function()
	})
	require.Greater(t, stats["signs not extended"], 100)
}

// manyLoops returns a function of one loop after another.
func manyLoops(t *testing.T, loops int) *vir.Func {
	var b strings.Builder
	b.WriteString(`vir f width 1 scratch 0 apart {
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

// Each loop looks at the whole function, so that of a great many only some are widened.
func TestReductionsOfLongCode(t *testing.T) {
	widened := func(loops int) int {
		f := manyLoops(t, loops)
		stats := opt.Stats{}
		opt.Reductions(f, stats)
		require.NoError(t, vir.Verify(f))
		return stats["reductions"]
	}
	require.Equal(t, 20, widened(20))
	many := widened(700)
	require.Greater(t, many, 20)
	require.Less(t, many, 500)
}

// Loops that stay as they are share the lists of the function's edges: what they take
// grows with the function, not with its square.
func TestExitsOfLongCode(t *testing.T) {
	for _, pass := range []func(*vir.Func, opt.Stats){opt.CountedExits, opt.LaneTests, opt.Unroll} {
		bytes := func(loops int) uint64 {
			f := manyLoops(t, loops)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			pass(f, opt.Stats{})
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		require.Less(t, bytes(1600), 8*bytes(400))
	}
}
