// Vector literals, splats, mixed scalar and vector arithmetic, of widths 2 3 4 8 16.
// run: -k vec_literals -g 1000 b:int4:1000:rand,70,-1000,1000 b:int16:1000 b:int:3000
// sum: 0 1a82becb923baaf9
// sum: 1 3d343392668e04d3
// sum: 2 0ae341df1a1d4898
__kernel void vec_literals(__global const int4 *in, __global int16 *out, __global int *three) {
  int i = get_global_id(0);
  int4 v = in[i];
  int2 a = (int2)(v.x, i);
  int3 b = (int3)(a, 7);
  int8 c = (int8)(v, a, a + 1);
  int16 d = (int16)(c, (int8)(3)) * 2 - i;
  d = d ^ (int16)(1, 2, b, v, 5, 6, c.lo, 9);
  d += (int16)5;
  d = (d % 17) << 2;
  b = b * b - (int3)(1, 2, 3);
  int x = v.y > 0 ? v.z : b.s2;
  out[i] = d | x;
  vstore3(-b, i, three); // a store of int3 leaves the fourth component undefined
}
