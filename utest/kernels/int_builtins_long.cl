// The integer built-ins on 64 bits, and upsample to 32 and 64.
// run: -k int_builtins_long -g 500 b:long:500:rand,96 b:long:500:rand,97 b:long:6000 b:ulong:4000
// sum: 0 8492e1a9a7350de4
// sum: 1 02f2f59df1d9658d
// sum: 2 7e9aa21fd5cd9fed
// sum: 3 7ac955c052827752
__kernel void int_builtins_long(__global const long *a, __global const long *b, __global long *out, __global ulong *uout) {
  int i = get_global_id(0);
  long x = a[i], y = b[i];
  __global long *o = out + 12 * i;
  o[0] = (long)abs(x);
  o[1] = (long)abs_diff(x, y);
  o[2] = add_sat(x, y);
  o[3] = sub_sat(x, y);
  o[4] = hadd(x, y);
  o[5] = rhadd(x, y);
  o[6] = clz(x) * 100 + popcount(x);
  o[7] = rotate(x, y & 63);
  o[8] = mul_hi(x, y);
  o[9] = max(x, y);
  o[10] = clamp(x, -5l, 5l);
  o[11] = upsample((int)x, (uint)y);
  ulong u = (ulong)x, v = (ulong)y;
  __global ulong *p = uout + 8 * i;
  p[0] = add_sat(u, v);
  p[1] = sub_sat(u, v);
  p[2] = abs_diff(u, v);
  p[3] = mul_hi(u, v);
  p[4] = hadd(u, v);
  p[5] = rotate(u, 7ul);
  p[6] = min(u, v) + clz(u >> (v & 63));
  p[7] = upsample((uint)u, (uint)v) + upsample((ushort)u, (ushort)v) + upsample((uchar)u, (uchar)v);
}
