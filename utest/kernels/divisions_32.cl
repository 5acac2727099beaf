// Divisions of numbers that are known to be small, with the least numbers, -1 and 0 among the operands.
// run: -k divisions_32 -g 64 -l 8 b:int:64:rand,5,-3,3 b:int:64:rand,6,-2,2 b:long:512
// sum: 2 459600c2a9b26d06
__kernel void divisions_32(__global const int *a, __global const int *b, __global long *out) {
  int i = get_global_id(0);
  int x = a[i] < 0 ? (int)0x80000000 : a[i] * 715827882, y = b[i];
  char c = a[i] * 64, d = b[i];
  short s = a[i] * 16384, t = b[i];
  uint u = x, v = y;
  long l = u, m = v;
  ulong n = u, o = v & 3;
  __global long *to = out + 8 * i;
  to[0] = (x & 0x7fffffff) / (y ? y : 5) + ((x & 0x7fffffff) % (y | 4));
  to[1] = x / ((y & 7) + 1) - x % ((y & 7) + 1);
  to[2] = d ? c / d + c % d : 3;
  to[3] = t ? s / t + s % t : 4;
  to[4] = m ? l / m + l % m : 5;
  to[5] = o ? n / o + n % o : 6;
  to[6] = y ? 1000 / y : 7;
  to[7] = v ? u / v + u % v : 8;
}
