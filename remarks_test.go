package simtc

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/remarks"
)

// remarkCounts counts remarks by kind, and by kind and line.
type remarkCounts map[string]int

func index(rs []Remark) remarkCounts {
	s := remarkCounts{}
	for _, r := range rs {
		s[r.Kind] += r.Count
		s[fmt.Sprintf("%s %s:%d", r.Kind, r.File, r.Line)] += r.Count
	}
	return s
}

func (s remarkCounts) at(kind, file string, line int) int {
	return s[fmt.Sprintf("%s %s:%d", kind, file, line)]
}

// The choice of a width is reported. If it is a single work-item, the other remarks still
// describe several lanes.
func TestRemarksOfTheChoice(t *testing.T) {
	for path, wide := range map[string]bool{"examples/mandelbrot.cl": true, "utest/bench/kernels/bytecode.cl": false} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		p, err := Compile(string(text), Options{Strategy: Strategy{Target: VIR}, File: path})
		require.NoError(t, err)
		k := p.Kernels()[0]
		w, err := k.Width()
		require.NoError(t, err)
		require.Equal(t, wide, w > 1, path)
		rs, err := p.Remarks()
		require.NoError(t, err)
		s := index(rs)
		require.Equal(t, 1, s[remarks.Width])
		require.Positive(t, s[remarks.Divergent]+s[remarks.DivergentLoop])
		for _, r := range rs {
			if r.Kind == remarks.Width {
				require.Equal(t, w, r.Width)
				require.Contains(t, r.Text, fmt.Sprintf("width %d", w))
				require.Equal(t, wide, r.Help == "")
			} else if !wide {
				require.Greater(t, r.Width, 1)
			}
		}
		require.NoError(t, p.Close())
	}
}

// Spills in a loop are reported at its lines, and unrolled loops are reported.
func TestRemarksOfCode(t *testing.T) {
	const n = 50
	var names, sum []string
	var body strings.Builder
	for i := range n {
		names = append(names, fmt.Sprintf("a%d = x[%d * n + i]", i, i))
		sum = append(sum, fmt.Sprintf("a%d", i))
		fmt.Fprintf(&body, "    a%d = a%d * a%d + 1;\n", i, i, (i+7)%n)
	}
	source := "kernel void k(global float *out, global const float *x, int n) {\n  int i = get_global_id(0);\n  float " +
		strings.Join(names, ", ") + ";\n  for (int j = 0; j < n; j++) {\n" + body.String() +
		"  }\n  float s = " + strings.Join(sum, " + ") + ";\n  for (int j = 0; j < 3; j++)\n    s += out[i + j * n];\n  out[i] = s;\n}\n"
	p, err := Compile(source, Options{Strategy: Strategy{Target: AVX512, Width: 16, Linearizer: Partial, Bypass: BypassNone}, File: "k.cl"})
	require.NoError(t, err)
	defer p.Close()
	rs, err := p.Remarks()
	require.NoError(t, err)
	inLoop := 0
	for _, r := range rs {
		switch r.Kind {
		case remarks.Width:
			t.Errorf("the width was given, not chosen: %s", r)
		case remarks.Unrolled:
			require.Equal(t, "k.cl:57:21: remark: [unrolled] loop unrolled into 3 iterations", r.String())
		case remarks.Spill:
			if r.Line > 1 {
				require.True(t, r.Line >= 4 && r.Line <= 5+n, "%s", r)
				require.NotEmpty(t, r.Help)
				inLoop++
			}
		}
	}
	require.Positive(t, inLoop)
	require.Equal(t, 1, index(rs)[remarks.Unrolled])
	for _, target := range []string{WASM, VIR, Interpreter} {
		k, err := p.Kernels()[0].With(Strategy{Target: target, Linearizer: Partial})
		require.NoError(t, err)
		rs, err := k.Remarks()
		require.NoError(t, err)
		require.Equal(t, target == Interpreter, len(rs) == 0, target)
		require.Zero(t, index(rs)[remarks.Spill], target)
	}
}

