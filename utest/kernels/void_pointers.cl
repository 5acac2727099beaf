// Arithmetic on pointers to void counts bytes, also in subscripts.
// run: -k bytes -g 40 b:uchar:400:rand,3 b:uint:60 uint:16
// sum: 0 e26d6dd9da7f9bb5
// sum: 1 5372986aeb61c4cd
__global const uint *at(__global const void *from, uint offset) { return &from[offset]; }
__kernel void bytes(__global const void *in, __global void *out, uint start) {
  uint i = get_global_id(0);
  __global const uint *p = &in[start + 4 * i];
  __global uint *q = &(out)[4 * i], *r = &4[out];
  uint kept[2] = { *p, 5 };
  void *k = kept;
  uint *second = &k[sizeof(uint)];
  *q = *second + *at(in, 8) * 3 + kept[0] + (uint)((__global char *)r - (__global char *)out);
}
