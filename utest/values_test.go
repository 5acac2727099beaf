package utest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// valueCase is a program with known results. Its body runs in a kernel with the
// parameters `global long *out` and `global const int *in`, where in[i] is i. R(x)
// appends x to the results of the work-item; I(i) is in[i], which the compiler does not
// know.
type valueCase struct {
	name string
	file string // at file scope
	body string
	want []int64
	std  string
}

// valueWays returns the strategies under test: every target and both linearizers, with one
// of several widths that depends on the name of the case, and with all in long tests.
func valueWays(name string) []simtc.Strategy {
	out := []simtc.Strategy{{Target: simtc.Interpreter}}
	for i, linearizer := range []string{simtc.Partial, simtc.BlockIP} {
		for _, c := range []struct {
			target string
			widths []int
		}{{simtc.VIR, []int{8}}, {simtc.AVX512, []int{1, 16, 64}}, {simtc.AVX2, []int{1, 4, 32}}, {simtc.WASM, []int{1, 8}}} {
			for j, width := range c.widths {
				if *long || (turn(name)+i)%len(c.widths) == j {
					out = append(out, simtc.Strategy{Target: c.target, Linearizer: linearizer, Width: width})
				}
			}
		}
	}
	return out
}

// runValues runs every case with each strategy and compares the results of all
// work-items.
func runValues(t *testing.T, cases []valueCase) {
	const items = 19
	in := make([]int32, 64)
	for i := range in {
		in[i] = int32(i)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			source := fmt.Sprintf(`#define R(x) out[get_global_id(0) * %d + n_++] = (x)
#define I(i) in[i]
#line 1
%s
kernel void k(global long *out, global const int *in) { int n_ = 0; %s
}`, len(c.want), c.file, c.body)
			p, err := simtc.Compile(source, simtc.Options{File: c.name + ".cl", Std: c.std, Debug: simtc.Debug{EmulateMissing: true, Verify: *long || turn(c.name)%4 == 0}})
			require.NoError(t, err)
			defer p.Close()
			one, err := p.Kernel("k")
			require.NoError(t, err)
			want := []int64{}
			for range items {
				want = append(want, c.want...)
			}
			for _, w := range valueWays(c.name) {
				if !runsHere(w.Target) {
					continue
				}
				k, err := one.With(w)
				require.NoError(t, err)
				out := make([]int64, len(want))
				require.NoError(t, k.Launch(context.Background(), simtc.NDRange(items), out, in), w.String())
				require.Equal(t, want, out, w.String())
			}
		})
	}
}

// TestBoolBesideVector checks that a bool operand of a vector operation is converted to
// the component type, giving 1 for true, and repeated (OpenCL C 1.2 §6.2.6). A cast to a
// vector of integers gives -1 (§6.2.2), and so does conversion as by assignment, as in
// clang.
func TestBoolBesideVector(t *testing.T) {
	var cases []valueCase
	for _, e := range []struct {
		elem  string
		minus int64 // the value of (long)(T)-1
	}{
		{"char", -1}, {"uchar", 255}, {"short", -1}, {"ushort", 65535}, {"int", -1}, {"uint", 1<<32 - 1}, {"long", -1}, {"ulong", -1},
	} {
		for _, n := range []int{2, 3, 16} {
			cases = append(cases, valueCase{
				name: fmt.Sprintf("%s%d", e.elem, n),
				file: fmt.Sprintf("typedef %s E; typedef %s%d V;\nV same(V v) { return v; }", e.elem, e.elem, n),
				body: `bool b = I(1), z = I(0); V v = (V)((E)(8 + I(0))), w = v, c;
w -= b; R(w.y); w += b; w += b; R(w.y); w *= b; R(w.x); w = v; w /= b; R(w.y); w = v; w %= b; R(w.y);
w = v; w &= b; R(w.x); w |= b; R(w.x); w ^= b; R(w.y); w = v; w <<= b; R(w.x); w >>= b; R(w.y);
R((v + b).x); R((b - v).y == (E)-7); R((v - z).x); R((v * b).y); R((v << b).x); R((v & b).y); R((b | v).x); R((b ^ v).y);
R((v / b).x); R((v % b).y);
c = (V)((E)1); R((c == b).x); R((b != c).y); R((v > b).x); R((b >= v).y); R((v < z).x);
R((c && b).x); R((z || c).y); R((v == v ? b : v).x); R((v != v ? b : v).y); R((I(1) ? b : v).x); R((I(0) ? v : b).y);
R(((V)b).x); R(((V)z).y); c = b; R(c.y); R(same(b).x); R(((V)((E)b)).y);`,
				want: []int64{7, 9, 9, 8, 0, 0, 1, 0, 16, 8,
					9, 1, 8, 8, 16, 0, 9, 9,
					8, 0,
					-1, 0, -1, 0, 0,
					-1, -1, 1, 8, 1, 1,
					e.minus, 0, e.minus, e.minus, 1},
			})
		}
	}
	for _, e := range []string{"float", "double"} {
		cases = append(cases, valueCase{
			name: e + "4",
			file: fmt.Sprintf("typedef %s E; typedef %s4 V;", e, e),
			body: `bool b = I(1); V v = (V)(8 + I(0)), w = v;
w -= b; R(w.y); w += b; w += b; R(w.y); w *= b; R(w.x); w /= b; R(w.y); R((v + b).x); R((b - v).y); R((v > b).x);
R((b == (V)(1)).y); R((I(1) ? b : v).x); R((v == v ? b : v).x); R(((V)b).x); w = b; R(w.y);`,
			want: []int64{7, 9, 9, 9, 9, -7, -1, -1, 1, 1, 1, 1},
		})
	}
	runValues(t, cases)
}