// Remarks and dumps of an irreducible kernel that runs one work-item at a time describe its
// vector form with block IPs.
func TestDivergenceOfIrreducibleKernels(t *testing.T) {
	const duff = `kernel void duff(global uint *o, global uint *t)
{
	uint g = get_global_id(0), c = o[g], n = (c & 31u) + 1u, h = c, r = (n + 3u) / 4u;
	switch (n % 4u) {
	case 0: do { h = h * 3u + 1u;
	case 3:      h ^= atomic_inc(&t[h >> 22]);
	case 2:      h += atomic_xor(&t[h & 1023], h);
	case 1:      h = atomic_add(&t[(h << 3 | h >> 29) & 1023], h);
		} while (--r > 0u);
	}
	o[g] = h;
}
`
	p, err := Compile(duff, Options{Strategy: Strategy{Target: WASM}, File: "duff.cl", Processor: Zen4})
	require.NoError(t, err)
	k, err := p.Kernel("duff")
	require.NoError(t, err)
	width, err := k.Width()
	require.NoError(t, err)
	require.Equal(t, 1, width, "the test needs a kernel for which no vectors are chosen")
	rs, err := k.Remarks()
	require.NoError(t, err)
	s := index(rs)
	require.Positive(t, s[remarks.Irreducible])
	require.Positive(t, s[remarks.DivergentLoop])
	for _, kind := range []string{"joins", "divergence", "dot"} {
		text, err := k.Emit(kind)
		require.NoError(t, err, kind)
		require.NotEmpty(t, text, kind)
	}
	partial, err := k.With(Strategy{Target: WASM, Linearizer: Partial})
	require.NoError(t, err)
	_, err = partial.Remarks()
	require.NoError(t, err, "a kernel restricted to one lane has remarks about it")
}

// A load shared by two melded arms names the objects of both.
func TestRemarksOfMeldedPointers(t *testing.T) {
	p, err := Compile(`kernel void lookup(global const float *ta, global const float *tb, global const uint *q, global float *out)
{
	uint i = get_global_id(0), k = q[i], idx = k & 1023;
	float t = (k >> 8) & 255, v;
	if (k >> 31) {
		float l = ta[idx], r = ta[idx + 1];
		v = l + (r - l) * t;
	} else {
		float l = tb[idx], r = tb[idx + 1];
		v = l + (r - l) * t;
	}
	out[i] = v;
}
`, Options{Strategy: Strategy{Target: AVX512, Width: 16}, File: "lookup.cl", Processor: Zen4})
	require.NoError(t, err)
	rs, err := p.Remarks()
	require.NoError(t, err)
	require.Positive(t, index(rs)[remarks.Melded])
	require.True(t, slices.ContainsFunc(rs, func(r Remark) bool {
		return r.Kind == remarks.Gather && strings.Contains(r.Text, "from `ta or tb`")
	}), "%v", rs)
}

// remarksOf returns the remarks about the only kernel of a source, printed and as values.
func remarksOf(t *testing.T, source string, opt Options) (string, []Remark) {
	t.Helper()
	opt.File = "k.cl"
	if opt.Target == "" {
		opt.Target = VIR
	}
	p, err := Compile(source, opt)
	require.NoError(t, err)
	defer p.Close()
	rs, err := p.Remarks()
	require.NoError(t, err)
	return p.FormatRemarks(rs), rs
}

// Operations that replace a division are described as the division.
func TestRemarksOfReplacedDivisions(t *testing.T) {
	text, _ := remarksOf(t, `kernel void k(global const int *a, global int *o, int n)
{
	int i = get_global_id(0);
	o[i] = a[(i * 7) % 1000];
	o[i + n] = a[(i * n + 2) / 24];
	uint u = (uint)i * 13;
	if (u % 12 == 0)
		o[i + 2 * n] = a[u % 48];
}
`, Options{Strategy: Strategy{Width: 16}})
	for _, want := range []string{
		"the index `(i * 7) % 1000` differs", "k.cl:4:19: `(i * 7) % 1000` comes from `i * 7`, which is strided across lanes, but `(i * 7) % 1000` need not be\n",
		"the index `(i * n + 2) / 24` differs", "`u % 12 == 0` differs between lanes", "the index `u % 48` differs",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "mulhi(")
}

