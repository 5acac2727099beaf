/* Kernels as somebody writes them by hand for AVX-512 who knows what they do: several vectors
 * at once where latency rules, bytes where bytes do, masks at the ends of rows. Sizes are
 * those of the run lines: multiples of what a loop does at once, unless it has a mask.
 */
#include "launch.h"
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* Arguments: buffers are passed as where a pointer lies. */
#define BUFFER(type, i) ((type *)**(void ***)l->arg[i])
#define VALUE(type, i) (*(type *)l->arg[i])

#define LANES _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define ONES _mm512_set1_epi32(1)

static void mandelbrot(const struct launch *l) {
  int *out = BUFFER(int, 0);
  float x0 = VALUE(float, 1), y0 = VALUE(float, 2), step = VALUE(float, 3);
  const __m512 four = _mm512_set1_ps(4), at = _mm512_cvtepi32_ps(LANES), s = _mm512_set1_ps(step);
  for (size_t y = 0; y < l->y; y++)
    for (size_t x = 0; x < l->x; x += 32) {
      __m512 ci = _mm512_set1_ps(y0 + y * step), cr[2], zr[2], zi[2];
      __m512i n[2];
      __mmask16 in[2];
      for (int u = 0; u < 2; u++) {
        cr[u] = _mm512_fmadd_ps(_mm512_add_ps(_mm512_set1_ps(x + 16 * u), at), s, _mm512_set1_ps(x0));
        zr[u] = zi[u] = _mm512_setzero_ps();
        n[u] = _mm512_setzero_si512();
        in[u] = 0xffff;
      }
      for (int k = 0; k < 256; k++) {
        __m512 rr[2], ii[2];
        for (int u = 0; u < 2; u++) {
          rr[u] = _mm512_mul_ps(zr[u], zr[u]);
          ii[u] = _mm512_mul_ps(zi[u], zi[u]);
          in[u] = _mm512_mask_cmp_ps_mask(in[u], _mm512_add_ps(rr[u], ii[u]), four, _CMP_LE_OQ);
        }
        if (!(in[0] | in[1]))
          break;
        for (int u = 0; u < 2; u++) {
          n[u] = _mm512_mask_add_epi32(n[u], in[u], n[u], ONES);
          zi[u] = _mm512_fmadd_ps(_mm512_add_ps(zr[u], zr[u]), zi[u], ci);
          zr[u] = _mm512_add_ps(_mm512_sub_ps(rr[u], ii[u]), cr[u]);
        }
      }
      for (int u = 0; u < 2; u++)
        _mm512_storeu_si512(out + y * l->x + x + 16 * u, n[u]);
    }
}

static void nbody(const struct launch *l) {
  const float *bodies = BUFFER(float, 0);
  float *out = BUFFER(float, 1);
  int n = VALUE(int, 2);
  for (size_t i = 0; i < l->x; i += 32) {
    float from[3][32], sum[3][32];
    __m512 p[2][3], a[2][3];
    for (int k = 0; k < 32; k++)
      for (int c = 0; c < 3; c++)
        from[c][k] = bodies[4 * (i + k) + c];
    for (int u = 0; u < 2; u++)
      for (int c = 0; c < 3; c++) {
        p[u][c] = _mm512_loadu_ps(from[c] + 16 * u);
        a[u][c] = _mm512_setzero_ps();
      }
    for (int j = 0; j < n; j++) {
      __m512 q[4];
      for (int c = 0; c < 4; c++)
        q[c] = _mm512_set1_ps(bodies[4 * j + c]);
      for (int u = 0; u < 2; u++) {
        __m512 d[3], r = _mm512_set1_ps(0.01f);
        for (int c = 0; c < 3; c++) {
          d[c] = _mm512_sub_ps(q[c], p[u][c]);
          r = _mm512_fmadd_ps(d[c], d[c], r);
        }
        __m512 inv = _mm512_div_ps(_mm512_set1_ps(1), _mm512_sqrt_ps(r));
        __m512 k = _mm512_mul_ps(q[3], _mm512_mul_ps(inv, _mm512_mul_ps(inv, inv)));
        for (int c = 0; c < 3; c++)
          a[u][c] = _mm512_fmadd_ps(d[c], k, a[u][c]);
      }
    }
    for (int u = 0; u < 2; u++)
      for (int c = 0; c < 3; c++)
        _mm512_storeu_ps(sum[c] + 16 * u, a[u][c]);
    for (int k = 0; k < 32; k++) {
      for (int c = 0; c < 3; c++)
        out[4 * (i + k) + c] = sum[c][k];
      out[4 * (i + k) + 3] = 0;
    }
  }
}

