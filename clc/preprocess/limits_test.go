package preprocess

import (
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// bombs returns small texts that expand beyond the capacity of any machine. Under the
// limits set by the tests, each must give an error.
func bombs() map[string]string {
	chain := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := 0; i < n; i++ {
			b.WriteString(f(i) + "\n")
		}
		return b.String()
	}
	return map[string]string{
		"doubling":       chain(40, func(i int) string { return fmt.Sprintf("#define A%d A%d A%d", i, i+1, i+1) }) + "A0",
		"empty doubling": chain(40, func(i int) string { return fmt.Sprintf("#define A%d A%d A%d", i, i+1, i+1) }) + "#define A40\nA0",
		"arguments":      "#define D(x) x x\n" + strings.Repeat("D(", 40) + "1" + strings.Repeat(")", 40),
		"through calls":  chain(40, func(i int) string { return fmt.Sprintf("#define A%d(x) A%d(x x)", i, i+1) }) + "A0(1)",
		"pasted":         "#define G(a, b) a##b\n#define X(a) Y(a, a)\n#define Y(a, b) G(a, b)\n" + strings.Repeat("X(", 60) + "q" + strings.Repeat(")", 60),
		"strings":        "#define S(x) #x\n#define X(x) S(x)\n" + strings.Repeat("X(", 60) + `"\\"` + strings.Repeat(")", 60),
		"deep arguments": "#define I(x) x\n" + strings.Repeat("I(", 5000) + strings.Repeat(")", 5000),
		"hide sets":      chain(3000, func(i int) string { return fmt.Sprintf("#define A%d(x) A%d(x A%[1]d)", i, i+1) }) + "A0(1)",
		"conditions":     "#if " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000) + "\n#endif",
		"unary":          "#if " + strings.Repeat("!", 5000) + "1\n#endif",
		"questions":      "#if " + strings.Repeat("1?", 5000) + "1" + strings.Repeat(":1", 5000) + "\n#endif",
		"in #if":         chain(40, func(i int) string { return fmt.Sprintf("#define A%d (A%d + A%d)", i, i+1, i+1) }) + "#if A0\n#endif",
		"tokens":         "#define T x x x x x x x x x x x x x x x x\n" + strings.Repeat("T ", 8000),
		"unterminated":   "#define F(x) x\n" + strings.Repeat("F(", 20000),
	}
}

var small = limits{tokens: 100_000, expansion: 200_000, spelled: 1 << 20, hideSets: 1 << 20}

func TestBombsEndInAnError(t *testing.T) {
	for name, text := range bombs() {
		t.Run(name, func(t *testing.T) {
			var errs diag.List
			toks := run("bomb.cl", text, Options{}, &errs, small)
			require.Equal(t, token.EOF, toks[len(toks)-1].Kind)
			require.ErrorContains(t, errs.Err(), "bomb.cl:")
		})
	}
}

func TestIncludeBombsEndInAnError(t *testing.T) {
	big := strings.Repeat("x ", 1<<20)
	for name, main := range map[string]string{
		"self":  "#include \"main.cl\"\n#include \"main.cl\"\n",
		"many":  "#if __COUNTER__ < 1000000\n#include \"leaves\"\n#endif\n",
		"bytes": strings.Repeat("#if 0\n#endif\n#include \"big\"\n", 40),
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"main.cl": main,
				"leaves":  strings.Repeat("#include \"leaf\"\n", 30_000),
				"big":     "#if 0\n" + big + "\n#endif\n",
			}
			opt := Options{Include: func(name, _ string, _ bool) (string, string, error) { return name, files[name], nil }}
			var errs diag.List
			Run("main.cl", main, opt, &errs)
			require.Equal(t, 1, errs.Len(), "%v", errs.Err())
			require.Regexp(t, `more than \d+ (files|MB)`, errs.Error())
		})
	}
}

// TestRealLimits measures the most expensive of the bombs under the limits of Run.
func TestRealLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	all := bombs()
	for _, name := range []string{"doubling", "arguments", "hide sets", "strings"} {
		var errs diag.List
		Run("bomb.cl", all[name], Options{}, &errs)
		require.Error(t, errs.Err(), name)
	}
}

