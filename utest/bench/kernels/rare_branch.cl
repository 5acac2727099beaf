// A heavy arm that one work-item in 1024 takes: worth a bypass when no lane of a vector needs it.
// run: -k rare_branch -g 16777216 b:uint:16777216:rand,6 b:uint:16777216
// sum: 0 e8d9b1f1875533a2
// sum: 1 cde4be750c9340a8
__kernel void rare_branch(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint x = in[i];
  if ((x & 1023) == 0) {
    for (int k = 0; k < 200; k++)
      x = x / 3 + (x % 7) * 2654435761u;
  }
  out[i] = x ^ x >> 5;
}
