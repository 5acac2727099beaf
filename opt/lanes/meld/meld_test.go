package meld_test

import (
	"context"
	"fmt"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/meld"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// maxSteps limits the operations of one work-item.
const maxSteps = 1 << 24

// cases returns the number of random kernels per test.
func cases() int64 {
	if testing.Short() {
		return 50
	}
	return 300
}

// everywhere makes all branches divergent and all values varying, so that as much as
// possible melds.
func everywhere(f *kernel.Func) meld.Lanes {
	l := meld.Lanes{Divergent: make([]bool, len(f.Blocks)), Joins: make([]bool, len(f.Blocks))}
	for i := range l.Divergent {
		l.Divergent[i], l.Joins[i] = true, true
	}
	return l
}

// lanesOf returns the result of the divergence analysis for 16 lanes.
func lanesOf(f *kernel.Func) meld.Lanes {
	info := divergence.Analyze(f, divergence.Options{Width: 16})
	return meld.Lanes{Divergent: info.Divergent, Joins: info.Joins, Stride: func(v *kernel.Value) (int64, bool) {
		s := info.Shape(v)
		return s.Stride, s.IsStrided()
	}, NoAlias: true}
}

// isCanonical checks the form that linearization requires.
func isCanonical(t *testing.T, f *kernel.Func) {
	t.Helper()
	require.NoError(t, kernel.Verify(f), f.String())
	returns := 0
	for _, b := range f.Blocks {
		require.NotEqual(t, kernel.Switch, b.Kind)
		if b.Kind == kernel.Return {
			returns++
		}
	}
	require.LessOrEqual(t, returns, 1)
	again := kernel.Clone(f)
	st := opt.Stats{}
	opt.CanonicalizeLoops(again, st)
	opt.LCSSA(again, st)
	require.Empty(t, st, "loops are not canonical")
}

// melds compares the results of the case before and after melding.
func melds(t *testing.T, c *fuzz.Case, lanes func(*kernel.Func) meld.Lanes, st opt.Stats) {
	t.Helper()
	f, err := fuzz.Clone(c.Kernel)
	require.NoError(t, err)
	canonical.Form(t, f)
	want, err := c.Run(context.Background(), launch.NewInterpreter(f, maxSteps, false))
	require.NoError(t, err)
	before := f.String()
	meld.Arms(f, lanes(f), st)
	isCanonical(t, f)
	got, err := c.Run(context.Background(), launch.NewInterpreter(f, maxSteps, false))
	require.NoError(t, err, "seed %d\n%s\n%s", c.Seed, before, f)
	require.NoError(t, c.Compare(want, got), "seed %d\n%s\n%s", c.Seed, before, f)
}

func TestKeepsKernels(t *testing.T) {
	st := opt.Stats{}
	for seed := range cases() {
		melds(t, fuzz.Kernel(seed, fuzz.Options{Reducible: seed%2 == 0}), everywhere, st)
	}
	counted(t, st, "branches melded", "branches melded away", "loads melded", "stores melded", "operations melded",
		"operands selected for melding", "operations hoisted from both arms", "loads hoisted from both arms")
}

// counted requires that every counter is positive.
func counted(t *testing.T, st opt.Stats, names ...string) {
	t.Helper()
	for _, n := range names {
		require.NotZero(t, st[n], "%s: %v", n, st)
	}
}

func TestKeepsPrograms(t *testing.T) {
	st := opt.Stats{}
	for seed := range cases() / 3 {
		c, err := fuzz.Program(seed, fuzz.ProgramOptions{})
		require.NoError(t, err)
		canonical.Simplify(c.Kernel)
		melds(t, c, everywhere, st)
		melds(t, c, lanesOf, st)
	}
	counted(t, st, "branches melded", "branches melded away", "loads melded", "operations melded", "loads hoisted from both arms")
}

// arms writes the two arms of a branch: similar statements with partly different operands,
// so that many of them meld.
type arms struct {
	rng  *rand.Rand
	text [2]strings.Builder
	vars [2][]string
	made int
}

func (a *arms) operand(arm int) string {
	vs := a.vars[arm]
	switch a.rng.Intn(4) {
	case 0:
		return fmt.Sprint(a.rng.Intn(40))
	case 1:
		return []string{"x", "y", "i"}[a.rng.Intn(3)]
	}
	return vs[a.rng.Intn(len(vs))]
}

// statement writes one statement of a kind into arm.
func (a *arms) statement(arm, kind int) {
	x, y := a.operand(arm), a.operand(arm)
	name := fmt.Sprintf("v%d_%d", arm, a.made)
	e := ""
	switch kind {
	case 0:
		e = fmt.Sprintf("in[(%s) & 63]", x)
	case 1:
		e = fmt.Sprintf("%s / (%s | 1)", x, y)
	case 2:
		e = fmt.Sprintf("mine[(%s) & 15]", x)
	case 3:
		fmt.Fprintf(&a.text[arm], "    mine[(%s) & 15] = %s;\n", x, y)
		return
	case 4:
		fmt.Fprintf(&a.text[arm], "    t[(%s) & 7] = %s;\n", x, y)
		return
	case 5:
		e = fmt.Sprintf("t[(%s) & 7] + %s", x, y)
	case 6:
		e = fmt.Sprintf("in4[(%s) & 7].%c - in4[%s & 7].y", x, "xyzw"[a.rng.Intn(4)], x)
	case 7:
		e = fmt.Sprintf("(int)((float)(%s) / (float)(%s | 1))", x, y)
	default:
		e = fmt.Sprintf("%s %c %s", x, "+-*^&|"[a.rng.Intn(6)], y)
	}
	fmt.Fprintf(&a.text[arm], "    int %s = %s;\n", name, e)
	a.vars[arm] = append(a.vars[arm], name)
}

// mirrored generates a kernel with a branch whose arms are similar.
func mirrored(t *testing.T, seed int64) *fuzz.Case {
	t.Helper()
	rng := rand.New(rand.NewSource(seed))
	a := &arms{rng: rng, vars: [2][]string{{"x", "y"}, {"x", "y"}}}
	for n := 1 + rng.Intn(14); n > 0; n-- {
		kind := rng.Intn(12)
		for arm := range a.text {
			if rng.Intn(8) > 0 {
				a.statement(arm, kind)
			} else if rng.Intn(2) == 0 {
				a.statement(arm, rng.Intn(12))
			}
		}
		a.made++
	}
	inner, end := "", ""
	if rng.Intn(3) == 0 {
		inner, end = "for (int r = 0; r < (y & 3); r++) {\n", "}\n"
	}
	last := func(arm int) string { return a.vars[arm][len(a.vars[arm])-1] }
	branch := fmt.Sprintf(`  if (%s) {
%s    p += %s; q ^= %s;
  } else {
%s    p -= %s; q += %s;
  }
`, []string{"x & 1", "x < y", "(x ^ i) & 4"}[rng.Intn(3)], &a.text[0], a.operand(0), last(0), &a.text[1], a.operand(1), last(1))
	return compiled(t, seed, inner+branch+end)
}

// compiled compiles the statements of a kernel with variables for them.
func compiled(t *testing.T, seed int64, statements string) *fuzz.Case {
	t.Helper()
	text := fmt.Sprintf(`kernel void k(global int *out, global const int *in, global const int4 *in4) {
  int i = get_global_id(0);
  global int *mine = out + i * 32;
  int x = in[i], y = mine[3], p = 0, q = 1, t[8] = {1, 2, x, y, i};
%s  mine[16] = p; mine[17] = q; mine[18] = t[p & 7];
}
`, statements)
	m, err := clc.Compile("k.cl", text, clc.Options{})
	require.NoError(t, err, text)
	c := fuzz.CaseOf(m.Funcs[0], 0)
	c.Seed, c.Source = seed, text
	canonical.Simplify(c.Kernel)
	return c
}

// scattered generates a kernel with similar arms that are not the two sides of one branch: in
// several cases of a switch, or under disjoint conditions with statements between.
func scattered(t *testing.T, seed int64) *fuzz.Case {
	t.Helper()
	rng := rand.New(rand.NewSource(seed))
	a := &arms{rng: rng, vars: [2][]string{{"x", "y"}, {"x", "y"}}}
	for n := 1 + rng.Intn(4); n > 0; n-- {
		kind := rng.Intn(12)
		for arm := range a.text {
			a.statement(arm, kind)
		}
		a.made++
	}
	first := fmt.Sprintf("%s    p += %s; q ^= %s;\n", &a.text[0], a.operand(0), a.vars[0][len(a.vars[0])-1])
	second := fmt.Sprintf("%s    p -= %s; q += %s;\n", &a.text[1], a.operand(1), a.vars[1][len(a.vars[1])-1])
	between := []string{"", "p += 3;", "mine[(q & 7)] = p;", "t[x & 7] = p;", "y ^= p;", "q += in[p & 63];"}[rng.Intn(6)]
	other := []string{"", "q = i;", "p ^= in[y & 63];"}[rng.Intn(3)]
	cond := []string{"x & 1", "x < y", "(x ^ i) & 4"}[rng.Intn(3)]
	inner, end := "", ""
	if rng.Intn(3) == 0 {
		inner, end = "for (int r = 0; r < (y & 3); r++) {\n", "}\n"
	}
	text := ""
	switch rng.Intn(5) {
	case 0:
		text = fmt.Sprintf("if (%s) {\n%s} else {%s}\n%s\nif (!(%s)) {\n%s}\n", cond, first, other, between, cond, second)
	case 1:
		text = fmt.Sprintf("int z = x & 3;\nif (z == 1) {\n%s}\n%s\nif (z == 2) {\n%s}\n", first, between, second)
	case 2:
		text = fmt.Sprintf("if (%s) {\n%s} else if (y & 2) {\n%s} else {%s}\n", cond, first, second, other)
	case 3:
		text = fmt.Sprintf("switch (x & 7) {\ncase 0: {\n%s} break;\ncase 1: {%s} break;\ncase 4: {\n%s} break;\ncase 6: {\n%s}\n}\n", first, other, second, first)
	case 4:
		text = fmt.Sprintf("if (x & 4) {\nif (x & 1) {\n%s} else { q++; }\n} else if (y > 3) { p++; %s } else {\n%s}\n", first, other, second)
	}
	return compiled(t, seed, inner+text+end)
}

func TestKeepsScatteredArms(t *testing.T) {
	counted(t, keeps(t, scattered), "arms regrouped for melding", "operations moved to the other arm", "branches melded", "branches melded away")
}

func TestScatteredArmsRunAsVectors(t *testing.T) { asVectors(t, scattered) }

// keeps compares the results of melded kernels of one kind and returns the statistics.
func keeps(t *testing.T, random func(t *testing.T, seed int64) *fuzz.Case) opt.Stats {
	t.Helper()
	st := opt.Stats{}
	for seed := range cases() {
		c := random(t, seed)
		melds(t, c, everywhere, st)
		melds(t, c, lanesOf, st)
	}
	t.Log(st)
	return st
}

// asVectors melds and linearizes kernels of one kind and runs them as vector code.
func asVectors(t *testing.T, random func(t *testing.T, seed int64) *fuzz.Case) {
	t.Helper()
	for seed := range cases() / 5 {
		c := random(t, 1000+seed)
		require.NoError(t, fuzz.Check(context.Background(), c, fuzz.Steps{
			Widths: fuzz.WidthsOf(seed)[:1], Raw: true, Native: fuzz.Native(seed, 1),
		}), "%s", c.Source)
	}
}

func TestKeepsMirroredArms(t *testing.T) {
	st := keeps(t, mirrored)
	counted(t, st, "branches melded", "branches melded away", "loads melded", "stores melded", "operations melded",
		"operands selected for melding", "operations hoisted from both arms", "loads hoisted from both arms")
	require.Greater(t, st["branches melded"], int(cases()), "%v", st)
}

// TestGolden prints kernels before and after melding with the statistics, for 16 lanes.
func TestGolden(t *testing.T) {
	golden.Run(t, filepath.Join("testdata", "*.txtar"), func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := kernel.Clone(f)
		st := opt.Stats{}
		meld.Arms(f, lanesOf(f), st)
		isCanonical(t, f)
		for _, scalar := range []uint64{0, 1, 2, 3, 5, 9, 17, 100} {
			canonical.SameMeaning(t, before, f, scalar)
		}
		var counts []string
		for name, n := range st {
			counts = append(counts, fmt.Sprintf("%s: %d\n", name, n))
		}
		slices.Sort(counts)
		return map[string]string{"before.simt": before.String(), "after.simt": f.String(), "stats": strings.Join(counts, "")}
	})
}

func TestMeldedArmsRunAsVectors(t *testing.T) { asVectors(t, mirrored) }
