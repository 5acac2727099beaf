// Swizzles as values and as assignment targets; .lo .hi .even .odd and .sN.
// run: -k vec_swizzle -g 1000 b:uint8:1000:rand,71 b:uint8:1000 b:uint4:1000
// sum: 0 e1fd0c0598a7bff5
// sum: 1 7db4253140a48620
// sum: 2 3e19c80bf17f9aba
__kernel void vec_swizzle(__global const uint8 *in, __global uint8 *out, __global uint4 *out4) {
  int i = get_global_id(0);
  uint8 v = in[i];
  uint4 a = v.lo, b = v.hi;
  a.xy = a.yx;
  a.wz += b.xx;
  b.s03 = (uint2)(7, i);
  b.zw = a.xw * 3;
  if (v.s7 & 1) {
    a.x = b.w;
    a.odd = b.even;
    b = b.wzyx;
  }
  v.even = a;
  v.s1357 = b.s3210;
  v.hi.lo += 9;
  uint3 t = v.s246;
  t.yz = t.zy;
  out[i] = v.s76543210;
  out4[i] = (uint4)(t.xyz, a.hi.y) ^ b.xxyy;
}
