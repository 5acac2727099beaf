// Sums over rows of listed indices, whose loops end at a counter's limit: upward, downward, by two, by pointers.
// run: -k summed_lists -g 3000 b:uint:3001:rand,301,0,40 b:uint:3100:rand,302,0,999 b:uchar:3100:rand,303 b:int:1000:rand,304 b:int:3000*5
// sum: 0 bfdc72c3ea409eb4
// sum: 1 c0a4015438bca201
// sum: 2 bb055b560564b261
// sum: 3 fb008c56e19ab784
// sum: 4 e496bc9d679ec9ad
__kernel void summed_lists(__global const uint *lengths, __global const uint *at, __global const uchar *near, __global const int *x, __global int *out) {
  uint i = get_global_id(0), n = lengths[i];
  int sum = 0;
  for (uint k = i; k != i + n; k++)
    sum += x[at[k]] * near[k];
  out[5 * i] = sum;
  int least = 1 << 30;
  for (uint k = n; k--;)
    least = min(least, x[near[i + k]]);
  out[5 * i + 1] = least;
  int bits = 0;
  for (int k = 0, e = (int)(n & ~1u); k != e; k += 2)
    bits ^= x[at[i + k]] << (near[i + k] & 3);
  out[5 * i + 2] = bits;
  uint wide = 0;
  for (__global const uint *p = at + i, *e = p + n; p != e; p++)
    wide += near[*p] + (uint)x[*p + (*p & 1 ? -1 : 0)];
  out[5 * i + 3] = wide;
  long far = 0;
  __global const uchar *q = near + i;
  for (int k = n; k > 0; k--)
    far += (long)x[*q++ + 3] * k;
  out[5 * i + 4] = far >> 3;
}
