// isnan isinf isfinite isnormal signbit and the ordered comparisons on special values.
// run: -k float_classes -g 1000 b:uint:1000:rand,102 b:int:1000 b:int4:1000
// sum: 0 d32841f4a8a5e598
// sum: 1 e21e7955fb57fab3
// sum: 2 e29a4660899ec800
__kernel void float_classes(__global const uint *in, __global int *out, __global int4 *out4) {
  int i = get_global_id(0);
  uint bits = in[i];
  switch (bits % 11) {
  case 0: bits = 0x7f800000; break;
  case 1: bits = 0xff800000; break;
  case 2: bits = 0x7fc00000; break;
  case 3: bits = 0; break;
  case 4: bits = 0x80000000; break;
  }
  float x = as_float(bits), y = as_float(in[(i + 1) % 1000]);
  int r = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | isnormal(x) << 3 | (signbit(x) != 0) << 4;
  r |= isless(x, y) << 5 | islessequal(x, y) << 6 | isgreater(x, y) << 7 | isgreaterequal(x, y) << 8;
  r |= isequal(x, y) << 9 | isnotequal(x, y) << 10 | islessgreater(x, y) << 11 | isordered(x, y) << 12 | isunordered(x, y) << 13;
  r |= (x < y) << 14 | (x == x) << 15 | (x != y) << 16 | !(x >= y) << 17;
  out[i] = r;
  float4 v = (float4)(x, y, 1.0f, x);
  out4[i] = isnan(v) + 2 * isless(v, v.yzwx) + 4 * (v == v) + signbit(v) * 8 + isinf(v) * 16;
}
