/* Kernels as somebody writes them by hand for AVX2 who knows what they do: several vectors at once where
 * latency rules, 16-bit lanes where bytes are added, the last vector of a row where the others end.
 * Sizes are those of the run lines: multiples of what a loop does at once, or rows of at least one vector.
 */
#include "launch.h"
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* Arguments: buffers are passed as where a pointer lies. */
#define BUFFER(type, i) ((type *)**(void ***)l->arg[i])
#define VALUE(type, i) (*(type *)l->arg[i])

static void mandelbrot(const struct launch *l) {
  int *out = BUFFER(int, 0);
  float x0 = VALUE(float, 1), y0 = VALUE(float, 2), step = VALUE(float, 3);
  const __m256 four = _mm256_set1_ps(4), at = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7), s = _mm256_set1_ps(step);
  for (size_t y = 0; y < l->y; y++)
    for (size_t x = 0; x < l->x; x += 16) {
      __m256 ci = _mm256_set1_ps(y0 + y * step), cr[2], zr[2], zi[2], in[2];
      __m256i n[2];
      for (int u = 0; u < 2; u++) {
        cr[u] = _mm256_fmadd_ps(_mm256_add_ps(_mm256_set1_ps(x + 8 * u), at), s, _mm256_set1_ps(x0));
        zr[u] = zi[u] = _mm256_setzero_ps();
        n[u] = _mm256_setzero_si256();
        in[u] = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
      }
      for (int k = 0; k < 256; k++) {
        __m256 rr[2], ii[2];
        for (int u = 0; u < 2; u++) {
          rr[u] = _mm256_mul_ps(zr[u], zr[u]);
          ii[u] = _mm256_mul_ps(zi[u], zi[u]);
          in[u] = _mm256_and_ps(in[u], _mm256_cmp_ps(_mm256_add_ps(rr[u], ii[u]), four, _CMP_LE_OQ));
        }
        if (!_mm256_movemask_ps(_mm256_or_ps(in[0], in[1])))
          break;
        for (int u = 0; u < 2; u++) {
          n[u] = _mm256_sub_epi32(n[u], _mm256_castps_si256(in[u]));
          zi[u] = _mm256_fmadd_ps(_mm256_add_ps(zr[u], zr[u]), zi[u], ci);
          zr[u] = _mm256_add_ps(_mm256_sub_ps(rr[u], ii[u]), cr[u]);
        }
      }
      for (int u = 0; u < 2; u++)
        _mm256_storeu_si256((__m256i *)(out + y * l->x + x + 8 * u), n[u]);
    }
}

static void nbody(const struct launch *l) {
  const float *bodies = BUFFER(float, 0);
  float *out = BUFFER(float, 1);
  int n = VALUE(int, 2);
  for (size_t i = 0; i < l->x; i += 8) {
    float from[3][8], sum[3][8];
    __m256 p[3], a[3];
    for (int k = 0; k < 8; k++)
      for (int c = 0; c < 3; c++)
        from[c][k] = bodies[4 * (i + k) + c];
    for (int c = 0; c < 3; c++) {
      p[c] = _mm256_loadu_ps(from[c]);
      a[c] = _mm256_setzero_ps();
    }
    for (int j = 0; j < n; j++) {
      __m256 d[3], r = _mm256_set1_ps(0.01f);
      for (int c = 0; c < 3; c++) {
        d[c] = _mm256_sub_ps(_mm256_set1_ps(bodies[4 * j + c]), p[c]);
        r = _mm256_fmadd_ps(d[c], d[c], r);
      }
      __m256 inv = _mm256_div_ps(_mm256_set1_ps(1), _mm256_sqrt_ps(r));
      __m256 k = _mm256_mul_ps(_mm256_set1_ps(bodies[4 * j + 3]), _mm256_mul_ps(inv, _mm256_mul_ps(inv, inv)));
      for (int c = 0; c < 3; c++)
        a[c] = _mm256_fmadd_ps(d[c], k, a[c]);
    }
    for (int c = 0; c < 3; c++)
      _mm256_storeu_ps(sum[c], a[c]);
    for (int k = 0; k < 8; k++) {
      for (int c = 0; c < 3; c++)
        out[4 * (i + k) + c] = sum[c][k];
      out[4 * (i + k) + 3] = 0;
    }
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
    for (size_t x = 1; x < w - 1; x += 16) {
      if (x + 16 > w - 1)
        x = w - 1 - 16;
      const uint8_t *p = in + y * w + x;
#define AT(dx, dy) _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(p + (dy) * (ptrdiff_t)w + (dx))))
#define ADD(a, b) _mm256_add_epi16(a, b)
#define TWICE(a) ADD(a, a)
      __m256i nw = AT(-1, -1), ne = AT(1, -1), sw = AT(-1, 1), se = AT(1, 1), n = AT(0, -1), s = AT(0, 1), we = AT(-1, 0), ea = AT(1, 0);
      __m256i gx = _mm256_sub_epi16(ADD(ADD(ne, se), TWICE(ea)), ADD(ADD(nw, sw), TWICE(we)));
      __m256i gy = _mm256_sub_epi16(ADD(ADD(sw, se), TWICE(s)), ADD(ADD(nw, ne), TWICE(n)));
      __m256i sum = ADD(_mm256_abs_epi16(gx), _mm256_abs_epi16(gy));
      __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
      _mm_storeu_si128((__m128i *)(out + y * w + x), bytes);
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
      __m256 s[8];
      for (int u = 0; u < 8; u++)
        s[u] = _mm256_setzero_ps();
      for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++) {
          __m256 k = _mm256_set1_ps(weights[j * 5 + i]);
          for (int u = 0; u < 8; u++)
            s[u] = _mm256_fmadd_ps(k, _mm256_loadu_ps(in + (y + j) * w + x + i + 8 * u), s[u]);
        }
      for (int u = 0; u < 8; u++)
        _mm256_storeu_ps(out + y * l->x + x + 8 * u, s[u]);
    }
}

const struct kernel kernels[] = {{"blur", blur}, {"mandelbrot", mandelbrot}, {"nbody", nbody}, {"sobel", sobel}, {0, 0}};
