package utest

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// printing prints in divergent loops and branches, in a helper, and before and after a
// barrier.
const printing = `
void tell(size_t x, size_t y, int n) { printf("%d,%d: n %d\n", (int)x, (int)y, n); }

__kernel void show(__global int *out, int rounds) {
  size_t x = get_global_id(0), y = get_global_id(1);
  __local int sum[64];
  int n = (x * 7 + y * 3) % rounds;
  for (int i = 0; i < n; i++)
    if ((i + x) % 3 == 0)
      printf("%d,%d: round %d of %d %s\n", (int)x, (int)y, i, n, "odd");
  tell(x, y, n);
  sum[get_local_id(0) + get_local_id(1) * get_local_size(0)] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0 && get_local_id(1) == 0)
    printf("group %v2hld first %hhd %c %5.1f\n", (int2)(get_group_id(0), get_group_id(1)), (char)sum[0], 'a' + n, n / 2.0f);
  out[x + y * get_global_size(0)] = printf("%v4hhu|%s|%-3ld|\n", (uchar4)(x, y, n, 255), "text", (long)n);
}
`

// printed computes in Go the output of the kernel above for 10 by 3 work-items in groups
// of 4 by 2.
func printed(rounds int) string {
	var b bytes.Buffer
	for gy := range 2 {
		for gx := range 3 {
			for y := gy * 2; y < min(gy*2+2, 3); y++ {
				for x := gx * 4; x < min(gx*4+4, 10); x++ {
					n := (x*7 + y*3) % rounds
					for i := range n {
						if (i+x)%3 == 0 {
							fmt.Fprintf(&b, "%d,%d: round %d of %d odd\n", x, y, i, n)
						}
					}
					fmt.Fprintf(&b, "%d,%d: n %d\n", x, y, n)
					if x%4 == 0 && y%2 == 0 {
						fmt.Fprintf(&b, "group %d,%d first %d %c %5.1f\n", gx, gy, n, 'a'+n, float64(n)/2)
					}
					fmt.Fprintf(&b, "%d,%d,%d,255|text|%-3d|\n", x, y, n, n)
				}
			}
		}
	}
	return b.String()
}

// TestPrintf checks that every strategy prints the same, in the order of work-items.
func TestPrintf(t *testing.T) {
	var out bytes.Buffer
	p, err := simtc.Compile(printing, simtc.Options{Printf: &out, Threads: 2, Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("show")
	require.NoError(t, err)
	require.Len(t, k.Params(), 2)
	rng := simtc.NDRange(10, 3).WithLocal(4, 2)
	for _, w := range append(ways(t, k, false), simtc.Strategy{Target: simtc.Interpreter}) {
		if !runsHere(w.Target) {
			continue
		}
		k, err := k.With(w)
		require.NoError(t, err, w)
		out.Reset()
		buffer := make([]int32, 30)
		require.NoError(t, k.Launch(context.Background(), rng, buffer, int32(9)), w)
		require.Equal(t, printed(9), out.String(), w)
		require.Equal(t, make([]int32, 30), buffer)

		var other bytes.Buffer
		require.NoError(t, k.WithOutput(&other).Launch(context.Background(), rng, buffer, int32(5)))
		require.Equal(t, printed(5), other.String())
		require.NoError(t, k.WithOutput(nil).Launch(context.Background(), rng, buffer, int32(5)))
	}
	profile, err := k.Profile(context.Background(), rng, make([]int32, 30), int32(3))
	require.NoError(t, err)
	require.NotEmpty(t, profile.Lines)
}

// TestPrintfLost checks that records that do not fit in the buffer are counted and
// reported, and that their calls return -1.
func TestPrintfLost(t *testing.T) {
	var out bytes.Buffer
	p, err := simtc.Compile(`__kernel void f(__global int *out) { out[get_global_id(0)] = printf("%d\n", (int)get_global_id(0)); }`,
		simtc.Options{Debug: simtc.Debug{EmulateMissing: true}, Printf: &out, PrintfBytes: 24 * 10, Threads: 1})
	require.NoError(t, err)
	defer p.Close()
	for _, target := range simtc.Targets() {
		if !runsHere(target) {
			continue
		}
		k, err := p.Kernels()[0].With(simtc.Strategy{Target: target})
		require.NoError(t, err)
		out.Reset()
		got := make([]int32, 40)
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(40), got))
		require.Equal(t, "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\nprintf: 30 records lost; the buffer holds 240 bytes\n", out.String(), target)
		for i, x := range got {
			require.Equal(t, i >= 10, x == -1, target)
		}
	}
}

