// A private array indexed by uniform loop counters.
// run: -k private_uniform_index -g 1000 b:uint:1000:rand,62 b:uint:1000 int:5
// sum: 0 6cb9dd9265bb2aa0
// sum: 1 c0c1f006b41bb39d
__kernel void private_uniform_index(__global const uint *in, __global uint *out, int n) {
  uint i = get_global_id(0);
  uint a[16];
  for (int k = 0; k < 16; k++)
    a[k] = in[i] >> k;
  for (int r = 0; r < n; r++)
    for (int k = 1; k < 15; k++)
      a[k] = (a[k - 1] + 2 * a[k] + a[k + 1]) / 4 + r;
  uint s = 0;
  for (int k = 0; k < 16; k++)
    s = s * 17 + a[k];
  out[i] = s;
}
