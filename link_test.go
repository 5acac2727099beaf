package simtc_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// linked compiles sources that are separated by lines "== NAME", the first as the program's.
func linked(text string, opt simtc.Options) (*simtc.Program, error) {
	first := ""
	for i, part := range strings.Split(text, "== ")[1:] {
		name, source, _ := strings.Cut(part, "\n")
		if i == 0 {
			opt.File, first = name, source
			continue
		}
		opt.Sources = append(opt.Sources, simtc.Source{File: name, Text: source})
	}
	return simtc.Compile(first, opt)
}

// TestLinkedSources checks that a declaration in one source refers to the definition in another,
// and that static names, macros and pragmas are local to a source.
func TestLinkedSources(t *testing.T) {
	const text = `== a.cl
#pragma OPENCL FP_CONTRACT OFF
#define N 3
typedef struct { float x; int n; } item;
struct list { global struct list *next; int v; };
float scale(item it, const int *k);
item make(int n);
extern int shared;
extern int table[];
extern global struct list head;
extern __constant float halves[2];
int __attribute__((overloadable)) pick(int x);
int __attribute__((overloadable)) pick(float x);
static int helper(int a) { return a + N; }
static int own = 100;
typedef int number;
inline int one(void) { return 1; }
kernel void k(global float *o, global int *p) {
  int i = get_global_id(0);
  o[i] = scale(make(i), &shared) + halves[i & 1];
  p[i] = helper(i) + own + table[i & 3] + pick(i) + pick(2.5f) + head.next->v + (number)1.5f + one();
  own += !i;
}
== b.cl
#ifdef N
#error macros of other sources
#endif
typedef struct { float x; int n; } item;
struct list { global struct list *next; int v; };
static int helper(int a) { return a * 1000; }
static int own = 7;
typedef float number;
int shared = 5;
int table[4] = { 1, 2, 3, 4 };
global struct list tail = { 0, 40 }, head = { &tail, 30 };
__constant float halves[2] = { 0.5f, 0.25f };
inline int one(void) { return 2; }
item make(int n) { item it = { n + (number)0.5f, n }; return it; }
float scale(item it, const int *k) { return it.x * 2 + helper(it.n) + own + *k + one(); }
== c.cl
int __attribute__((overloadable)) pick(int x) { return 2 * x; }
int __attribute__((overloadable)) pick(float x) { return x * 4; }
kernel void other(global int *p) { p[0] = 9; }
`
	p, err := linked(text, simtc.Options{Std: "2.0", Debug: simtc.Debug{Verify: true}})
	require.NoError(t, err)
	defer p.Close()
	require.Len(t, p.Kernels(), 2)
	k, err := p.Kernel("k")
	require.NoError(t, err)
	for _, w := range waysOf(t) {
		v, err := k.With(w)
		require.NoError(t, err)
		require.NoError(t, p.Reset(context.Background()))
		o, ints := make([]float32, 3), make([]int32, 3)
		require.NoError(t, v.Launch(context.Background(), simtc.NDRange(1), o, ints))
		require.NoError(t, v.Launch(context.Background(), simtc.NDRange(2).WithOffset(1), o, ints))
		require.Equal(t, []float32{1 + 0 + 7 + 5 + 2 + 0.5, 3 + 1000 + 7 + 5 + 2 + 0.25, 5 + 2000 + 7 + 5 + 2 + 0.5}, o, "%v", w)
		require.Equal(t, []int32{3 + 100 + 1 + 0 + 10 + 40 + 1 + 1, 4 + 101 + 2 + 2 + 10 + 40 + 1 + 1, 5 + 101 + 3 + 4 + 10 + 40 + 1 + 1}, ints, "%v", w)
	}
	for _, file := range []string{"a.cl", "b.cl", "c.cl"} {
		source, ok := p.Source(file)
		require.True(t, ok)
		require.Contains(t, text, source)
	}
	profile, err := k.Profile(context.Background(), simtc.NDRange(1), make([]float32, 1), make([]int32, 1))
	require.NoError(t, err)
	lines := map[string]bool{}
	for _, l := range profile.Lines {
		lines[l.File] = true
	}
	require.Equal(t, map[string]bool{"a.cl": true, "b.cl": true, "c.cl": true}, lines)
}