// TestPrintfFailing checks that a launch that fails prints the records written before.
func TestPrintfFailing(t *testing.T) {
	var out bytes.Buffer
	p, err := simtc.Compile(`__kernel void f(__global int *out) {
  int i = get_global_id(0);
  printf("before %d\n", i);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 3) return;
  barrier(CLK_GLOBAL_MEM_FENCE);
  printf("behind\n");
}`, simtc.Options{Debug: simtc.Debug{EmulateMissing: true}, Printf: &out, StrictBarriers: true})
	require.NoError(t, err)
	defer p.Close()
	for _, target := range simtc.Targets() {
		if !runsHere(target) {
			continue
		}
		k, err := p.Kernels()[0].With(simtc.Strategy{Target: target})
		require.NoError(t, err)
		out.Reset()
		require.Error(t, k.Launch(context.Background(), simtc.NDRange(4).WithLocal(4), make([]int32, 4)), target)
		for i := range 4 {
			require.Contains(t, out.String(), fmt.Sprintf("before %d\n", i), target)
		}
	}
}

// TestPrintfBeyondFormat checks that arguments beyond the format are evaluated and
// ignored, with a warning.
func TestPrintfBeyondFormat(t *testing.T) {
	var out bytes.Buffer
	const source = "__kernel void f(__global int *p) {\n  printf(\"%d\\n\", 1, ++p[0], \"text\");\n  printf(\"x\\n\", p[0] += 10);\n}"
	p, err := simtc.Compile(source, simtc.Options{Debug: simtc.Debug{EmulateMissing: true}, Printf: &out, File: "beyond.cl"})
	require.NoError(t, err)
	defer p.Close()
	const says = "printf: no conversion takes this argument; it is evaluated and ignored"
	require.Equal(t, []simtc.Diagnostic{
		{File: "beyond.cl", Line: 2, Column: 21, Message: says}, {File: "beyond.cl", Line: 2, Column: 29, Message: says},
		{File: "beyond.cl", Line: 3, Column: 22, Message: says},
	}, p.Warnings())
	got := []int32{5}
	require.NoError(t, p.Kernels()[0].Launch(context.Background(), simtc.NDRange(1), got))
	require.Equal(t, "1\nx\n", out.String())
	require.Equal(t, []int32{16}, got)
	_, err = simtc.Compile(source, simtc.Options{File: "beyond.cl", BuildOptions: "-Werror"})
	require.ErrorContains(t, err, "beyond.cl:2:21: "+says)
}

