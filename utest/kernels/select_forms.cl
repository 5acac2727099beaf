// select with signed and unsigned conditions of each width, scalar and vector.
// run: -k select_forms -g 500 b:int4:500:rand,105 b:int4:1500 b:ushort4:500
// sum: 0 9762eb9c9798ea35
// sum: 1 68c9c8b9b9b28236
// sum: 2 c52cfefe8a1fca49
__kernel void select_forms(__global const int4 *in, __global int4 *out, __global ushort4 *small) {
  int i = get_global_id(0);
  int4 v = in[i];
  __global int4 *o = out + 3 * i;
  o[0] = select(v, v.yzwx, v & (int)0x80000000);
  o[1] = select(v, (int4)(1, 2, 3, 4), convert_uint4(v) << 3);
  o[2] = (int4)(select(v.x, v.y, v.z & 1), select(7, v.w, (uint)v.z & 4), select((char)1, (char)2, (uchar)v.x), (int)select(1.5f, 2.5f, v.y > 0));
  small[i] = select((ushort4)(1), convert_ushort4(v), convert_short4(v));
}
