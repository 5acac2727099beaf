// convert_ between integer types, plain and saturating, scalar and vector.
// run: -k convert_ints -g 1000 b:int4:1000:rand,86 b:char4:1000 b:uchar4:1000 b:ushort4:1000 b:long4:1000 b:uint:1000
// sum: 0 a19797fb46208d94
// sum: 1 db313828933eb978
// sum: 2 96161cc24bfff403
// sum: 3 805a0d3dc08511d9
// sum: 4 2fd52cf368f49627
// sum: 5 74e4ac4a5fc7db38
__kernel void convert_ints(__global const int4 *in, __global char4 *c, __global uchar4 *uc, __global ushort4 *us, __global long4 *l, __global uint *u) {
  int i = get_global_id(0);
  int4 v = in[i];
  c[i] = convert_char4_sat(v >> 20) + convert_char4(v);
  uc[i] = convert_uchar4_sat(v >> 22);
  us[i] = convert_ushort4_sat(v / 3000) ^ convert_ushort4(v);
  l[i] = convert_long4(v) * 3 + convert_long4(convert_uint4(v));
  u[i] = convert_uint_sat(v.x) + convert_uchar_sat(v.y) + (uint)convert_short_sat(v.z) + convert_uint_sat(convert_long(v.w) * 5);
}
