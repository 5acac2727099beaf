// The integer built-ins on 8 and 16 bits, and on vectors.
// run: -k int_builtins_small -g 500 b:char4:500:rand,93 b:char4:500:rand,94 b:char4:4500 b:ushort2:500:rand,95 b:ushort2:3500
// sum: 0 e02c37b9d136c4da
// sum: 1 c24273fa7dba2811
// sum: 2 7c9b927ecb153e38
// sum: 3 5687241f4d216fff
// sum: 4 1dc19514f5e7e10e
__kernel void int_builtins_small(__global const char4 *a, __global const char4 *b, __global char4 *out, __global const ushort2 *c, __global ushort2 *uout) {
  int i = get_global_id(0);
  char4 x = a[i], y = b[i];
  __global char4 *o = out + 9 * i;
  o[0] = add_sat(x, y);
  o[1] = sub_sat(x, y);
  o[2] = hadd(x, y) + rhadd(x, y);
  o[3] = as_char4(abs(x)) - as_char4(abs_diff(x, y));
  o[4] = clz(x) + popcount(y);
  o[5] = rotate(x, y & (char)7);
  o[6] = mul_hi(x, y);
  o[7] = clamp(x, (char)-50, (char)60);
  o[8] = mad_sat(x, y, x);
  ushort2 u = c[i], v = c[i].yx;
  __global ushort2 *p = uout + 7 * i;
  p[0] = add_sat(u, v);
  p[1] = sub_sat(u, v);
  p[2] = hadd(u, v) ^ rhadd(u, v);
  p[3] = mul_hi(u, v);
  p[4] = rotate(u, (ushort2)(3, 15));
  p[5] = clz(u) * (ushort)16 + popcount(v);
  p[6] = upsample(convert_uchar2(u), convert_uchar2(v));
}