static void collatz(const struct launch *l) {
  uint32_t *out = BUFFER(uint32_t, 0);
  for (size_t i = 0; i < l->x; i += 32) {
    __m512i v[2], n[2];
    for (int u = 0; u < 2; u++) {
      v[u] = _mm512_add_epi32(_mm512_set1_epi32(i + 1 + 16 * u), LANES);
      n[u] = _mm512_setzero_si512();
    }
    for (;;) {
      __mmask16 on[2];
      for (int u = 0; u < 2; u++)
        on[u] = _mm512_cmpneq_epi32_mask(v[u], ONES);
      if (!(on[0] | on[1]))
        break;
      for (int u = 0; u < 2; u++) {
        n[u] = _mm512_mask_add_epi32(n[u], on[u], n[u], ONES);
        __mmask16 odd = _mm512_mask_test_epi32_mask(on[u], v[u], ONES);
        __m512i up = _mm512_add_epi32(_mm512_add_epi32(v[u], v[u]), _mm512_add_epi32(v[u], ONES));
        v[u] = _mm512_mask_mov_epi32(_mm512_mask_srli_epi32(v[u], on[u], v[u], 1), odd, up);
      }
    }
    for (int u = 0; u < 2; u++)
      _mm512_storeu_si512(out + i + 16 * u, n[u]);
  }
}

static void sobel(const struct launch *l) {
  const uint8_t *in = BUFFER(uint8_t, 0);
  uint8_t *out = BUFFER(uint8_t, 1);
  size_t w = l->x, h = l->y;
  memset(out, 0, w);
  memset(out + (h - 1) * w, 0, w);
  for (size_t y = 1; y < h - 1; y++) {
    out[y * w] = out[y * w + w - 1] = 0;
    for (size_t x = 1; x < w - 1; x += 32) {
      __mmask32 m = x + 32 <= w - 1 ? ~0u : (1u << (w - 1 - x)) - 1;
      const uint8_t *p = in + y * w + x;
#define AT(dx, dy) _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(m, p + (dy) * (ptrdiff_t)w + (dx)))
#define ADD(a, b) _mm512_add_epi16(a, b)
#define TWICE(a) ADD(a, a)
      __m512i nw = AT(-1, -1), ne = AT(1, -1), sw = AT(-1, 1), se = AT(1, 1), n = AT(0, -1), s = AT(0, 1), we = AT(-1, 0), ea = AT(1, 0);
      __m512i gx = _mm512_sub_epi16(ADD(ADD(ne, se), TWICE(ea)), ADD(ADD(nw, sw), TWICE(we)));
      __m512i gy = _mm512_sub_epi16(ADD(ADD(sw, se), TWICE(s)), ADD(ADD(nw, ne), TWICE(n)));
      __m512i sum = ADD(_mm512_abs_epi16(gx), _mm512_abs_epi16(gy));
      _mm256_mask_storeu_epi8(out + y * w + x, m, _mm512_cvtusepi16_epi8(sum));
#undef AT
#undef ADD
#undef TWICE
    }
  }
}

static void blur(const struct launch *l) {
  const float *in = BUFFER(float, 0), *weights = BUFFER(float, 2);
  float *out = BUFFER(float, 1);
  size_t w = VALUE(int, 3);
  for (size_t y = 0; y < l->y; y++)
    for (size_t x = 0; x < l->x; x += 64) {
      __m512 s[4];
      for (int u = 0; u < 4; u++)
        s[u] = _mm512_setzero_ps();
      for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) {
          __m512 k = _mm512_set1_ps(weights[j * 5 + i]);
          for (int u = 0; u < 4; u++)
            s[u] = _mm512_fmadd_ps(k, _mm512_loadu_ps(in + (y + j) * w + x + i + 16 * u), s[u]);
        }
      for (int u = 0; u < 4; u++)
        _mm512_storeu_ps(out + y * l->x + x + 16 * u, s[u]);
    }
}

