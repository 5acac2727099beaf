// Program-scope constant arrays of scalars, structs and rows, indexed uniformly and by lane; a string.
// run: -k constant_tables -g 1000 b:uint:1000:rand,114 b:uint:1000
// sum: 0 931bd04ebe204cb7
// sum: 1 0382725c98e016fb
__constant uint primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant uchar grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10}};
typedef struct {
  int lo, hi;
  float weight;
} span;
__constant span spans[] = {{0, 10, 0.5f}, {10, 100, 2.0f}, {100, 1 << 20, 0.25f}};
__constant int limit = 1000 / 3;
__constant char letters[] = "simd";
constant uint sparse[8] = {[2] = 20, [5] = 50};
uint lookup(__constant uint *table, uint i) { return table[i & 7]; }
__kernel void constant_tables(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint v = in[i], r = 0;
  for (int k = 0; k < 8; k++)
    r += (v % primes[k]) << k;
  r ^= grid[v % 3][(v >> 8) & 3] * 1000;
  int x = (int)(v % 300);
  for (int k = 0; k < 3; k++)
    if (x >= spans[k].lo && x < spans[k].hi)
      r += (uint)((float)x * spans[k].weight);
  r += lookup(primes, v >> 5) + lookup(sparse, v >> 9) + letters[v & 3] + (x > limit);
  out[i] = r;
}
