// Sums that a work-item accumulates in its own elements of local and global memory, in nested loops.
// run: -k local_sums -g 240 -l 24 b:uint:240:rand,351 b:uint:240:rand,352,0,99 b:uint:240 int:9
// sum: 0 9fc9cc094576039d
// sum: 1 ded8c2421c7242a0
// sum: 2 e2f431f9381d90d4
__kernel void local_sums(__global const uint *in, __global uint *kept, __global uint *out, int n) {
  __local uchar small[24 * 8];
  __local uint whole[24];
  int i = get_global_id(0), l = get_local_id(0);
  uint x = in[i], rounds = 0;
  __local uchar *own = small + 8 * l;
  for (int k = 0; k < 8; k++) {
    own[k] = 0;
    for (int j = 0; j < n + (int)(x & 3); j++)
      own[k] = own[k] * 5 + (x >> j);
  }
  for (int k = 0; k < 16; k++)
    while (own[k & 7] > 20) {
      own[k & 7] -= 19;
      rounds++;
    }
  whole[l] = 0;
  for (int k = 0; k < 8; k++) {
    whole[l] += own[k];
    if (whole[l] & 1)
      kept[i] ^= whole[l];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 3; k++) {
    uint other = whole[(l + k) % 24];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < k; j++)
      whole[l] += other + j;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = whole[l] * 100 + rounds;
}
