package clc_test

import (
	"fmt"
	"math/rand"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// TestUnsupported checks that an unsupported construct gives an error that names it, at
// its position.
func TestUnsupported(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"kernel void k(global float *p) {\n  p[0] = expo(p[1]);\n}", "2:10: undeclared function 'expo'"},
		{"kernel void k(global int *p) {\n  local int x[40000000];\n  x[0] = p[0];\n}", "2:13: 'x' and the local variables before it have more than 67108864 bytes, which is not supported"},
		{"kernel void k(queue_t q) { }", "1:23: queue_t as a kernel parameter ('q') is not supported yet"},
		{"kernel void k(write_only image2d_t im, global float4 *p) {\n  p[0] = read_imagef(im, (int2)(0, 0));\n}",
			"2:10: no overload of 'read_imagef' takes (__write_only image2d_t, int2): the image is write-only"},
		{"kernel void k(image2d_t im) {\n  write_imagef(im, (int2)(0, 0), (float4)(0));\n}",
			"2:3: no overload of 'write_imagef' takes (image2d_t, int2, float4): the image is read-only"},
		{"kernel void k(image3d_t im, sampler_t s, global float4 *p) {\n  p[0] = read_imagef(im, s, (float2)(0, 0));\n}",
			"2:10: no overload of 'read_imagef' takes (image3d_t, sampler_t, float2): the coordinates must be int4 or float4"},
		{"struct s { image2d_t im; };\nkernel void k(global int *p) { }", "1:22: member 'im' cannot have type 'image2d_t'"},
		{"kernel void k(read_only global int *p) { }", "1:15: access qualifiers apply only to images, not to 'int'"},
		{"kernel void k(read_only write_only image2d_t im) { }", "1:15: an image has one access qualifier, not several"},
		{"void f(write_only image2d_t im) { }\nkernel void k(read_only image2d_t im) { f(im); }",
			"2:43: cannot convert 'image2d_t' to '__write_only image2d_t' in argument 1 of 'f' (the image has another access qualifier)"},
		{"int f(int x);\nkernel void k(global int *p) { p[0] = f(1); }", "2:39: function 'f' is called but has no body"},
		{"kernel void k(global int *p) {\n  int a[100000000];\n  a[p[0]] = 1;\n  p[0] = a[3];\n}",
			"2:7: 'a' has 400000000 bytes, which with the private variables before it is more than 67108864"},
	} {
		_, err := clc.Compile("in.cl", c.text, clc.Options{})
		require.Error(t, err, c.text)
		require.Contains(t, err.Error(), "in.cl:"+c.want, c.text)
		require.IsType(t, (*diag.List)(nil), err)
	}
}

// TestErrorsBesidesLabels checks that an undefined or duplicate label hides no other
// errors of the file.
func TestErrorsBesidesLabels(t *testing.T) {
	_, err := clc.Compile("in.cl", `kernel void k(global int *p) {
  goto nowhere;
  p[0] = missing;
}
kernel void l(global int *p) {
  again: p[0] = 1;
  again: p[1] = 2;
  p = 3.0f;
  goto elsewhere;
}`, clc.Options{})
	require.EqualError(t, err, `in.cl:2:8: label 'nowhere' is not defined in this function
in.cl:3:10: undeclared identifier 'missing'
in.cl:7:3: label 'again' is defined twice
in.cl:6:3: note: first defined here
in.cl:8:7: cannot convert 'float' to '__global int *' in assignment
in.cl:9:8: label 'elsewhere' is not defined in this function`)
}

// TestCutShort checks that no missing tokens are reported if an error skips the rest of
// the file.
func TestCutShort(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"kernel void k(global int *o) {\n#ifdef\n  o[0] = 1;\n}", "2:7: #ifdef needs a macro name"},
		{"kernel void k(global int *o) {\n#if 0\n  o[0] = 1;\n}", "2:1: unterminated conditional: there is no #endif"},
		{"kernel void k(global int *o) {\n#if 1\n  goto a; /* a: ;\n}", "3:11: unterminated comment"},
		{"#define F(x) x x\nkernel void k(global int *o) {\n  o[0] = F(1;\n}",
			"3:10: unterminated argument list of macro 'F'\nin.cl:1:9: note: 'F' is defined here"},
		{"#define A A1 A1\n#define A1 A2 A2 A2\nkernel void k(global int *o) {\n  o[0] = /* ", "4:10: unterminated comment"},
		{"kernel void k(global int *o) {\n  o[0] = 1;\n", "2:12: expected '}', found end of file\nin.cl:1:30: note: to match this '{'"},
	} {
		_, err := clc.Compile("in.cl", c.text, clc.Options{})
		require.EqualError(t, err, "in.cl:"+c.want, c.text)
	}
}