func TestArgumentsNestTooDeep(t *testing.T) {
	nested := func(n int) string {
		return "#define I(x) x\n" + strings.Repeat("I(", n) + "7" + strings.Repeat(")", n)
	}
	var errs diag.List
	require.Equal(t, []string{"7"}, spellings(Run("x.cl", nested(maxArgDepth), Options{}, &errs)))
	require.NoError(t, errs.Err())
	Run("x.cl", nested(maxArgDepth+10), Options{}, &errs)
	require.ErrorContains(t, errs.Err(), "macro calls are nested more than 500 deep")
}

func TestOptionsHoldOneLineEach(t *testing.T) {
	opt := Options{Defines: []string{"A=1\n#define B 2", "C=3"}, Undefs: []string{"C\n", "D"}}
	var errs diag.List
	require.Equal(t, []string{"A", "B", "3"}, spellings(Run("x.cl", "A B C", opt, &errs)))
	require.Equal(t, 2, errs.Len())
	require.Equal(t, "<command line>:1:1: the definition of 'A' holds a line break\n"+
		"<command line>:3:1: a name to undefine holds a line break", errs.Error())
}

func TestHideSets(t *testing.T) {
	var st symbolTable
	st.init()
	var h hideSets
	h.init()
	a, b, c := st.get("a"), st.get("b"), st.get("c")
	ab := h.add(h.add(0, a), b)
	require.Equal(t, ab, h.add(h.add(0, b), a), "the same set has the same number")
	require.True(t, h.contains(ab, a) && h.contains(ab, b) && !h.contains(ab, c))
	bc := h.add(h.add(0, c), b)
	require.Equal(t, h.add(0, b), h.intersect(ab, bc))
	require.Zero(t, h.intersect(h.add(0, a), bc))
	require.Equal(t, h.add(ab, c), h.union(ab, bc))
}

// TestHideSetsAreSets compares hide sets with ordinary sets of numbers.
func TestHideSetsAreSets(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	symbols := []*symbol{}
	for i := range 200 {
		symbols = append(symbols, &symbol{id: uint32(i * i * i * 536)}) // uses all bits
	}
	var h hideSets
	h.init()
	sets := []uint32{0}
	members := []map[*symbol]bool{{}}
	numbers := map[string]uint32{}
	for range 3000 {
		i, j := rng.Intn(len(sets)), rng.Intn(len(sets))
		of, id := maps.Clone(members[i]), uint32(0)
		switch rng.Intn(3) {
		case 0:
			s := symbols[rng.Intn(len(symbols))]
			of[s], id = true, h.add(sets[i], s)
		case 1:
			maps.Copy(of, members[j])
			id = h.union(sets[i], sets[j])
		case 2:
			maps.DeleteFunc(of, func(s *symbol, _ bool) bool { return !members[j][s] })
			id = h.intersect(sets[i], sets[j])
		}
		name := ""
		for _, s := range symbols {
			require.Equal(t, of[s], h.contains(id, s))
			if of[s] {
				name += fmt.Sprint(s.id, " ")
			}
		}
		if known, ok := numbers[name]; ok {
			require.Equal(t, known, id, "the same set has the same number")
		}
		numbers[name] = id
		sets, members = append(sets, id), append(members, of)
	}
}

// TestLongChains checks a long chain of macros that expand to each other.
func TestLongChains(t *testing.T) {
	const n = 20_000
	for name, c := range map[string]struct{ first, define, use string }{
		"names": {"#define A0 7\n", "#define A%d A%d\n", "A%d"},
		"calls": {"#define A0(x) x\n", "#define A%d(x) A%d(x)\n", "A%d(7)"},
	} {
		var b strings.Builder
		b.WriteString(c.first)
		for i := range n {
			fmt.Fprintf(&b, c.define, i+1, i)
		}
		fmt.Fprintf(&b, c.use, n)
		var errs diag.List
		require.Equal(t, []string{"7"}, spellings(Run("x.cl", b.String(), Options{}, &errs)), name)
		require.NoError(t, errs.Err(), name)
	}
}

