// Eight rounds of SHA-256, repeated, over a private array with constant subscripts: rotates, logic and adds.
// run: -k sha256_rounds -g 131072 b:uint:131072*8:rand,206 b:uint:131072*8 int:16
// sum: 0 451d7adf37d283bd
// sum: 1 70c2322883a46d44
#define ROUND(a, b, c, d, e, f, g, h, key)                                                               \
  s[h] += (rotate(s[e], 26u) ^ rotate(s[e], 21u) ^ rotate(s[e], 7u)) + bitselect(s[g], s[f], s[e]) + key; \
  s[d] += s[h];                                                                                          \
  s[h] += (rotate(s[a], 30u) ^ rotate(s[a], 19u) ^ rotate(s[a], 10u)) + ((s[a] & s[b]) | (s[c] & (s[a] | s[b])))
__kernel void sha256_rounds(__global const uint *in, __global uint *out, int repeat) {
  size_t i = get_global_id(0);
  uint s[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    s[k] = in[8 * i + k];
  for (int r = 0; r < repeat; r++) {
    ROUND(0, 1, 2, 3, 4, 5, 6, 7, 0x428a2f98u);
    ROUND(7, 0, 1, 2, 3, 4, 5, 6, 0x71374491u);
    ROUND(6, 7, 0, 1, 2, 3, 4, 5, 0xb5c0fbcfu);
    ROUND(5, 6, 7, 0, 1, 2, 3, 4, 0xe9b5dba5u);
    ROUND(4, 5, 6, 7, 0, 1, 2, 3, 0x3956c25bu);
    ROUND(3, 4, 5, 6, 7, 0, 1, 2, 0x59f111f1u);
    ROUND(2, 3, 4, 5, 6, 7, 0, 1, 0x923f82a4u);
    ROUND(1, 2, 3, 4, 5, 6, 7, 0, 0xab1c5ed5u);
  }
#pragma unroll
  for (int k = 0; k < 8; k++)
    out[8 * i + k] = s[k];
}
