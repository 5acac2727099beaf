// Helpers that take and return structs and vectors, and change arrays in place.
// run: -k helper_struct -g 1000 b:uint:1000:rand,112 b:uint:1000
// sum: 0 42758966734bcf8f
// sum: 1 0f6e4d665cac69a7
typedef struct {
  uint s[4];
} rng;
rng seed(uint v) {
  rng r;
  for (int i = 0; i < 4; i++)
    r.s[i] = v = v * 1812433253u + i;
  return r;
}
uint next(rng *r) {
  uint t = r->s[3], s = r->s[0];
  r->s[3] = r->s[2];
  r->s[2] = r->s[1];
  r->s[1] = s;
  t ^= t << 11;
  t ^= t >> 8;
  r->s[0] = t ^ s ^ (s >> 19);
  return r->s[0];
}
void shuffle_in_place(uint *a, int n, rng *r) {
  for (int i = n - 1; i > 0; i--) {
    int j = next(r) % (uint)(i + 1);
    uint t = a[i];
    a[i] = a[j];
    a[j] = t;
  }
}
__kernel void helper_struct(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  rng r = seed(in[i]);
  uint deck[13];
  for (int k = 0; k < 13; k++)
    deck[k] = k;
  shuffle_in_place(deck, 13, &r);
  uint h = 0;
  for (int k = 0; k < 13; k++)
    h = h * 13 + deck[k];
  out[i] = h ^ next(&r);
}