// Without a loop in the source no spills are attributed to iterations.
func TestRemarksOfSpillsAroundGroups(t *testing.T) {
	_, rs := remarksOf(t, `kernel void k(global const int *a, global int *o, global const int *par, int m)
{
	int g = get_group_id(0), l = get_local_id(0), i = get_global_id(0);
	int op = par[g], x = a[i];
	if (l < m) x = a[(i + op) & 1023] * op + l;
	o[i] = x;
}
`, Options{Strategy: Strategy{Target: AVX512, Width: 64}})
	spills := 0
	for _, r := range rs {
		if r.Kind == remarks.Spill {
			require.Contains(t, r.Text, "outside of the kernel's own loops")
			require.NotEmpty(t, r.Help)
			spills++
		}
	}
	require.Equal(t, 1, spills)
}

// Iterations that run as lanes are not reported as SLP groups, even if the original loop runs
// the remainder.
func TestRemarksOfGatheredSums(t *testing.T) {
	text, _ := remarksOf(t, `kernel void spmv(global const int *row, global const int *col, global const int *val, global const int *x, global int *y)
{
	int i = get_global_id(0), s = 0;
	for (int k = row[i]; k < row[i + 1]; k++)
		s += val[k] * x[col[k]];
	y[i] = s;
}
`, Options{Strategy: Strategy{Target: AVX512, Width: 1}, NoAlias: true, Processor: Zen4})
	require.Contains(t, text, "k.cl:5:11: remark: [iterations] loop vectorized: 4 iterations run as lanes; irregular accesses are loaded element by element")
	require.NotContains(t, text, "[packed]")
}

// Accesses in copies of code, with and without masks, are counted once; accesses at several
// positions have separate remarks.
func TestRemarksCountOneCopy(t *testing.T) {
	for _, b := range []string{BypassNone, BypassZeros, BypassOnes, BypassBoth} {
		_, rs := remarksOf(t, `kernel void u(global const int *a, global int *o)
{
	int i = get_global_id(0), s = 0;
	for (int k = 0; k < 4; k++)
		s += a[k * 64 + (i ^ 1)];
	o[i] = s;
}
`, Options{Strategy: Strategy{Width: 16, Linearizer: Partial, Bypass: b}})
		require.Equal(t, 4, index(rs).at(remarks.Gather, "k.cl", 5), b)
	}
}

// Accesses at one source position, as in a macro, have separate reasons.
func TestRemarksOfAccessesOfOneMacro(t *testing.T) {
	text, _ := remarksOf(t, `#define AT(p, k) ((p)[(k) * 3] + (p)[(k) & 7] + (p)[(k) % 5])
kernel void k(global const int *a, global int *o)
{
	int i = get_global_id(0);
	o[i] = AT(a, i);
}
`, Options{Strategy: Strategy{Width: 16, Linearizer: Partial, Bypass: BypassNone}})
	for _, want := range []string{
		"neighbouring lanes are 12 bytes apart", "the index `i & 7` differs irregularly", "the index `i % 5` differs irregularly",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "2 gathers")
}

// Accesses that are strided away from boundaries have the reasons of those at boundaries, in
// terms of the source; accesses in both versions are counted once.
func TestRemarksOfBorders(t *testing.T) {
	text, rs := remarksOf(t, `kernel void k(global const int *a, global int *o, int w)
{
	int i = get_global_id(0);
	o[min(i, w)] = 1;
	o[i * 9] = 7;
	o[i > 3 ? i : w] = 11;
	o[max(i - 7, 5)] = a[(i + 1) & 255];
}
`, Options{Strategy: Strategy{Width: 16, Linearizer: Partial, Bypass: BypassNone}})
	for _, want := range []string{
		"the index `min(i, w)` differs", "the index `i > 3 ? i : w` differs", "the index `max(i - 7, 5)` differs", "the index `(i + 1) & 255` differs",
		"k.cl:6:6: `i > 3` comes from `i`",
		"the condition is a vote of all lanes, which depends on `w` and `get_global_id(0)`",
	} {
		require.Contains(t, text, want)
	}
	for line := 4; line <= 7; line++ {
		require.Equal(t, 1, index(rs).at(remarks.Scatter, "k.cl", line), "line %d", line)
	}
}

