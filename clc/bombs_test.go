package clc_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
)

// TestBombs compiles small programs that expand to very large ones. Each must give an
// error that names the oversized construct and its size, and must allocate less memory
// than a bound before that.
func TestBombs(t *testing.T) {
	inKernel := func(body string) string {
		return "kernel void k(global int *p) {\n  int i = get_global_id(0);\n  " + body + "\n}\n"
	}
	nested := func(open, middle, close string, n int) string {
		return inKernel(strings.Repeat(open, n) + middle + strings.Repeat(close, n))
	}
	each := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	const deep = 25_000
	for name, c := range map[string]struct {
		text, want string
		megabytes  uint64 // 0 means 200
	}{
		"private array":            {text: inKernel("int a[1 << 30]; a[i] = 1; p[i] = a[p[i]];"), want: "3:7: 'a' has 4294967296 bytes, which with the private variables before it is more than 67108864"},
		"private arrays":           {text: inKernel("int a[1 << 23], b[1 << 23], c[1 << 23]; a[i] = b[i] = c[i] = 1; p[i] = a[p[i]] + b[p[i]] + c[p[i]];"), want: "3:31: 'c' has 33554432 bytes"},
		"array of 2^62":            {text: inKernel("char a[1UL << 62];"), want: "3:9: the array is too large (4611686018427387904 elements of 1 bytes)"},
		"array of arrays":          {text: inKernel("int a[1 << 20][1 << 20][1 << 20];"), want: "the array is too large (1048576 elements of 4194304 bytes)"},
		"private designator":       {text: inKernel("int a[] = {[1000000000] = 1}; p[i] = a[i];"), want: "3:7: 'a' has 4000000004 bytes"},
		"union":                    {text: "union u { int a[1 << 28]; char c; };\n" + inKernel("union u u; u.c = i; p[i] = u.a[p[i]];"), want: "4:11: 'u' has 1073741824 bytes"},
		"local array":              {text: inKernel("local int a[1 << 30]; a[i] = 1; p[i] = a[p[i]];"), want: "3:13: 'a' and the local variables before it have more than 67108864 bytes"},
		"constant array":           {text: "constant int a[200000000] = {1};\n" + inKernel("p[i] = a[i];"), want: "1:14: 'a' and the constants before it have more than 268435456 bytes"},
		"constant designator":      {text: "constant int a[] = {[1000000000] = 1};\n" + inKernel("p[i] = a[i];"), want: "1:14: 'a' and the constants before it have more than 268435456 bytes"},
		"range of designators":     {text: "constant int a[] = {[0 ... 1000000000] = 1};\n" + inKernel("p[i] = a[i];"), want: "1:14: 'a' and the constants before it have more than 268435456 bytes"},
		"ranges in ranges":         {text: "constant int a[10000][10000] = {[0 ... 9999] = {[0 ... 9999] = 1}};\n" + inKernel("p[i] = a[i][0];"), want: "1:48: ranges of designators inside one another are not supported"},
		"designator of 2^64":       {text: "constant int a[] = {[0xFFFFFFFFFFFFFFFFUL] = 1};\n", want: "1:22: an array index is too large"},
		"doubled structs":          {text: "struct s0 { int a, b; };\n" + each(40, func(i int) string { return fmt.Sprintf("struct s%d { struct s%d a, b; };\n", i+1, i) }), want: "is too large"},
		"alignment":                {text: inKernel("int a[4] __attribute__((aligned(1 << 30)));"), want: "an alignment must be a power of two up to 1048576, not 1073741824"},
		"parentheses":              {text: nested("(", "i", ")", deep), want: "nesting is deeper than 1000 levels"},
		"blocks":                   {text: nested("{", "", "}", deep), want: "nesting is deeper than 1000 levels"},
		"ifs":                      {text: nested("if (p[i]) ", "p[i] = 1;", "", deep), want: "nesting is deeper than 1000 levels"},
		"loops":                    {text: nested("do ", ";", " while (p[i]);", deep), want: "nesting is deeper than 1000 levels"},
		"else ifs":                 {text: inKernel("if (i) ;" + strings.Repeat(" else if (i) ;", deep)), want: "more than 20000 operators or labels in a row"},
		"unary operators":          {text: nested("p[i] = ", strings.Repeat("- ", deep)+"i;", "", 1), want: "nesting is deeper than 1000 levels"},
		"casts":                    {text: nested("p[i] = ", strings.Repeat("(int)", deep)+"i;", "", 1), want: "nesting is deeper than 1000 levels"},
		"conditional operators":    {text: nested("p[i] = ", strings.Repeat("i ? 1 : ", deep)+"0;", "", 1), want: "nesting is deeper than 1000 levels"},
		"sums":                     {text: nested("p[i] = ", strings.Repeat("i + ", deep)+"0;", "", 1), want: "more than 20000 operators or labels in a row"},
		"subscripts":               {text: nested("", strings.Repeat("p[", deep)+"i"+strings.Repeat("]", deep)+";", "", 1), want: "nesting is deeper than 1000 levels"},
		"calls":                    {text: nested("abs(", "i", ")", deep), want: "nesting is deeper than 1000 levels"},
		"assignments":              {text: nested("i = ", "1;", "", deep), want: "nesting is deeper than 1000 levels"},
		"statement expressions":    {text: nested("({", "i;", "});", deep), want: "nesting is deeper than 1000 levels"},
		"initializers":             {text: inKernel("int a = " + strings.Repeat("{", deep) + "1" + strings.Repeat("}", deep) + ";"), want: "nesting is deeper than 1000 levels"},
		"pointers":                 {text: inKernel("int " + strings.Repeat("*", deep) + "a;"), want: "more than 1000 pointers in a declarator"},
		"dimensions":               {text: inKernel("int a" + strings.Repeat("[1]", deep) + ";"), want: "more than 1000 derivations in a declarator"},
		"declarators":              {text: inKernel("int " + strings.Repeat("(", deep) + "a;"), want: "nesting is deeper than 1000 levels"},
		"parameters of parameters": {text: "int f" + strings.Repeat("(int x", deep) + strings.Repeat(")", deep) + ";", want: "nesting is deeper than 1000 levels"},
		"structs in structs":       {text: strings.Repeat("struct {", deep), want: "nesting is deeper than 1000 levels"},
		"typeof":                   {text: inKernel(strings.Repeat("__typeof__(", deep) + "int" + strings.Repeat(")", deep) + " a;"), want: "nesting is deeper than 1000 levels"},
		"labels":                   {text: inKernel(each(deep, func(i int) string { return fmt.Sprintf("l%d:", i) }) + ";"), want: "more than 20000 operators or labels in a row"},
		"macros":                   {text: each(40, func(i int) string { return fmt.Sprintf("#define A%d A%d A%[2]d\n", i, i+1) }) + "A0\n", want: "41:1: the expansion of macro 'A39' takes more than 2000000 tokens", megabytes: 1000},
		"arguments of macros":      {text: "#define F(x) x x\n" + strings.Repeat("F(", 40) + "1" + strings.Repeat(")", 40) + "\n", want: "the expansion of macro 'F' takes more than 2000000 tokens", megabytes: 500},
		"long cycle": {text: each(5000, func(i int) string {
			return fmt.Sprintf("int f%d(int x);\nint f%d(int x) { return f%[1]d(x); }\n", (i+1)%5000, i)
		}) + inKernel("p[i] = f0(i);"), want: "recursion is not supported: this call of 'f0' closes a cycle"},
		"calls of calls":    {text: "int f0(int x) { return x * 3; }\n" + each(40, func(i int) string { return fmt.Sprintf("int f%d(int x) { return f%d(x) + f%[2]d(x + 1); }\n", i+1, i) }) + inKernel("p[i] = f40(i);"), want: "kernel 'k' becomes too large: more than 4194304 operators after inlining 'f40'"},
		"statements":        {text: inKernel("double16 v = p[i];\n" + strings.Repeat("v = v * v + p[i];\n", 40_000)), want: "kernel 'k' becomes too large: more than 1048576 operations", megabytes: 2000},
		"work-group":        {text: "kernel void __attribute__((reqd_work_group_size(4294967296, 1, 1))) k() { }", want: "a work-group size must be from 1 to 2147483647, not 4294967296"},
		"width of a number": {text: inKernel(`printf("%1000000000d", i);`), want: "printf: a width or precision above 4096"},
		"long number":       {text: "#if " + strings.Repeat("9", 1_000_000) + "\n#endif\n", want: "integer constant"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := clc.Compile("in.cl", c.text, clc.Options{})
			runtime.ReadMemStats(&after)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "in.cl:")
			require.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, max(c.megabytes, 200), "megabytes")
			require.Less(t, len(err.Error()), 3_000_000)
		})
	}
}

// TestLargeAndValid compiles programs that resemble those of TestBombs but are valid.
func TestLargeAndValid(t *testing.T) {
	for _, body := range []string{
		"switch (i) { case 0 ... 2000000000: p[i] = 1; break; case -5: p[i] = 2; }",
		"switch ((long)i) { case 0 ... 0x7fffffffffffffff: p[i] = 1; break; case -5: p[i] = 2; }",
		"int a[] = {[1000000] = 1}; p[i] = a[i];",
		"#pragma unroll 1000000000\nfor (int j = 0; j < 1000000000; j++) p[i] += j;",
		"p[i] = 1 << 1000000000000; p[i] += 1L << (-5);",
		"p[i] = " + strings.Repeat("i + ", 10_000) + "1;",
		strings.Repeat("\\\n", 100_000) + "p[i] = 1;",
		"int " + strings.Repeat("a", 1_000_000) + " = 1;",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := clc.Compile("in.cl", "kernel void k(global int *p) {\n  int i = get_global_id(0);\n  "+body+"\n}\n", clc.Options{})
		runtime.ReadMemStats(&after)
		require.NoError(t, err)
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(200))
	}
}
