package meld_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/meld"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// twins writes two arms of the same control flow that differ in some operands, and in
// operations of one arm.
type twins struct {
	rng  *rand.Rand
	text [2]strings.Builder
	vary int // one in vary operands differs
	made int
}

// both writes a line into both arms; each %s stands for an operand.
func (w *twins) both(format string, operands int) {
	var args [2][]any
	for range operands {
		x := w.operand()
		for arm := range args {
			switch number := x[0] <= '9'; {
			case number && w.rng.Intn(3) == 0:
				x = fmt.Sprint(w.rng.Intn(40)) // defined above the branch
			case !number && w.rng.Intn(w.vary) == 0:
				x = w.operand()
			}
			args[arm] = append(args[arm], x)
		}
	}
	for arm := range w.text {
		fmt.Fprintf(&w.text[arm], format+"\n", args[arm]...)
	}
}

func (w *twins) operand() string {
	return []string{"p", "q", "x", "y", "i", fmt.Sprint(w.rng.Intn(40)), fmt.Sprint(w.rng.Intn(40))}[w.rng.Intn(7)]
}

func (w *twins) statements(depth int) {
	for n := 1 + w.rng.Intn(3); n > 0; n-- {
		if w.rng.Intn(w.vary) == 0 {
			fmt.Fprintf(&w.text[w.rng.Intn(2)], "%s = %s * 3 ^ %s;\n", []string{"p", "q"}[w.rng.Intn(2)], w.operand(), w.operand())
		}
		switch kind := w.rng.Intn(9); {
		case kind == 0 && depth > 0:
			w.both("if ((%s ^ %s) & 3) {", 2)
			w.statements(depth - 1)
			if w.rng.Intn(2) == 0 {
				w.both("} else {", 0)
				w.statements(depth - 1)
			}
			w.both("}", 0)
		case kind == 1 && depth > 0:
			w.made++
			w.both(fmt.Sprintf("for (int k%d = 0; k%[1]d < (%%s & 3); k%[1]d++) {", w.made), 1)
			w.statements(depth - 1)
			if w.rng.Intn(2) == 0 {
				w.both("if (%s > %s) break;", 2)
			}
			w.both("}", 0)
		case kind == 2:
			w.both("mine[%s & 15] = %s;", 2)
		case kind == 3:
			w.both("p += in[%s & 63];", 1)
		case kind == 4:
			w.both("q = %s / (%s | 1);", 2)
		case kind == 5:
			w.both("q ^= mine[%s & 15] + (int)in4[%s & 7].y;", 2)
		default:
			w.both([]string{"p", "q"}[w.rng.Intn(2)]+" = %s "+[]string{"+", "-", "*", "&"}[w.rng.Intn(4)]+" %s;", 2)
		}
	}
}

// twinned generates a kernel with a branch whose arms have isomorphic control flow.
func twinned(t *testing.T, seed int64) *fuzz.Case {
	t.Helper()
	rng := rand.New(rand.NewSource(seed))
	w := &twins{rng: rng, vary: 4 + rng.Intn(30)}
	w.both("if (%s & 1) p++;", 1)
	w.statements(2)
	text := fmt.Sprintf(`kernel void k(global int *out, global const int *in, global const int4 *in4) {
  int i = get_global_id(0);
  global int *mine = out + i * 32;
  int x = in[i], y = mine[3], p = x, q = 1;
  for (int r = 0; r < %d; r++)
    if (%s) {
%s    } else {
%s    }
  mine[16] = p; mine[17] = q;
}
`, 1+rng.Intn(2), []string{"x & 1", "x < y", "(x ^ i) & 4"}[rng.Intn(3)], &w.text[0], &w.text[1])
	m, err := clc.Compile("k.cl", text, clc.Options{})
	require.NoError(t, err, text)
	c := fuzz.CaseOf(m.Funcs[0], 0)
	c.Seed, c.Source = seed, text
	canonical.Simplify(c.Kernel)
	return c
}

func TestKeepsTwinnedArms(t *testing.T) {
	st := keeps(t, twinned)
	counted(t, st, "blocks melded", "loads melded", "stores melded", "operands selected for melding", "unmatched operations of one arm")
	require.Greater(t, st["blocks melded"], int(cases()), "%v", st)
}

func TestTwinnedArmsRunAsVectors(t *testing.T) { asVectors(t, twinned) }

// TestUnmatchedCost checks that arms with expensive unmatched operations do not meld: vectors
// that take one arm would run them for nothing.
func TestUnmatchedCost(t *testing.T) {
	for _, c := range []struct {
		name, cond, more string
		melds            bool
	}{
		{"none", "x > 0.5f", "", true},
		{"little", "x > 0.5f", "s = s + 1;", true},
		{"much", "x > 0.5f", "s = s / (x + k) + 3 / s;", false},
		{"none, by ids", "i < n", "", true},
		{"much, by ids", "i < n", "s = s / (x + k) + 3 / s;", false},
		{"less, by ids", "i < n", "s = (s * x - k) * (s * k - x) + 1;", false},
		{"less, by data", "x < 0.5f", "s = s * 0.5f;", true},
	} {
		text := fmt.Sprintf(`kernel void k(global float *o, int n) {
	int i = get_global_id(0);
	float x = o[i], s = 1;
	if (%s)
		for (int k = 0; k < n; k++)
			s += sqrt(x + k * s);
	else
		for (int k = 0; k < n; k++) {
			s += sqrt(x - k * s);
			%s
		}
	o[i] = s;
}`, c.cond, c.more)
		m, err := clc.Compile("k.cl", text, clc.Options{})
		require.NoError(t, err)
		f := m.Funcs[0]
		canonical.Form(t, f)
		st := opt.Stats{}
		meld.Arms(f, lanesOf(f), st)
		require.Equal(t, c.melds, st["blocks melded"] > 0, "%s: %v\n%s", c.name, st, f)
	}
}
