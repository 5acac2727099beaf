// Contiguous, reversed, strided, broadcast and indirect accesses to 8, 16, 32 and 64 bits.
// run: -k strided_access -g 500 b:uchar:2000:rand,127 b:ushort:2000:rand,128 b:uint:2000:rand,129 b:ulong:2000:rand,130 b:ulong:2500
// sum: 0 2015cf6e18055b9e
// sum: 1 34123371a5ab903d
// sum: 2 68694133bc26ffb6
// sum: 3 22e4156ed108c8c1
// sum: 4 b1610ee460a6936e
// run: -k strided_access -g 17 b:uchar:2000:rand,127 b:ushort:2000:rand,128 b:uint:2000:rand,129 b:ulong:2000:rand,130 b:ulong:85
// sum: 0 2015cf6e18055b9e
// sum: 1 34123371a5ab903d
// sum: 2 68694133bc26ffb6
// sum: 3 22e4156ed108c8c1
// sum: 4 b4abec1129fa5b63
__kernel void strided_access(__global const uchar *a, __global const ushort *b, __global const uint *c, __global const ulong *d, __global ulong *out) {
  int i = get_global_id(0), n = get_global_size(0);
  __global ulong *o = out + 5 * i;
  o[0] = a[i] + b[i] + c[i] + d[i];
  o[1] = a[n - 1 - i] * 3ul + b[n - 1 - i] + c[n - 1 - i] + d[n - 1 - i];
  o[2] = a[2 * i] + (ulong)b[3 * i + 1] * c[4 * i + 2] + d[2 * i + 1];
  o[3] = a[n] + b[5] + c[n / 2] + d[0] + i;
  o[4] = a[c[i] % 2000] + b[a[i] * 7] + c[b[i] % 2000] + d[d[i] % 2000];
}