// TestOneMistake expects exactly one error for each program, even if the mistake affects
// much of the following text.
func TestOneMistake(t *testing.T) {
	for src, want := range map[string]string{
		"kernel void k() { printf(\"abc); }":                                      "1:26: unterminated string",
		"kernel void k() {\n int i = 'a;\n i++; }":                                "2:10: unterminated character constant",
		"void f() { int i = ''; }":                                                "1:20: empty character constant",
		"void f() { int i @ 1; }":                                                 "1:18: stray '@'",
		"#define F(x) x\nvoid f() {\n int i = F(1, 2);\n}":                        "3:10: macro 'F' takes 1 argument, not 2",
		"#define F(x, y) x ## y\nvoid f() {\n int i = F(+, /)1;\n}":               "3:10: pasting '+' and '/' does not give a token",
		"void f(int *p) { for (int i = 0, i < 3; i++) p[i] = 1; }":                "1:36: expected ';' after declaration, found '<'",
		"void f(int *p) { for (int i = 0; i < 3) p[(i)] = 1; }":                   "1:39: expected ';' after the condition of for, found ')'",
		"void f(int *p) { for (p[0] < 3; p[(0)]++ p[0] = 1; p[1] = 1; }":          "1:42: expected ';' after the condition of for, found 'p'",
		"#define N 3;\nvoid f() { for (int i = 0; i < N; i++) ; }":                "2:33: expected an expression, found ';'",
		"void f(int a) {\n if (a > (1) {\n a = 1;\n } else {\n a = 2;\n }\n}":     "2:14: expected ')', found '{'",
		"void f(int a) {\n if (a) {\n a = 1;\n}\nkernel void k() { int i = 1; }":  "5:1: expected '}', found keyword 'kernel'",
		"void f(int a) {\n if (a) {\n a = 1;\n}\nvoid g() { int i = 1; }":         "5:10: expected ';' after declaration, found '{' (functions cannot be defined inside functions)",
		"void f(int a) { a = 1; } a = 2; }\nkernel void k() { int i = 1; }":       "1:26: expected a type before 'a'",
		"void f(uint32_t a) { uint32_t b; for (uint32_t c = 0; c < a; c++) { } }": "1:8: unknown type name 'uint32_t'",
		"kernel void k() { __shared__ float s[4]; __shared__ float t[4]; }":       "1:19: unknown type name '__shared__'",
		"kernal void k() { }":                                                    "1:1: unknown type name 'kernal'",
		"void f(int *p) { int local = 1; p[0] = local; }":                        "1:28: expected a name, found '=' ('local' is a keyword)",
		"void f() { int float = 3; }":                                            "1:16: expected a name to declare, found keyword 'float'",
		"void kernel(int x) { x = 1; }":                                          "1:12: expected a name, found '(' ('kernel' is a keyword)",
		"void f(int for, int y) { for = y; }":                                    "1:12: expected a name to declare, found keyword 'for'",
		"void f(int *p) { int x = 3, return = 4; p[0] = return; }":               "1:29: expected a name to declare, found keyword 'return'",
		"struct while { int b; };\nvoid f(struct while *p) { p->b = 1; }":        "1:8: expected a name of a struct or union, found keyword 'while'",
		"void f(int *p) { for (int do = 0; do < 3; do++) p[do] = 1; }":           "1:27: expected a name to declare, found keyword 'do'",
		"void f(int *p) { goto if; if: p[0] = 1; }":                              "1:23: expected a name of a label after goto, found keyword 'if'",
		"void f() { int local = 1; }":                                            "1:22: expected a name, found '=' ('local' is a keyword)",
		"void f() { auto x = 1; }":                                               "1:12: OpenCL C has no storage class 'auto'",
		"void f(int x) { } int f(int x) { return x; }":                           "1:23: 'f' is redeclared with result 'int', it was 'void'",
		"int f(int x); float f(int x) { return x; } void g() { f(1); }":          "1:21: 'f' is redeclared with result 'float', it was 'int'",
		"kernel void k(global int **p) { }":                                      "1:28: kernel parameter 'p' cannot point to pointers ('__global int **')",
		"kernel void k(global float *p) { p[0] = sqr(p[0]); p[1] = sqr(p[1]); }": "1:41: undeclared function 'sqr' (did you mean 'sqrt'?)",
	} {
		_, err := clc.Compile("in", src, clc.Options{})
		var errs *diag.List
		require.ErrorAs(t, err, &errs, src)
		require.Len(t, errs.Errors(), 1, "%s\n%s", src, errs)
		require.Equal(t, "in:"+want, errs.Errors()[0].Error(), src)
	}
}

func TestWantedKernels(t *testing.T) {
	text := "kernel void a(global int *p) { p[0] = 1; }\nkernel void b(global float *p) { p[0] = exp(1.0f); }"
	m, err := clc.Compile("in.cl", text, clc.Options{Kernels: []string{"a"}})
	require.NoError(t, err)
	require.Len(t, m.Funcs, 1)
	_, err = clc.Compile("in.cl", text, clc.Options{Kernels: []string{"c"}})
	require.ErrorContains(t, err, "there is no kernel 'c'")
}