static void find(const struct launch *l) {
  const uint8_t *text = BUFFER(uint8_t, 0), *word = BUFFER(uint8_t, 1);
  uint8_t *hit = BUFFER(uint8_t, 3);
  int m = VALUE(int, 2);
  for (size_t i = 0; i < l->x; i += 64) {
    __mmask64 same = ~0ull;
    for (int j = 0; j < m && same; j++)
      same = _mm512_mask_cmpeq_epi8_mask(same, _mm512_loadu_si512(text + i + j), _mm512_set1_epi8(word[j]));
    _mm512_storeu_si512(hit + i, _mm512_maskz_set1_epi8(same, 1));
  }
}

static void life(const struct launch *l) {
  const uint8_t *in = BUFFER(uint8_t, 0);
  uint8_t *out = BUFFER(uint8_t, 1);
  ptrdiff_t w = VALUE(int, 2);
  for (size_t y = 1; y <= l->y; y++)
    for (size_t x = 1; x <= l->x; x += 64) {
      __mmask64 m = x + 63 <= l->x ? ~0ull : (1ull << (l->x + 1 - x)) - 1;
      const uint8_t *p = in + y * w + x;
#define AT(at) _mm512_maskz_loadu_epi8(m, p + (at))
#define ADD(a, b) _mm512_add_epi8(a, b)
      __m512i n = ADD(ADD(ADD(AT(-w - 1), AT(-w)), ADD(AT(-w + 1), AT(-1))), ADD(ADD(AT(1), AT(w - 1)), ADD(AT(w), AT(w + 1))));
      __m512i own = AT(0);
      __mmask64 three = _mm512_cmpeq_epi8_mask(n, _mm512_set1_epi8(3));
      __mmask64 stays = _mm512_mask_cmpeq_epi8_mask(_mm512_test_epi8_mask(own, own), n, _mm512_set1_epi8(2));
      _mm512_mask_storeu_epi8(out + y * w + x, m, _mm512_maskz_set1_epi8(three | stays, 1));
#undef ADD
#undef AT
    }
}

static void murmur(const struct launch *l) {
  const uint32_t *in = BUFFER(uint32_t, 0);
  uint32_t *out = BUFFER(uint32_t, 1);
#define TIMES(h, c) _mm512_mullo_epi32(h, _mm512_set1_epi32(c))
#define FOLD(h, n) _mm512_xor_si512(h, _mm512_srli_epi32(h, n))
  const __m512i rows = _mm512_slli_epi32(LANES, 3);
  for (size_t i = 0; i < l->x; i += 16) {
    __m512i words[8], h = _mm512_set1_epi32(42);
    for (int j = 0; j < 8; j++)
      words[j] = _mm512_i32gather_epi32(rows, in + i * 8 + j, 4);
    for (int j = 0; j < 8; j++) {
      __m512i k = TIMES(_mm512_rol_epi32(TIMES(words[j], 0xcc9e2d51), 15), 0x1b873593);
      h = _mm512_rol_epi32(_mm512_xor_si512(h, k), 13);
      h = _mm512_add_epi32(_mm512_add_epi32(_mm512_slli_epi32(h, 2), h), _mm512_set1_epi32(0xe6546b64));
    }
    h = _mm512_xor_si512(h, _mm512_set1_epi32(32));
    h = FOLD(TIMES(FOLD(TIMES(FOLD(h, 16), 0x85ebca6b), 13), 0xc2b2ae35), 16);
    _mm512_storeu_si512(out + i, h);
  }
#undef FOLD
#undef TIMES
}

