package check_test

import (
	"testing"

	"github.com/simtc/simtc/clc/check"
	"github.com/stretchr/testify/require"
)

// idioms collects constructs of public kernels: spellings, attributes and deviations from
// the standard. All must be accepted.
const idioms = `
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define TYPE unsigned int
typedef unsigned int uint;
typedef unsigned char uchar, u8;
typedef struct __attribute__((packed)) { uchar a; uint b; } packed_t;
typedef struct _node { float3 p; union { float4 v; float a[4]; } u; struct _node *next; } __attribute__((aligned(16))) node_t;
typedef enum { UP = 1, DOWN = 1 << 2, BOTH = UP | DOWN } dir_t;
typedef float4 vec4;
typedef struct S S;
struct S { int n; S *self; enum { X1, X2 } e; struct { int in; } inner; };
constant float weights[] = { .1f, 2.F, 1e-3f, 0x1p-2f, -3.f, };
__constant const char *const __constant greeting = "hi" " there";
const sampler_t smp = 1 | 2 | 0x10;
constant sampler_t smp2 = 3;
__constant uint K[2][2] = { { 0xdeadbeefU, 1UL }, 0b11, 'x' };
void helper(__global float *restrict out, const __local float tile[16][17], __private int *p, float __attribute__((unused)) q);
inline float fast(float x) __attribute__((always_inline));
inline float fast(float x) { return x * x; }
static inline __attribute__((always_inline)) vec4 mk(float a, const float b) { return (vec4)(a, b, 0, 1); }
void helper(__global float *restrict out, const __local float tile[16][17], __private int *p, float q) { out[*p] = tile[1][*p & 15] + q; }
float __attribute__((overloadable)) twice(float x) { return x * 2; }
float4 __attribute__((overloadable)) twice(float4 x) { return x * 2; }
int __attribute__((overloadable)) max(packed_t a, packed_t b) { return max(a.a, b.a); }
S make(int n) { S s = { .n = n, .inner.in = 3 }; s.self = &s; return s; }
__kernel __attribute__((vec_type_hint(float4))) __attribute__((work_group_size_hint(64, 1, 1)))
void k(__global TYPE *data, global const uchar4 *restrict px, __constant float *c, __local volatile int *scratch,
       read_only image2d_t img, write_only image2d_t dst, sampler_t s, const int n, node_t byval, dir_t dir, uint sz, bool flag, half h)
{
  const int N = 4;
  float buf[N * 2], acc = 0, sums[2][2] = { { 0 } };
  __local float tile[16][17];
  __local int *lp = &scratch[1], counter;
  size_t gid[2] = { get_global_id(0), get_global_id(1) };
  uint x = get_global_id(0), y = (uint)get_global_id(1);
  int2 pos = (int2)(x, y), q = { x, y };
  float4 f = (float4)(0), g = (float4){ 1, 2, 3, 4 }, r = 1.0f, arr[2];
  uchar4 pix = px[x];
  f += convert_float4(pix) * 0.5f / 255.0;
  pix = convert_uchar4_sat(f) + (uchar)1;
  pix += (uchar)1;
  f.xyz = twice(f).zyx; f.s3 = twice(acc); f.lo.x = f.hi.y;
  f = f * 2 + -g; f /= n; f = fma(f, g, (float4)(acc));
  if (x >= n || y > sz && !flag) return;
  for (uint i = 0, j = N; i < j; ++i, j--) acc += c[i] * buf[i];
  #pragma unroll N
  for (int i = 0; i < sizeof(buf) / sizeof(buf[0]); i++) buf[i] = weights[i % 5];
  barrier(1);
  tile[get_local_id(1)][get_local_id(0)] = acc;
  helper((__global float *)data, tile, &pos == 0 ? 0 : (int *)&q, fast(acc));
  int v = *((__global int *)data + x) ^ ((__global int *)(data))[x];
  atomic_add(&scratch[0], 1); atomic_inc(lp);
  data[x] = as_uint(acc) + (acc > 0.5 ? 1 : 0) + K[1][0];
  ulong big = ((ulong)x << 32) | y; long l = -1L; l >>= 3;
  char ch = 'a'; ch += 1; ch = ch & 0x7f; short sh = x; sh *= 1.5f;
  bool b = x & 1, any1 = any(f < g), nb = !b && any1;
  f = (f < g) ? f : g; f = select(f, g, f < g); f = flag ? f : (float4)(0.0f);
  node_t node = byval, *np = &node; np->u.a[1] = np->u.v.y; (*np).next = np; np = np->next->next;
  packed_t pk = { 1, 2 }; pk.b += max(pk, pk);
  S st = make(3); st.self->inner.in++;
  union { float f; uint u; uchar b[4]; } cast; cast.f = acc; data[y] = cast.u ^ cast.b[3];
  vec4 w = mk(1, 2), *wp = &w; wp->x = wp[0].y; *(float *)wp = 3;
  switch (dir) { case UP: case DOWN: v++; break; case BOTH: { int t = v; v = -t; } default: v = v > 3 ? 4 : 5u; }
  do { v--; if (v == 3) continue; } while (v > 0 && v != 7);
  h = h * 2 + (half)acc; double d = 1.0; d += acc; acc = d;
  float16 f16 = (float16)(f, g, f, g); f16.sabcd = f16.S0123; f8: ; float8 f8v = f16.even; f16.s0 = f8v.odd.lo.x;
  vstore4(f, x, (__global float *)data); g = vload4(0, (__global float *)data); printf("%d %f\n", v, acc);
  int m = ({ int t = v; t + 1; }); m = (v, m); m = -(-m); m = - -m; m = ~m; m += +m;
  (void)m; (void)img; goto f8_end; f8_end:
  return;
}
`

func TestIdioms(t *testing.T) {
	f, errs := program("in", idioms, check.Options{})
	require.NoError(t, errs.Err())
	require.NotNil(t, f.Kernel("k"))
}
