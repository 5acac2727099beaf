// Mixed operations on char, short, int, long, signed and unsigned: promotions and conversions.
// run: -k small_ints -g 1000 b:char:1000:rand,79 b:uchar:1000:rand,80 b:short:1000:rand,81 b:ushort:1000:rand,82 b:int:1000 b:long:1000 b:ulong:1000
// sum: 0 7715ea1d7f11427c
// sum: 1 67223fa005e45801
// sum: 2 bafc2d17d5dc5c42
// sum: 3 6a56d4d4115ec944
// sum: 4 9c63cd4ad80ed7c4
// sum: 5 e1eb4466b9fa6111
// sum: 6 6ae6458a80984596
__kernel void small_ints(__global const char *a, __global const uchar *b, __global const short *c, __global const ushort *d,
                         __global int *out, __global long *wide, __global ulong *uwide) {
  size_t i = get_global_id(0);
  char x = a[i];
  uchar y = b[i];
  short z = c[i];
  ushort w = d[i];
  int r = x * y - z / (y + 1) + (w >> 3);
  x += 100;
  y = y * 2 + x;
  z = (short)(z << 1);
  w -= 40000;
  r ^= (x < y) | ((uint)z < w) << 1 | ((int)x < -1) << 2 | ((uint)(int)x > 5u) << 3;
  out[i] = r + (uchar)x + (char)w;
  long l = (long)z * 1000003L + x;
  wide[i] = l / 7 + (l >> 5) - (long)w % 13;
  ulong u = (ulong)l;
  uwide[i] = u / 11 + (u >> 60) + (ulong)(uint)r + (u % 1000003u) * (ulong)y;
}