// TestLinkErrors checks that conflicting declarations and definitions are reported with both locations.
func TestLinkErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"== a.cl\nint f(void) { return 1; }\n== b.cl\n\nint f(void) { return 2; }",
			"b.cl:2:5: function 'f' is defined twice\na.cl:1:5: note: first defined here"},
		{"== a.cl\nkernel void f(global int *p) { }\n== b.cl\nkernel void f(global float *p) { }",
			"b.cl:1:13: function 'f' is defined twice\na.cl:1:13: note: first defined here"},
		{"== a.cl\nint n = 1;\n== b.cl\nint n;",
			"b.cl:1:5: 'n' is defined twice\na.cl:1:5: note: first defined here"},
		{"== a.cl\n__constant int n = 1;\n== b.cl\n__constant int n = 1;",
			"b.cl:1:16: 'n' is defined twice\na.cl:1:16: note: first defined here"},
		{"== a.cl\nint n = 1;\n== b.cl\nint n(void) { return 1; }",
			"b.cl:1:5: 'n' is a function here, and a variable in another source\na.cl:1:5: note: defined here"},
		{"== a.cl\nextern float n;\n== b.cl\nint n = 1;",
			"a.cl:1:14: 'n' is declared as '__global float n', and defined as '__global int n'\nb.cl:1:5: note: defined here"},
		{"== a.cl\nextern __constant int n;\n== b.cl\nint n = 1;",
			"a.cl:1:23: 'n' is declared as '__constant int n', and defined as '__global int n'\nb.cl:1:5: note: defined here"},
		{"== a.cl\nextern int n[3];\n== b.cl\nint n[4];",
			"a.cl:1:12: 'n' is declared as '__global int n[3]', and defined as '__global int n[4]'\nb.cl:1:5: note: defined here"},
		{"== a.cl\nint f(float x); kernel void k(global int *p) { p[0] = f(1); }\n== b.cl\nint f(int x) { return x; }",
			"a.cl:1:5: function 'f' is declared with other parameters than it is defined with\nb.cl:1:5: note: defined here"},
		{"== a.cl\nfloat f(int x); kernel void k(global int *p) { p[0] = f(1); }\n== b.cl\nint f(int x) { return x; }",
			"a.cl:1:7: function 'f' is declared with result 'float', and defined with 'int'\nb.cl:1:5: note: defined here"},
		{"== a.cl\nstruct s { int a; }; int f(struct s x); kernel void k(global int *p) { struct s x; p[0] = f(x); }\n== b.cl\nstruct s { float a; }; int f(struct s x) { return x.a; }",
			"a.cl:1:26: function 'f' is declared with other parameters than it is defined with\nb.cl:1:28: note: defined here"},
		{"== a.cl\nint f(int x); kernel void k(global int *p) { p[0] = f(1); }\n== b.cl\nstatic int f(int x) { return x; }",
			"a.cl:1:53: function 'f' is called but has no body\na.cl:1:5: note: declared here"},
		{"== a.cl\nint g(int x); int f(int x) { return g(x); }\n== b.cl\nint f(int x);\nint g(int x) { return f(x); }",
			"a.cl:1:37: recursion is not supported: this call of 'g' closes a cycle\nb.cl:2:23: note: 'g' calls 'f' here"},
		{"== a.cl\nextern int n; kernel void k(global int *p) { p[0] = n; }\n== b.cl\nstatic int n = 1;",
			"a.cl:1:12: 'n' is declared extern but never defined"},
		{"== a.cl\nint x = ;\n== b.cl\nint y = z;",
			"a.cl:1:9: expected an expression, found ';'\nb.cl:1:9: undeclared identifier 'z'"},
		{"== a.cl\nint x;\n== a.cl\nint y;", `sources need distinct names: "a.cl" is empty or used twice`},
		{"== a.cl\nint x;\n== b.simt\n", "a.cl and b.simt: kernel IR is not linked with other sources"},
	} {
		_, err := linked(c.text, simtc.Options{Std: "2.0"})
		require.EqualError(t, err, c.want, c.text)
	}
}

// TestNoKernel checks that sources without kernels compile to empty output.
func TestNoKernel(t *testing.T) {
	for _, source := range []string{"", "int f(void) { return 1; }", "__constant int n = 3;"} {
		p := compile(t, source, simtc.Options{})
		require.Empty(t, p.Kernels())
		_, err := p.Kernel("")
		require.EqualError(t, err, "kernel.cl has no kernel")
		for _, kind := range simtc.EmitKinds() {
			_, err := p.Emit(kind.Name)
			require.NoError(t, err, "%q as %s", source, kind.Name)
		}
	}
}
