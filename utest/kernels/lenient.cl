// Constructs that compilers accept with a warning: pointers to other types without a cast, scalars with vectors in calls, wide enums.
// run: -k lenient -g 37 b:uint:148
// sum: 0 b81f79062bc04e37
enum wide { SMALL = 3, LARGE = 0xdb0c2e0d64f98fa7UL, NEXT };
void put(uint *at, uint value) { *at = value; }
__kernel void lenient(__global uint *out) {
  size_t i = get_global_id(0);
  uint4 v = (uint4)(i, i * 7, 0x80000000u + i, 3);
  uint *part = &v;
  part[1] += 5;
  put(&v, part[1] ^ 9);
  __global uint4 *wide = out;
  __global char *bytes = out + 4 * i;
  void *walk = part;
  walk = walk + 8;
  uint third = *(uint *)walk;
  float4 f = fma(convert_float4(v), 0.5f, (float4)(1, 2, 3, 4));
  f = fmax(f, 2) + mad(3.0f, f, 1.0f) + select(0.25f, f, (int4)(0, -1, 0, -1));
  wide[i] = convert_uint4_sat(f * 16.0f) ^ third ^ (uint4)((ulong)NEXT >> 32, LARGE, SMALL, mad24((uchar)3, (uchar)5, 2.0f));
  bytes[3] ^= part == &v ? 1 : 2;
}