// TestPragmaPack checks that members of packed structs have the offsets determined by
// #pragma pack, in buffers and in private memory, for loads and stores.
func TestPragmaPack(t *testing.T) {
	runValues(t, []valueCase{
		{
			name: "members",
			file: `#pragma pack(push, 1)
typedef struct { char c; int i; short s; long l; int3 v; } packed1;
_Pragma("pack(2)") typedef struct { char c; int i; packed1 p; } packed2;
#pragma pack(pop)
typedef struct { char c; int i; } plain;
__constant packed2 table[2] = { { 1, 2, { 3, 4, 5, 6, (int3)(7, 8, 9) } }, { -1, -2, { -3, -4, -5, -6, (int3)(-7, -8, -9) } } };`,
			body: `R(sizeof(packed1)); R(sizeof(packed2)); R(sizeof(plain));
uchar bytes[64];
for (int j = 0; j < 64; j++) bytes[j] = I(j);
packed1 *p = (packed1 *)(bytes + I(1)); R(p->i); R(p->s); R(p->l);
p->i = -2; R(bytes[1] + 256 * bytes[2] + 65536 * bytes[6]);
packed2 a[2]; a[0] = table[I(0)]; a[1] = table[I(1)]; R(a[I(1)].p.v.y); R(a[I(0)].p.l);
a[I(1)].p.v.z = 77; R(((uchar *)a)[38 + 6 + 15 + 8]);
R(table[I(1)].p.s);`,
			want: []int64{31, 38, 8, 0x05040302, 0x0706, 0x0f0e0d0c0b0a0908, 1 + 256*254 + 65536*6, -8, 6, 77, -5},
		},
	})
}

// TestContractPragmas checks that #pragma clang fp, STDC FP_CONTRACT and OPENCL
// FP_CONTRACT apply up to the end of the compound statement or of the file.
func TestContractPragmas(t *testing.T) {
	// a*b is 1 + 2^-11 + 2^-24, which rounds to 1 + 2^-11. Fused, a*b minus that is
	// 2^-24.
	const args = "float a = as_float(0x3f800800 + I(0)), c = -as_float(0x3f801000 + I(0));"
	const fused = 0x33800000
	runValues(t, []valueCase{{
		name: "scopes",
		file: `float before(float a, float c) { return a * a + c; }
#pragma clang fp contract(off)
float off(float a, float c) { return a * a + c; }
float inside(float a, float c) {
#pragma STDC FP_CONTRACT ON
  return a * a + c;
}
float off2(float a, float c) { return a * a + c; }
#pragma OPENCL FP_CONTRACT ON
float on(float a, float c) { return a * a + c; }
float fast(float a, float c) {
  if (a > 0) {
    #pragma clang fp contract(off)
    c = a * a + c;
  }
  return c;
}
#pragma STDC FP_CONTRACT OFF
float back(float a, float c) {
  float x = 0;
  {
    #pragma clang fp contract(fast) reassociate(off)
    x = a * a + c;
  }
  return x + (a * a + c);
}
#pragma STDC FP_CONTRACT DEFAULT`,
		body: args + `R(as_int(before(a, c))); R(as_int(off(a, c))); R(as_int(inside(a, c))); R(as_int(off2(a, c)));
R(as_int(on(a, c))); R(as_int(fast(a, c))); R(as_int(back(a, c))); R(as_int(a * a + c));`,
		want: []int64{fused, 0, fused, 0, fused, 0, fused, fused},
	}})
}