// corpus returns the inputs of the golden tests.
func corpus(t testing.TB) []string {
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	var out []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, f := range txtar.Parse(data).Files {
			if f.Name == "in.cl" {
				out = append(out, string(f.Data))
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

// check preprocesses text and fails if an invariant of the output is violated.
func check(t *testing.T, text string) {
	t.Helper()
	opt := Options{Include: func(name, _ string, _ bool) (string, string, error) {
		if name == "itself" {
			return name, text, nil
		}
		return name, "included\n#pragma once\n", nil
	}}
	var errs diag.List
	toks := run("fuzz.cl", text, opt, &errs, small)
	require.LessOrEqual(t, len(toks), small.tokens+1)
	for i, tk := range toks {
		require.Equal(t, i == len(toks)-1, tk.Kind == token.EOF)
		require.True(t, tk.Pos.IsValid() && tk.Pos.Col > 0, "%v in %q", tk, text)
		if tk.Kind != token.EOF && tk.Kind != token.Pragma {
			require.NotEmpty(t, tk.Text)
		}
	}
	for _, e := range errs.Errors() {
		require.NotEmpty(t, e.Msg)
	}
}

// TestMutatedText changes the golden inputs at random with a fixed seed.
func TestMutatedText(t *testing.T) {
	texts := corpus(t)
	r := rand.New(rand.NewSource(1))
	pieces := strings.Split("# ## ( ) , \" ' \\ \\\n /* */ // \n #define\tX #if #endif #else #include __VA_ARGS__ defined(X) 0 1u @ \x00 \xff _Pragma(\"x\") A B f( __LINE__ ?: -1 /0 #line 7 \"itself\"", " ")
	n := 4000
	if testing.Short() {
		n = 500
	}
	for i := 0; i < n; i++ {
		b := []byte(texts[r.Intn(len(texts))])
		for k := 1 + r.Intn(6); k > 0; k-- {
			at := r.Intn(len(b) + 1)
			switch r.Intn(4) {
			case 0: // cut
				end := min(len(b), at+r.Intn(20))
				b = append(b[:at:at], b[end:]...)
			case 1: // insert
				b = append(b[:at:at], append([]byte(pieces[r.Intn(len(pieces))]), b[at:]...)...)
			case 2: // change a byte
				if at < len(b) {
					b[at] = byte(r.Intn(256))
				}
			case 3: // insert a part of another text
				other := texts[r.Intn(len(texts))]
				from := r.Intn(len(other) + 1)
				end := min(len(other), from+r.Intn(60))
				b = append(b[:at:at], append([]byte(other[from:end]), b[at:]...)...)
			}
		}
		check(t, string(b))
	}
}

func FuzzPreprocess(f *testing.F) {
	for _, text := range corpus(f) {
		f.Add(text)
	}
	for seed := int64(0); seed < 20; seed++ {
		f.Add(makeSoup(seed, true))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			t.Skip("long")
		}
		check(t, text)
	})
}

// TestWrongDefinitions checks that the line of an error in a definition is the
// definition's number, independent of earlier options.
func TestWrongDefinitions(t *testing.T) {
	opt := Options{Environment: []string{"E=1", "F"}, Defines: []string{"A=1", "", "=5", " ", "1B=2"}, Undefs: []string{"A", "", "2", " B ", "C+1"}}
	var errs diag.List
	require.Equal(t, []string{"A", "1", "1"}, spellings(Run("x.cl", "A E F", opt, &errs)))
	require.Equal(t, `<command line>:2:1: the definition '' has no name
<command line>:3:1: the definition '=5' has no name
<command line>:4:1: the definition ' ' has no name
<command line>:5:9: a macro name must be an identifier, not '1B'
<command line>:7:1: a name to undefine is empty
<command line>:8:8: a macro name must be an identifier, not '2'
<command line>:10:1: a name to undefine is 'C+1', no identifier`, errs.Error())
}

// TestEndlessExpansionOfArguments checks that the error about an unbounded expansion
// names no nonexistent macro.
func TestEndlessExpansionOfArguments(t *testing.T) {
	const text = "#define A(x) x x\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(B(B(x))))\n#define D(x) C(C(x))\nint q = D(D(1));"
	var errs diag.List
	Run("x.cl", text, Options{}, &errs)
	require.ErrorContains(t, errs.Err(), "x.cl:5:")
	require.ErrorContains(t, errs.Err(), "the expansion of a macro takes more than")
	require.NotContains(t, errs.Error(), "'1'")
}
