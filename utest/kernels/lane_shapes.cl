// Index arithmetic with error-prone lane shapes: truncation, wrapping, division and masks of IDs.
// run: -k lane_shapes -g 1000 b:uint:8000
// sum: 0 1d8ff30644c9522c
// run: -k lane_shapes -g 300 --offset 1 b:uint:2408
// sum: 0 2ca03ea5764b9a71
__kernel void lane_shapes(__global uint *out) {
  uint i = (uint)get_global_id(0);
  __global uint *o = out + 8 * i;
  uchar narrow = (uchar)(i * 2 + 100);
  short wrapped = (short)(i * 64);
  o[0] = narrow;
  o[1] = (uint)(wrapped >> 3);
  o[2] = (4 * i) / 4 + (i / 4) * 10000;
  o[3] = (i & 12) | (i % 16) << 8;
  o[4] = (uint)((ulong)(i + 0xfffffff0u) >> 2);
  o[5] = (i << 2 | 3) + (i * 8 | 1);
  o[6] = (i >> 3) * 8 == i ? 100 : (i < 13) + (i * 4 < 200);
  o[7] = (uint)(((long)(int)(i * 0x10000000u)) >> 30);
}