// TestPrintfStrings checks that %s prints strings known only at run time: in buffers, in
// program data and in private memory.
func TestPrintfStrings(t *testing.T) {
	var out bytes.Buffer
	p, err := simtc.Compile(`__constant char word[] = "word";
__constant char *__constant names[3] = { "zero", "one", "" };
void say(__constant char *s, int i) { printf("%d %s\n", i, s); }
__kernel void f(__constant char *text, __global uchar *g) {
  int i = get_global_id(0);
  char own[12];
  for (int j = 0; j <= i; j++) own[j] = j < i ? 'a' + j : 0;
  printf("%s|%s|%-6s|%6s|%.2s|%s|%.3s|%s\n", i & 1 ? "odd" : "even", names[i % 3], names[i % 3], word, names[1 - i % 2], text + i, g, own);
  say(text, i);
  if (i == 3) say(i & 1 ? word : names[0], i);
}`, simtc.Options{Printf: &out, Threads: 2, Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
	require.NoError(t, err)
	defer p.Close()
	require.Empty(t, p.Warnings())
	const text, alphabet = "a text longer than eight bytes", "abcdefghijk"
	names := []string{"zero", "one", ""}
	var want bytes.Buffer
	for i := range 11 {
		name := names[i%3]
		fmt.Fprintf(&want, "%s|%s|%-6s|%6s|%.2s|%s|%.3s|%s\n", []string{"even", "odd"}[i%2], name, name, "word", names[1-i%2], text[i:], "xyz", alphabet[:i])
		fmt.Fprintf(&want, "%d %s\n", i, text)
		if i == 3 {
			fmt.Fprintf(&want, "3 word\n")
		}
	}
	for _, w := range valueWays(t.Name()) {
		if !runsHere(w.Target) {
			continue
		}
		k, err := p.Kernels()[0].With(w)
		require.NoError(t, err)
		out.Reset()
		require.NoError(t, k.Launch(context.Background(), simtc.NDRange(11), append([]byte(text), 0), []byte("xyz")), w)
		require.Equal(t, want.String(), out.String(), w)
	}
}

// TestPrintfNull prints a null pointer that is known as a string.
func TestPrintfNull(t *testing.T) {
	p, err := simtc.Compile(`__kernel void k(__global int *p) { printf("%s|%8s|%.3s\n", (void *)0, (__global char *)0, (__constant char *)0); }`, simtc.Options{Debug: simtc.Debug{EmulateMissing: true}})
	require.NoError(t, err)
	defer p.Close()
	for _, w := range halfWays(t) {
		k, err := p.Kernel("k")
		require.NoError(t, err)
		k, err = k.With(w)
		require.NoError(t, err)
		var out bytes.Buffer
		require.NoError(t, k.WithOutput(&out).Launch(context.Background(), simtc.NDRange(2), []int32{0}), w)
		require.Equal(t, "(null)|  (null)|(nu\n(null)|  (null)|(nu\n", out.String(), w)
	}
}

func TestPrintfErrors(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		{`printf("%d\n")`, "3:8: printf: there is no argument for '%d'"},
		{`printf("%s\n", 3)`, "3:16: printf: '%s' wants a string, not int"},
		{`printf("%s\n", (__constant int *)p)`, "3:16: printf: '%s' wants a string, not pointer"},
		{`printf("%v4hlf\n", (float2)(1))`, "3:20: printf: '%v4hlf' wants a vector of 4 components, not float2"},
		{`printf("%q\n", 1)`, "3:8: printf: unknown conversion '%q'"},
		{`printf(p)`, "the format of printf must be a string literal"},
		{`printf(1)`, "the format must be a string literal"},
		{`printf()`, "it takes a format"},
		{`struct { int a; } s; printf("%d", s)`, "argument 2 cannot be printed"},
	} {
		_, err := simtc.Compile("__kernel void f(__constant char *p) {\n\n"+c.call+"; }", simtc.Options{})
		require.Error(t, err, c.call)
		require.Contains(t, err.Error(), c.want, c.call)
	}
	var out bytes.Buffer
	p, err := simtc.Compile(`__constant char format[] = "%d %s\n"; __constant char word[] = "word";
__kernel void f() { printf(format, 3, word); printf((__constant char *)"%d %f %ld\n", 2.5f, 3, (half *)0 == 0); }`, simtc.Options{Printf: &out})
	require.NoError(t, err)
	defer p.Close()
	require.NoError(t, p.Kernels()[0].Launch(context.Background(), simtc.NDRange(1)))
	require.Equal(t, "3 word\n2 3.000000 1\n", out.String())
}
