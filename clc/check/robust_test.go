package check_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// seeds are the programs of the golden and error tests.
func seeds(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	var out []string
	for _, p := range paths {
		text, err := os.ReadFile(p)
		require.NoError(t, err)
		for _, f := range txtar.Parse(text).Files {
			if f.Name == "in.cl" {
				out = append(out, string(f.Data))
			}
		}
	}
	require.NotEmpty(t, out)
	for _, b := range broken {
		if topLevel(b.src) {
			out = append(out, b.src)
		} else {
			out = append(out, strings.Replace(inBody, "#line", b.src, 1))
		}
	}
	return out
}

// digest parses, checks and prints arbitrary toks. A program without errors must be fully
// typed.
func digest(t testing.TB, toks []token.Token) {
	defer func() {
		if r := recover(); r != nil {
			var text strings.Builder
			for _, tok := range toks[:min(len(toks), 2000)] {
				text.WriteString(tok.Text + " ")
			}
			t.Fatalf("panic: %v\n%s\n%s", r, text.String(), debug.Stack())
		}
	}()
	errs := &diag.List{}
	f := parse.File(toks, parse.Options{}, errs)
	check.Program(f, check.Options{}, fakeBuiltins{}, errs)
	var b bytes.Buffer
	require.NoError(t, ast.Dump(&b, f))
	if errs.Len() == 0 {
		for _, word := range []string{"bad expression", "bad statement"} {
			require.NotContains(t, b.String(), word)
		}
	}
}

// TestMutations checks randomly damaged programs: tokens dropped, duplicated, swapped, or
// taken from other programs.
func TestMutations(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	var all [][]token.Token
	for _, s := range seeds(t) {
		all = append(all, scan("in", s))
	}
	for range 10_000 {
		toks := append([]token.Token(nil), all[rng.Intn(len(all))]...)
		for range 1 + rng.Intn(4) {
			i, j := rng.Intn(len(toks)), rng.Intn(len(toks))
			switch rng.Intn(6) {
			case 0:
				toks = append(toks[:i:i], toks[min(i+1, len(toks)-1):]...)
			case 1:
				toks[i], toks[j] = toks[j], toks[i]
			case 2:
				toks[i] = toks[j]
			case 3:
				other := all[rng.Intn(len(all))]
				toks[i] = other[rng.Intn(len(other))]
			case 4:
				toks = toks[:i+1]
			case 5:
				other := all[rng.Intn(len(all))]
				k := rng.Intn(len(other))
				m := min(k+rng.Intn(8), len(other))
				toks = append(append(append([]token.Token(nil), toks[:i]...), other[k:m]...), toks[i:]...)
			}
		}
		digest(t, toks)
	}
}

// TestDeepNesting checks extremely nested programs; each must compile or give an error
// quickly.
func TestDeepNesting(t *testing.T) {
	const n = 100000
	for _, tc := range []struct{ name, open, mid, close string }{
		{"parentheses", "int f() { return ", "(", "1"},
		{"closed", "int f() { return " + strings.Repeat("(", 900), "", "1" + strings.Repeat(")", 900) + "; }"},
		{"blocks", "void f() ", "{", ""},
		{"unary", "int f() { return ", "- ", "1; }"},
		{"casts", "int f() { return ", "(int)", "1; }"},
		{"vector casts", "float4 f() { return ", "(float4)(", "1; }"},
		{"pointers", "void f(int ", "*", "p) { }"},
		{"arrays", "void f() { int a", "[1]", "; }"},
		{"declarators", "void f() { int ", "(", "a; }"},
		{"parameters", "void f", "(int g", ""},
		{"structs", "", "struct { ", ""},
		{"lists", "int a[] = ", "{", ""},
		{"sums", "int f(int x) { return x", " + x", "; }"},
		{"commas", "int f(int x) { return x", ", x", "; }"},
		{"assignments", "void f(int x) { ", "x = ", "1; }"},
		{"conditionals", "int f(int x) { return ", "x ? 1 : ", "2; }"},
		{"else if", "void f(int x) { ", "if (x) ; else ", "; }"},
		{"if", "void f(int x) { ", "if (x) ", "; }"},
		{"while", "void f(int x) { ", "while (x) ", "; }"},
		{"labels", "void f() { ", "a: ", "; }"},
		{"cases", "void f(int x) { switch (x) { ", "case 1: ", "; } }"},
		{"members", "void f(int x) { x", ".x", "; }"},
		{"indices", "void f(int x) { x", "[0]", "; }"},
		{"calls", "void f(int x) { ", "f(", "; }"},
		{"sizeof", "int f() { return ", "sizeof ", "1; }"},
		{"extension", "int f() { return ", "__extension__ ", "1; }"},
		{"statement expressions", "int f() { return ", "({", "1; }"},
		{"strings", "__constant char s[] = ", `"ab" `, ";"},
		{"attributes", "void f() ", "__attribute__((x)) ", ";"},
		{"typeof", "void f() { ", "typeof(", "1; }"},
		{"address", "int f(int x) { return ", "*&", "x; }"},
	} {
		toks := scanMany("in", tc.open, tc.mid, n, tc.close)
		digest(t, toks)
	}
}

// scanMany scans open, n times mid, then close.
func scanMany(file, open, mid string, n int, end string) []token.Token {
	toks := scan(file, open)
	toks = toks[:len(toks)-1]
	m := scan(file, mid)
	for range n {
		toks = append(toks, m[:len(m)-1]...)
	}
	return append(toks, scan(file, end)...)
}

// large returns a program of about n lines that resembles real kernels.
func large(n int) string {
	var b strings.Builder
	b.WriteString("typedef struct { float4 pos; float mass; int next[4]; } body;\n")
	for i := 0; n > 0; i++ {
		fmt.Fprintf(&b, `float helper%d(float a, float b, int n) {
  float s = a * b + 1.0f;
  for (int i = 0; i < n; i++) {
    if (s > 100.0f) { s -= sqrt(a) * 0.5f; continue; }
    s += fma(a, b, (float)i) / (b + 1.5f);
  }
  return s;
}
__kernel void k%d(__global body *in, __global float4 *out, int n, float eps) {
  size_t id = get_global_id(0);
  if (id >= (size_t)n) return;
  float4 acc = (float4)(0.0f, 0.0f, 0.0f, eps);
  for (int j = 0; j < 4; j++) {
    int k = in[id].next[j];
    float4 d = in[k].pos - in[id].pos;
    float r = dot(d.xyz, d.xyz) + eps * eps;
    switch (k & 3) {
    case 0: acc.xyz += d.xyz * (in[k].mass / r); break;
    case 1: acc.w += helper%d(r, d.w, k); break;
    default: acc = select(acc, d, acc < d);
    }
  }
  out[id] = acc;
}
`, i, i, i)
		n -= 25
	}
	return b.String()
}

// BenchmarkFrontEnd parses and checks 5,000 lines.
func BenchmarkFrontEnd(b *testing.B) {
	toks := scan("in", large(5000))
	b.ReportMetric(float64(len(toks)), "tokens")
	for b.Loop() {
		errs := &diag.List{}
		f := parse.File(toks, parse.Options{}, errs)
		check.Program(f, check.Options{}, fakeBuiltins{}, errs)
		if errs.Len() > 0 {
			b.Fatal(errs)
		}
	}
}

// FuzzParse scans, parses, checks and prints arbitrary text.
func FuzzParse(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		digest(t, scan("in", text))
	})
}
