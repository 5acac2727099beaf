// The integer built-ins on 32 bits, signed and unsigned.
// run: -k int_builtins -g 500 b:int:500:rand,91 b:int:500:rand,92 b:int:8000 b:uint:6500
// sum: 0 1eff8a8b70c194c0
// sum: 1 c7eb450b0c7ba183
// sum: 2 0b34141a63273660
// sum: 3 424c848fbcdcc55f
__kernel void int_builtins(__global const int *a, __global const int *b, __global int *out, __global uint *uout) {
  int i = get_global_id(0);
  int x = a[i], y = b[i];
  uint u = (uint)x, v = (uint)y;
  __global int *o = out + 16 * i;
  o[0] = (int)abs(x);
  o[1] = (int)abs_diff(x, y);
  o[2] = add_sat(x, y);
  o[3] = sub_sat(x, y);
  o[4] = hadd(x, y);
  o[5] = rhadd(x, y);
  o[6] = clz(x);
  o[7] = popcount(x);
  o[8] = rotate(x, y & 31);
  o[9] = mul_hi(x, y);
  o[10] = mad_hi(x, y, 17);
  o[11] = mul24(x >> 8, y >> 8) ^ mad24(x >> 16, y >> 16, 5);
  o[12] = mad_sat(x, y >> 24, y);
  o[13] = clamp(x, -1000000, 1000000);
  o[14] = min(x, y);
  o[15] = max(x, y);
  __global uint *p = uout + 13 * i;
  p[0] = abs(u);
  p[1] = abs_diff(u, v);
  p[2] = add_sat(u, v);
  p[3] = sub_sat(u, v);
  p[4] = hadd(u, v);
  p[5] = rhadd(u, v);
  p[6] = clz(u >> (v & 31));
  p[7] = popcount(u);
  p[8] = rotate(u, v);
  p[9] = mul_hi(u, v) + mad_hi(u, v, 3u);
  p[10] = mul24(u & 0xffffffu, v & 0xffu);
  p[11] = mad_sat(u, v >> 28, 9u);
  p[12] = clamp(u, 5u, v | 5u) ^ min(u, v) ^ max(u, 7u);
}