static void median(const struct launch *l) {
  const uint8_t *in = BUFFER(uint8_t, 0);
  uint8_t *out = BUFFER(uint8_t, 1);
  size_t w = VALUE(int, 2);
  for (size_t y = 0; y < l->y; y++)
    for (size_t x = 0; x < l->x; x += 64) {
      const uint8_t *p = in + y * w + x;
      __m512i v[9];
      for (int k = 0; k < 9; k++)
        v[k] = _mm512_loadu_si512(p + k / 3 * w + k % 3);
      static const uint8_t network[19][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2}, {4, 5}, {7, 8}, {0, 3},
                                             {5, 8}, {4, 7}, {3, 6}, {1, 4}, {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
#pragma GCC unroll 19
      for (int k = 0; k < 19; k++) {
        int a = network[k][0], b = network[k][1];
        __m512i least = _mm512_min_epu8(v[a], v[b]);
        v[b] = _mm512_max_epu8(v[a], v[b]);
        v[a] = least;
      }
      _mm512_storeu_si512(out + y * w + x, v[4]);
    }
}

static void bilinear(const struct launch *l) {
  const float *in = BUFFER(float, 0);
  float *out = BUFFER(float, 1), sx = VALUE(float, 3), sy = VALUE(float, 4);
  int w = VALUE(int, 2);
  for (size_t y = 0; y < l->y; y++) {
    float fy = y * sy;
    int row = (int)fy;
    fy -= row;
    const float *p = in + (size_t)row * w;
    for (size_t x = 0; x < l->x; x += 16) {
      __m512 fx = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_add_epi32(_mm512_set1_epi32(x), LANES)), _mm512_set1_ps(sx));
      __m512i at = _mm512_cvttps_epi32(fx);
      fx = _mm512_sub_ps(fx, _mm512_cvtepi32_ps(at));
      __m512 a = _mm512_i32gather_ps(at, p, 4), b = _mm512_i32gather_ps(at, p + 1, 4);
      __m512 c = _mm512_i32gather_ps(at, p + w, 4), d = _mm512_i32gather_ps(at, p + w + 1, 4);
      __m512 above = _mm512_fmadd_ps(_mm512_sub_ps(b, a), fx, a), below = _mm512_fmadd_ps(_mm512_sub_ps(d, c), fx, c);
      _mm512_storeu_ps(out + y * l->x + x, _mm512_fmadd_ps(_mm512_sub_ps(below, above), _mm512_set1_ps(fy), above));
    }
  }
}

static void orbit(const struct launch *l) {
  const float *in = BUFFER(float, 0);
  float *out = BUFFER(float, 1);
  const __m512i even = _mm512_slli_epi32(LANES, 1), odd = _mm512_or_si512(even, ONES);
  const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
  for (size_t i = 0; i < l->x; i += 16) {
    __m512 a = _mm512_loadu_ps(in + 2 * i), b = _mm512_loadu_ps(in + 2 * i + 16);
    __m512 x = _mm512_permutex2var_ps(a, even, b), y = _mm512_permutex2var_ps(a, odd, b), r = x, s = y;
    for (int k = 0; k < 5; k++) {
      __m512 t = _mm512_add_ps(_mm512_fmsub_ps(r, r, _mm512_mul_ps(s, s)), x);
      s = _mm512_fmadd_ps(_mm512_add_ps(r, r), s, y);
      r = t;
    }
    _mm512_storeu_ps(out + 2 * i, _mm512_permutex2var_ps(r, low, s));
    _mm512_storeu_ps(out + 2 * i + 16, _mm512_permutex2var_ps(r, high, s));
  }
}

static void saxpy(const struct launch *l) {
  const float *x = BUFFER(float, 1);
  float *y = BUFFER(float, 2);
  __m512 a = _mm512_set1_ps(VALUE(float, 0));
  for (size_t i = 0; i < l->x; i += 64)
    for (int u = 0; u < 4; u++)
      _mm512_storeu_ps(y + i + 16 * u, _mm512_fmadd_ps(a, _mm512_loadu_ps(x + i + 16 * u), _mm512_loadu_ps(y + i + 16 * u)));
}

const struct kernel kernels[] = {
    {"bilinear", bilinear}, {"blur", blur},     {"collatz", collatz}, {"find", find},   {"life", life},   {"mandelbrot", mandelbrot},
    {"median", median},     {"murmur", murmur}, {"nbody", nbody},     {"orbit", orbit}, {"saxpy", saxpy}, {"sobel", sobel},
    {0, 0},
};
