// A small private array with constant subscripts only.
// run: -k private_const_index -g 1000 b:uint:1000:rand,61 b:uint:1000
// sum: 0 10bc8c5c7db60940
// sum: 1 64ab0474107daabb
__kernel void private_const_index(__global const uint *in, __global uint *out) {
  uint i = get_global_id(0);
  uint a[4] = {in[i], 3, i};
  a[3] += a[0] ^ a[2];
  if (a[3] & 1) {
    a[1] = a[0] >> 3;
    a[2] ^= a[1];
  } else
    a[0] = a[3] * 5;
  out[i] = a[0] + 3 * a[1] + 5 * a[2] + 7 * a[3];
}