// Sub-group and work-group functions are named as in the source, and so are their internal
// objects; only the exchange of values makes a condition on their results uniform.
func TestRemarksOfGroupFunctions(t *testing.T) {
	text, _ := remarksOf(t, `kernel void k(global const int *a, global int *o)
{
	int i = get_global_id(0);
	if (get_sub_group_local_id() == 3) o[i] = 1;
	int s = sub_group_reduce_add(a[i]);
	if (s > 3) o[i] += s;
	int w = work_group_scan_inclusive_add(a[i]);
	if (w > 9) o[w] = 3;
	int b = sub_group_broadcast(a[i], 2);
	if (b > 7) o[i] ^= b;
	int h = work_group_broadcast(a[i], 1);
	if (h > 3) o[i] ^= h;
	int l = work_group_all(a[i] > 5);
	if (l) o[i] ^= l;
}
`, Options{Strategy: Strategy{Width: 16, Linearizer: Partial}, Std: "CL2.0"})
	for _, want := range []string{
		"`get_sub_group_local_id() == 3` differs between lanes",
		"k.cl:6:8: remark: [kept] uniform branch kept: the condition is uniform, as it depends only on values exchanged between lanes in line 5",
		"k.cl:10:8: remark: [kept] uniform branch kept: the condition is uniform, as it depends only on values exchanged between lanes in line 9",
		"from the values of other lanes", "`work_group_scan_inclusive_add` is stored to once",
	} {
		require.Contains(t, text, want)
	}
	for _, not := range []string{"k.cl:4:6:", "`()", "``", "0 bytes apart", "`sum`", "`y`", "`x`", "`one`", "`none`", "`here`"} {
		require.NotContains(t, text, not)
	}
}

// Atomic accesses that serialize lanes are reported; those combined into one access are not.
func TestRemarksOfAtomics(t *testing.T) {
	_, rs := remarksOf(t, `kernel void k(global const int *a, global int *o)
{
	int i = get_global_id(0);
	atomic_add(&o[a[i] & 3], 1);
	atomic_inc(&o[7]);
}
`, Options{Strategy: Strategy{Width: 16}})
	s := index(rs)
	require.Equal(t, 1, s.at(remarks.Atomic, "k.cl", 4))
	require.Zero(t, s.at(remarks.Atomic, "k.cl", 5))
}

// An exit of two loops names both.
func TestRemarksOfExitsOfTwoLoops(t *testing.T) {
	text, _ := remarksOf(t, `kernel void k(global const int *a, global int *o)
{
	int i = get_global_id(0), s = 0;
	for (int k = 0; k < a[i]; k++)
		for (int j = 0; j < a[i + k]; j++) {
			s += a[j];
			if (s > 1000)
				goto out;
		}
out:
	o[i] = s;
}
`, Options{Strategy: Strategy{Width: 16, Linearizer: Partial}})
	require.Contains(t, text, "k.cl:7:10: remark: [divergent-loop] divergent loop exit (of the loops of line 5 and line 4)")
}

// The size of a private object is that in the source, without the padding for loads beside
// it; the size for all lanes is that of the allocation.
func TestSizesOfPrivateObjects(t *testing.T) {
	const stack = `kernel void k(global const int *a, global int *o)
{
	int g = get_global_id(0), st[24], sp = 0, r = 0, x = a[g];
	st[sp++] = x;
	while (sp) {
		int i = st[--sp];
		r += i;
		if (i > 3 && sp < 22) { st[sp++] = i / 2; st[sp++] = i / 3; }
	}
	o[g] = r;
}
`
	const frames = `int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
kernel void k(global int *g, global short *h)
{
	int i = get_global_id(0);
	int a[5] = {1, 2, 3, 4, 5};
	a[g[i] & 3] = i;
	*(short *)&a[2] = h[i];
	g[i] = sum(a, g[i] % 5u);
}
`
	for _, linearizer := range []string{Partial, BlockIP} {
		text, _ := remarksOf(t, stack, Options{Strategy: Strategy{Target: VIR, Width: 16, Linearizer: linearizer}})
		require.Contains(t, text, "private object `st` in memory, 96 bytes (1792 taken for 16 lanes): lanes use", linearizer)
		text, _ = remarksOf(t, frames, Options{Strategy: Strategy{Target: VIR, Width: 16, Linearizer: linearizer}})
		require.Contains(t, text, "private object `a` in memory, 20 bytes (1024 taken for 16 lanes): accessed with", linearizer)
	}
	text, _ := remarksOf(t, strings.Replace(stack, "st[24]", "st[28]", 1), Options{Strategy: Strategy{Target: VIR, Width: 4, Linearizer: Partial, Bypass: BypassNone}})
	require.Contains(t, text, "112 bytes (")
}

