// Eight rounds of a hash over a private array with constant subscripts only.
// run: -k sha_rounds -g 1000 b:uint:8000:rand,206 b:uint:8000
// sum: 0 064648c32779353c
// sum: 1 5bb31b90461da685
#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))
#define ROUND(a, b, c, d, e, f, g, h, key)                                                              \
  s[h] += (ROTR(s[e], 6) ^ ROTR(s[e], 11) ^ ROTR(s[e], 25)) + ((s[e] & s[f]) ^ (~s[e] & s[g])) + (key); \
  s[d] += s[h];                                                                                         \
  s[h] += (ROTR(s[a], 2) ^ ROTR(s[a], 13) ^ ROTR(s[a], 22)) + ((s[a] & s[b]) | (s[c] & (s[a] | s[b])))
__kernel void sha_rounds(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint s[8];
#pragma unroll
  for (int k = 0; k < 8; k++)
    s[k] = in[8 * i + k];
  ROUND(0, 1, 2, 3, 4, 5, 6, 7, 0x428a2f98u);
  ROUND(7, 0, 1, 2, 3, 4, 5, 6, 0x71374491u);
  ROUND(6, 7, 0, 1, 2, 3, 4, 5, 0xb5c0fbcfu);
  ROUND(5, 6, 7, 0, 1, 2, 3, 4, 0xe9b5dba5u);
  ROUND(4, 5, 6, 7, 0, 1, 2, 3, 0x3956c25bu);
  ROUND(3, 4, 5, 6, 7, 0, 1, 2, 0x59f111f1u);
  ROUND(2, 3, 4, 5, 6, 7, 0, 1, 0x923f82a4u);
  ROUND(1, 2, 3, 4, 5, 6, 7, 0, 0xab1c5ed5u);
#pragma unroll
  for (int k = 0; k < 8; k++)
    out[8 * i + k] = s[k];
}