// TestInliningBomb checks that exponential inlining gives an error that names the call,
// before the inlining is carried out.
func TestInliningBomb(t *testing.T) {
	for _, c := range []struct{ first, body, call, want string }{
		{"int f0(int x) { return x * 3 + 1; }", "int f%d(int x) { return f%d(x) ^ f%[2]d(x + 1); }", "p[0] = f30(p[0])",
			"in.cl:32:39: kernel 'k' becomes too large: more than 4194304 operators after inlining 'f30'\n" +
				"in.cl:21:34: note: 'f20' alone becomes too large here, by inlining 'f19'"},
		{"void f0(void) { }", "void f%d(void) {" + strings.Repeat(" f%[2]d();", 10) + " }", "f30()",
			"in.cl:32:32: kernel 'k' becomes too large: more than 4194304 operators after inlining 'f30'\n" +
				"in.cl:8:35: note: 'f7' alone becomes too large here, by inlining 'f6'"},
		{"int f0(int x) { return x * 3 + 1; }", "int f%d(int x) { return f%d(x) ^ f%[2]d(x + 1); }",
			strings.Repeat("p[0] = f19(p[0]); ", 3), "in.cl:32:57: kernel 'k' becomes too large: more than 4194304 operators after inlining 'f19'"},
	} {
		var s strings.Builder
		s.WriteString(c.first + "\n")
		for i := 1; i <= 30; i++ {
			fmt.Fprintf(&s, c.body+"\n", i, i-1)
		}
		s.WriteString("kernel void k(global int *p) { " + c.call + "; }\n")
		_, err := clc.Compile("in.cl", s.String(), clc.Options{})
		require.EqualError(t, err, c.want)
	}
}

// TestInliningManyVectors checks a limit for vector operators, each of which becomes many
// operations.
func TestInliningManyVectors(t *testing.T) {
	var s strings.Builder
	s.WriteString("float16 f0(float16 x) { return x * 3 + 1; }\n")
	for i := 1; i <= 16; i++ {
		fmt.Fprintf(&s, "float16 f%d(float16 x) { return f%d(x) * f%[2]d(x + 1); }\n", i, i-1)
	}
	s.WriteString("kernel void k(global float16 *p) { p[0] = f16(p[0]); }\n")
	_, err := clc.Compile("in.cl", s.String(), clc.Options{})
	require.ErrorContains(t, err, "kernel 'k' becomes too large: more than 1048576 operations after inlining")
}

var errorLine = regexp.MustCompile(`^// error: (\d+)`)

// TestBroken checks that every program in utest/broken gives an error on the line given
// in its first line.
func TestBroken(t *testing.T) {
	for name, text := range sources(t, filepath.Join("..", "utest", "broken")) {
		t.Run(strings.TrimSuffix(name, ".cl"), func(t *testing.T) {
			m := errorLine.FindStringSubmatch(text)
			require.NotNil(t, m, "the first line must be // error: LINE")
			_, err := clc.Compile(name, text, clc.Options{})
			require.Error(t, err)
			var lines []string
			list, ok := err.(*diag.List)
			require.True(t, ok)
			for _, e := range list.Errors() {
				lines = append(lines, strconv.Itoa(e.Pos.Line))
			}
			require.Contains(t, lines, m[1], err.Error())
		})
	}
}

// words are inserted into mutated programs.
var words = strings.Fields("( ) [ ] { } ; , * & && || + - / % << >> = == ? : . -> ++ -- ! ~ 0 1 3 -1 1.5f int float4 uchar " +
	"struct union if else for while do switch case default: goto break; continue; return x.xyzw .lo .s7 __global __constant " +
	"__local const volatile sizeof min( dot( vload4( convert_int4( as_float( get_global_id(0) 'a' \"str\" #define #if #endif")

// mutate changes text in a few places.
func mutate(r *rand.Rand, text string) string {
	b := []byte(text)
	for range 1 + r.Intn(4) {
		if len(b) < 2 {
			break
		}
		at := r.Intn(len(b))
		switch r.Intn(6) {
		case 0:
			b = b[:at]
		case 1:
			b = append(b[:at], b[min(at+1+r.Intn(12), len(b)):]...)
		case 2:
			w := " " + words[r.Intn(len(words))] + " "
			b = append(b[:at], append([]byte(w), b[at:]...)...)
		case 3:
			b[at] = byte(32 + r.Intn(95))
		case 4:
			n := min(r.Intn(40), len(b)-at)
			from := append([]byte(nil), b[at:at+n]...)
			to := r.Intn(len(b))
			b = append(b[:to], append(from, b[to:]...)...)
		case 5:
			end := min(at+r.Intn(8), len(b))
			w := words[r.Intn(len(words))]
			b = append(b[:at], append([]byte(w), b[end:]...)...)
		}
	}
	return string(b)
}

// TestMutations checks that the compiler panics on no text, and that compiled programs
// verify.
func TestMutations(t *testing.T) {
	files := sources(t, filepath.Join("..", "utest", "kernels"))
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	r := rand.New(rand.NewSource(1))
	compiled := 0
	for i := range 3000 {
		name := names[i%len(names)]
		text := mutate(r, files[name])
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("panic: %v\n%s", p, text)
				}
			}()
			m, err := clc.Compile(name, text, clc.Options{})
			if err != nil {
				return
			}
			compiled++
			for _, f := range m.Funcs {
				require.NoError(t, kernel.Verify(f), text)
			}
		}()
	}
	require.Positive(t, compiled)
}
