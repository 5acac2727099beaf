package slp_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir/opt/opttest"
	"github.com/simtc/simtc/vir/opt/slp"
)

// componentwise generates random scalar functions that mostly apply the same operations to all
// components of vectors.
type componentwise struct {
	rng   *rand.Rand
	out   strings.Builder
	names int
	n     int                   // components
	has   map[string][][]string // values computed so far, by type
}

func (g *componentwise) line(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

func (g *componentwise) name() string {
	g.names++
	return fmt.Sprintf("%%x%d", g.names)
}

func (g *componentwise) chance(percent int) bool { return g.rng.Intn(100) < percent }

func (g *componentwise) add(t string, xs []string) { g.has[t] = append(g.has[t], xs) }

// some returns the components of a value of type t, sometimes in another order, all equal, or
// constants.
func (g *componentwise) some(t string) []string {
	old := g.has[t]
	xs := make([]string, g.n)
	if len(old) == 0 || g.chance(10) {
		same := g.chance(50)
		for i := range xs {
			if xs[i] = fmt.Sprintf("%d:%s", g.rng.Intn(100), t); t == "f32" {
				xs[i] = fmt.Sprintf("%d.5", g.rng.Intn(100))
			}
			if same {
				xs[i] = xs[0]
			}
		}
		return xs
	}
	from := old[g.rng.Intn(len(old))]
	switch {
	case g.chance(10):
		for i, k := range g.rng.Perm(g.n) {
			xs[i] = from[k]
		}
	case g.chance(10):
		k := g.rng.Intn(g.n)
		for i := range xs {
			xs[i] = from[k]
		}
	default:
		copy(xs, from)
	}
	return xs
}

// each computes the components in sequence, sometimes in another order.
func (g *componentwise) each(do func(i int) string) []string {
	xs := make([]string, g.n)
	order := g.rng.Perm(g.n)
	if g.chance(90) {
		slices.Sort(order)
	}
	for _, k := range order {
		xs[k] = do(k)
	}
	return xs
}

func (g *componentwise) binary(t string) {
	ops := []string{"add", "sub", "mul", "and", "xor", "smin", "umax", "lshr"}
	if t == "f32" {
		ops = []string{"fadd", "fsub", "fmin", "fmax"}
	}
	op, other := ops[g.rng.Intn(len(ops))], ops[g.rng.Intn(len(ops))]
	x, y := g.some(t), g.some(t)
	odd := -1
	if g.chance(10) {
		odd = g.rng.Intn(g.n)
	}
	g.add(t, g.each(func(i int) string {
		op, x, y := op, x[i], y[i]
		if i == odd {
			op = other
		}
		if g.chance(10) && (op == "add" || op == "and" || op == "fadd") {
			x, y = y, x
		}
		v := g.name()
		g.line("  %s = %s.%s %s, %s", v, op, t, x, y)
		return v
	}))
}

func (g *componentwise) choose(t string) {
	compare := "slt"
	if t == "f32" {
		compare = "flt"
	}
	x, y, a, b := g.some(t), g.some(t), g.some(t), g.some(t)
	same := ""
	if g.chance(20) {
		same = g.name()
		g.line("  %s = %s.%s %s, %s", same, compare, t, x[0], y[0])
	}
	g.add(t, g.each(func(i int) string {
		c, v := same, g.name()
		if c == "" {
			c = g.name()
			g.line("  %s = %s.%s %s, %s", c, compare, t, x[i], y[i])
		}
		g.line("  %s = select.%s %s, %s, %s", v, t, c, a[i], b[i])
		return v
	}))
}

func (g *componentwise) convert() {
	of := [][3]string{{"i8", "i32", "sext"}, {"i16", "i32", "zext"}, {"i32", "i64", "sext"}, {"i64", "i32", "trunc"}, {"i32", "i8", "trunc"}, {"i32", "f32", "sitofp"}}[g.rng.Intn(6)]
	x := g.some(of[0])
	g.add(of[1], g.each(func(i int) string {
		v := g.name()
		g.line("  %s = %s.%s %s", v, of[2], of[1], x[i])
		return v
	}))
}

func (g *componentwise) at(t string) (base string, disp func(i int) int) {
	at := 64 * g.rng.Intn(4)
	return []string{"%data", "%mine"}[g.rng.Intn(2)], func(i int) int { return at + i*opttest.Sizes[t] }
}

func (g *componentwise) load(t string) {
	base, disp := g.at(t)
	g.add(t, g.each(func(i int) string {
		v := g.name()
		g.line("  %s = load.%s %s disp %d align 1", v, t, base, disp(i))
		return v
	}))
}

func (g *componentwise) store(t string) {
	base, disp := g.at(t)
	x := g.some(t)
	g.each(func(i int) string {
		g.line("  store.%s %s, %s disp %d align 1", t, base, x[i], disp(i))
		if g.chance(2) {
			v := g.name()
			g.line("  %s = load.%s %s disp %d align 1", v, t, base, disp(g.rng.Intn(g.n)))
		}
		return ""
	})
}

// interleaved loads, computes and stores one component after the other, sometimes so that a component
// loads what another stored.
func (g *componentwise) interleaved(t string) {
	place := func() (string, int) {
		return []string{"%data", "%mine"}[g.rng.Intn(2)], 64*g.rng.Intn(3) + opttest.Sizes[t]*g.rng.Intn(2)
	}
	from, a := place()
	to, b := place()
	other, c := place()
	y := g.some(t)
	g.each(func(i int) string {
		at, x, v := i*opttest.Sizes[t], g.name(), g.name()
		g.line("  %s = load.%s %s disp %d align 1", x, t, from, a+at)
		with := y[i]
		if g.chance(50) {
			with = g.name()
			g.line("  %s = load.%s %s disp %d align 1", with, t, other, c+at)
		}
		g.line("  %s = add.%s %s, %s", v, t, x, with)
		g.line("  store.%s %s, %s disp %d align 1", t, to, v, b+at)
		return ""
	})
}

func (g *componentwise) integer() string { return opttest.Types[g.rng.Intn(4)] }

func (g *componentwise) statement(depth int) {
	t := opttest.Types[g.rng.Intn(len(opttest.Types))]
	switch k := g.rng.Intn(23); {
	case k >= 20:
		g.interleaved(g.integer())
	case k < 4:
		g.load(g.integer())
	case k < 11:
		g.binary(t)
	case k < 13:
		g.choose(t)
	case k < 16:
		g.convert()
	case k < 18:
		g.store(g.integer())
	case depth < 2:
		g.loop(depth)
	}
}

// loop writes a loop with loop-carried components, which are used after it.
func (g *componentwise) loop(depth int) {
	t := opttest.Types[g.rng.Intn(len(opttest.Types))]
	head, body, out := fmt.Sprint("h", g.names), fmt.Sprint("b", g.names), fmt.Sprint("o", g.names)
	i, params := g.name(), make([]string, g.n)
	typed := []string{i + ": i32"}
	for k := range params {
		params[k] = g.name()
		typed = append(typed, params[k]+": "+t)
	}
	g.line("  jump %s(%s)", head, strings.Join(append([]string{"0"}, g.some(t)...), ", "))
	g.line("%s(%s):", head, strings.Join(typed, ", "))
	g.add(t, params)
	test, next := g.name(), g.name()
	g.line("  %s = slt.i32 %s, %d", test, i, 1+g.rng.Intn(4))
	g.line("  branch %s, %s, %s", test, body, out)
	g.line("%s:", body)
	outside := map[string][][]string{}
	for t, xs := range g.has {
		outside[t] = xs[:len(xs):len(xs)]
	}
	for range 6 {
		g.statement(depth + 1)
	}
	g.binary(t)
	last := g.has[t][len(g.has[t])-1]
	g.line("  %s = add.i32 %s, 1", next, i)
	g.line("  jump %s(%s)", head, strings.Join(append([]string{next}, last...), ", "))
	g.line("%s:", out)
	g.has = outside
}

func (g *componentwise) function() string {
	g.line(`vir f width 1 scratch 0 noalias 8 16 {
entry:
  %%c = context
  %%count = load.i64 %%c disp 24 align 8 invariant
  %%args = load.i64 %%c disp 184 align 8 invariant
  %%data = load.i64 %%args disp 8 align 8 invariant
  %%out = load.i64 %%args disp 16 align 8 invariant
  jump strip(0)
strip(%%s: i64):
  %%s256 = shl.i64 %%s, 8
  %%mine = add.i64 %%out, %%s256`)
	for range 12 {
		g.statement(0)
	}
	for _, t := range opttest.Types[:4] {
		g.store(t)
	}
	g.line(`  %%s1 = add.i64 %%s, 1
  %%more = slt.i64 %%s1, %%count
  branch %%more, strip(%%s1), exit
exit:
  return
}`)
	return g.out.String()
}

// Random functions on components, before and after the pass alone and all passes.
func TestSLPKeepsComponents(t *testing.T) {
	stats := opttest.Keeps(t, 600, slp.SLP, func(rng *rand.Rand) string {
		g := componentwise{rng: rng, n: 2 << rng.Intn(3), has: map[string][][]string{}}
		return g.function()
	})
	require.Greater(t, stats["SLP trees"], 1200)
}
