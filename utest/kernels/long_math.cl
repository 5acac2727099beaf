// 64-bit multiply, divide, remainder, shifts by varying amounts, and compares.
// run: -k long_math -g 1000 b:long:1000:rand,83 b:long:1000:rand,84 b:long:1000 b:ulong:1000
// sum: 0 0d3dc5b33d98a634
// sum: 1 81fe24772cfda854
// sum: 2 bf8c6f623fec775e
// sum: 3 496f6c56ce15aea5
// run: -k long_math -g 17 b:long:17:rand,83,-9,9 b:long:17:rand,84,1,5 b:long:17 b:ulong:17
// sum: 0 a6c8dc585944cccc
// sum: 1 5c0bb3dd106a44e5
// sum: 2 67c3491ce414fcb2
// sum: 3 2478043c2c535f69
__kernel void long_math(__global const long *a, __global const long *b, __global long *q, __global ulong *u) {
  int i = get_global_id(0);
  long x = a[i] >> 2, y = (b[i] >> 33) | 1;
  long r = x / y;
  if (y < 0)
    r -= x % y;
  else if ((ulong)x > (ulong)y)
    r ^= y << 3;
  q[i] = r >> (b[i] & 63);
  ulong s = (ulong)a[i], t = (ulong)b[i] | 1;
  ulong m = s * t + (s << (t & 31)) - (s >> (t & 63));
  u[i] = m / (t >> 20 | 1) ^ m % ((t & 0xffff) + 3);
}