// TestFloatingConstants checks that INFINITY, NAN, HUGE_VAL and HUGE_VALF, and as_T and
// convert_T of constants, are constant expressions.
func TestFloatingConstants(t *testing.T) {
	const inf, ninf = 0x7f800000, -0x800000
	const inf64, ninf64 = 0x7ff << 52, -1 << 52
	runValues(t, []valueCase{
		{
			name: "constants",
			file: `__constant float lim[4] = { -INFINITY, HUGE_VALF, INFINITY + 1, 1 / -INFINITY };
__constant double wide[3] = { -INFINITY, HUGE_VAL, HUGE_VALF };
__constant half narrow[3] = { -INFINITY, HUGE_VAL, NAN };
__constant float4 vec = (float4)(INFINITY, -INFINITY, 1, HUGE_VALF);
struct s { float a; double b; float2 v; half h; int i; };
__constant struct s q = { NAN, HUGE_VAL, { INFINITY, 1 }, INFINITY, INFINITY > 1 ? 3 : 4 };
__constant float from_bits = as_float(0x40490fdb), quiet = nan(0u);
__constant int bits = as_int(1.0f), whole = convert_int(7.9f);
__constant uchar4 bytes = as_uchar4(0x04030201);
__constant float4 shuffled = convert_float4((int4)(1, 2, 3, 4)).wzyx;
constant int length[as_int(1.0f) >> 29] = { 1 };`,
			body: `int i = I(0);
R(as_int(lim[i])); R(as_int(lim[1 + i])); R(as_int(lim[2 + i])); R(as_int(lim[3 + i])); R(as_long(wide[i])); R(as_long(wide[1 + i])); R(as_long(wide[2 + i]));
R(as_ushort(narrow[i])); R(as_ushort(narrow[1 + i])); R(isnan(narrow[2 + i])); R(as_int(vec[i])); R(as_int(vec[1 + i])); R(as_int(vec[3 + i]));
R(isnan(q.a)); R(as_long(q.b)); R(as_int(q.v[i])); R(as_ushort(q.h)); R(q.i); R(as_int(from_bits)); R(isnan(quiet)); R(bits); R(whole);
R(bytes[i]); R(bytes[3 + i]); R(shuffled[i]); R(sizeof(length) / sizeof(int));
const float f[] = { INFINITY, -HUGE_VALF, NAN }; const double d[2] = { [1] = -HUGE_VAL }; struct s p = { .v = { -INFINITY, 2 }, .b = HUGE_VAL };
R(as_int(f[i])); R(as_int(f[1 + i])); R(isnan(f[2 + i])); R(as_long(d[1 + i])); R(as_int(p.v[i])); R(as_long(p.b));
__constant float inside[2] = { INFINITY, NAN }; R(as_int(inside[i]));`,
			want: []int64{ninf, inf, inf, -1 << 31, ninf64, inf64, inf64,
				0xfc00, 0x7c00, 1, inf, ninf, inf,
				1, inf64, inf, 0x7c00, 3, 0x40490fdb, 1, 0x3f800000, 7,
				1, 4, 4, 1,
				inf, ninf, 1, ninf64, ninf, inf64,
				inf},
		},
		{
			name: "cases",
			file: `long which(ulong u) {
  switch (u) {
  case 0x8000000000000000UL: return 1;
  case ~0UL: return 2;
  case 0xfffffffffffffff0UL ... 0xfffffffffffffff8UL: return 3;
  case 1UL << 62 ... (1UL << 63) - 1: return 4;
  case -7: return 5;
  case 0: return 6;
  }
  return 7;
}
long small(uint u) { switch (u) { case -1: return 1; case 0x100000002UL: return 2; case 0x80000000: return 3; } return 4; }`,
			body: `ulong z = I(0);
R(which(z + (1UL << 63))); R(which(z - 1)); R(which(z - 16)); R(which(z - 8)); R(which(z + (1UL << 62))); R(which(~(z + (1UL << 63)))); R(which(z - 7));
R(which(z)); R(which(z - 17)); R(which(z + (1UL << 63) + 1)); R(which(z - 6));
R(small(z - 1)); R(small(z + 2)); R(small(z + (1u << 31))); R(small(z + 1));`,
			want: []int64{1, 2, 3, 3, 4, 4, 5, 6, 7, 7, 7, 1, 2, 3, 4},
		},
	})
}

// TestStatementExpressionValue checks that the last statement of ({ }) gives the value,
// also after labels and before empty statements.
func TestStatementExpressionValue(t *testing.T) {
	runValues(t, []valueCase{{
		name: "labels",
		file: "typedef struct { int a, b; } pair;",
		body: `int y = I(3), z = I(1);
R(({ int x = y; if (x > 2) goto out; x += 5; out: x + 1; }));
R(({ int x = z; if (x > 2) goto out2; x += 5; out2: x + 1; }));
R(({ int x = y; first: second: x * 2; }));
R(({ int n = 0; again: n++; if (n < y) goto again; last: n + 10; }));
R(({ y + z;; ; }));
R(({ pair p = { y, z }; if (z) goto here; p.a = 9; here: p; }).a);
({ y += 1; done: y += 2; }); R(y);`,
		want: []int64{4, 7, 6, 13, 4, 3, 6},
	}})
}

// TestUnrollExpression checks that #pragma unroll accepts any constant expression as the
// number of copies.
func TestUnrollExpression(t *testing.T) {
	runValues(t, []valueCase{{
		name: "counts",
		file: `#define N 8
enum { M = 3 };
constant int K = 2;`,
		body: `int s = 0;
#pragma unroll (N/2)
for (int i = 0; i < 4; i++) s += I(i);
R(s);
_Pragma("unroll M + K") for (int i = 0; i < 5; i++) s += i * I(1);
R(s);
__attribute__((opencl_unroll_hint(N - 6))) for (int i = 0; i < I(7); i++) s++;
R(s);
#pragma clang loop unroll_count(sizeof(int))
while (s < 40) s += I(2);
R(s);`,
		want: []int64{6, 16, 23, 41},
	}})
}