// The value of a member is named after the member, even if the struct needs no memory.
func TestRemarksNameMembers(t *testing.T) {
	const source = `typedef struct { int id; struct { float t; }; float3 n; } Hit;
int hit(global const float *r, int i, int n, Hit *h)
{
	int any = 0;
	for (int j = 0; j < n; j++) {
		float t = r[i + j];
		if (t >= h->t)
			continue;
		h->t = t;
		h->id = j;
		h->n = t * 2;
		any = 1;
	}
	return any;
}
kernel void k(global const float *r, global float *o, int n)
{
	int i = get_global_id(0);
	Hit h;
	h.t = INFINITY;
	h.id = -1;
	h.n = (float3)(0);
	int any = hit(r, i, n, &h);
	if (h.id == 2)
		o[i] = any;
	if (h.n.y < n)
		o[i + n] = any;
}
`
	for _, linearizer := range []string{Partial, BlockIP} {
		text, _ := remarksOf(t, source, Options{Strategy: Strategy{Target: VIR, Width: 16, Linearizer: linearizer}})
		for _, cond := range []string{"`t >= h->t` differs", "`h.id == 2` differs", "`h.n.y < n` differs"} {
			require.Contains(t, text, cond)
		}
		require.NotRegexp(t, "`h (<=|==|<)", text)
		text, _ = remarksOf(t, strings.Replace(source, "Hit h;", "volatile Hit v; Hit h; v.id = i; v.t = r[i]; if (v.t > 3) o[i] = v.id;", 1), Options{Strategy: Strategy{Target: VIR, Width: 16, Linearizer: linearizer}})
		require.Contains(t, text, "`v.t > 3` differs")
		text, _ = remarksOf(t, strings.Replace(source, "Hit h;", "volatile struct { int a[4]; } v; Hit h; v.a[i & 3] = i; if (v.a[1] > 3) o[i] = 1;", 1), Options{Strategy: Strategy{Target: VIR, Width: 16, Linearizer: linearizer}})
		require.Contains(t, text, "`v.a[1] > 3` differs")
	}
}

// A condition is described with the source's variables, also if one is initialized from
// another and if a parameter has another name than its argument.
func TestRemarksNameVariables(t *testing.T) {
	for source, cond := range map[string]string{
		`kernel void k(global const uchar *s, global int *p, int n)
{
	int i = get_global_id(0);
	global const uchar *d = s + i * n, *d0 = d;
	while (*d) {
		if (*d > d - d0)
			break;
		d++;
	}
	p[i] = d - d0;
}
`: "`*d > d - d0` differs",
		`kernel void k(global const int *s, global int *p, int n)
{
	int i = get_global_id(0), x = s[i], first = x;
	x += s[i + n];
	if (x - first > n)
		p[i] = x;
	if (first > n)
		p[i + n] = x;
}
`: "`first > n` differs",
		`void put(global int *p, int at, int value)
{
	if (value > at)
		p[at] = value;
}
kernel void k(global const int *s, global int *p, int n)
{
	int i = get_global_id(0), x = s[i];
	put(p, i, x);
	put(p, i + n, x + 1);
}
`: "`value > at` differs",
		`kernel void k(global const int *s, global int *p, int n)
{
	int i = get_global_id(0), a = s[i], b = s[i + n], t = a;
	a = b;
	b = t;
	if (a > b)
		p[i] = a;
}
`: "`a > b` differs",
	} {
		for _, linearizer := range []string{Partial, BlockIP} {
			text, _ := remarksOf(t, source, Options{Strategy: Strategy{Target: VIR, Width: 16, Linearizer: linearizer}})
			require.Contains(t, text, cond)
		}
	}
}
