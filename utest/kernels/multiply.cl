// High halves of products and products of halves, at the ends of the ranges and in between.
// run: -k mul -g 1003 b:uint:1003:rand,1 b:uint:1003:rand,2 b:ulong:12036
// sum: 0 791a0e4609a0f09a
// sum: 1 52c9902d3e5ec714
// sum: 2 478c1ae7e0d66608
__kernel void mul(__global const uint *p, __global const uint *q, __global ulong *out) {
  size_t i = get_global_id(0);
  uint a = p[i], b = q[i];
  if (i < 40) { a = i & 1 ? 0xffffffffu : 0x80000000u; b = i & 2 ? 0xffffffffu : i & 4 ? 0x7fffffffu : 0x80000000u; }
  __global ulong *o = out + i * 12;
  o[0] = mul_hi(a, b);
  o[1] = (ulong)mul_hi((int)a, (int)b);
  o[2] = (ulong)a * b;
  o[3] = (ulong)((long)(int)a * (int)b);
  o[4] = a / 7 + (a % 10) * 3;
  o[5] = (ulong)(long)((int)a / 7 - (int)b % 1000);
  ulong w = (ulong)a << 32 | b;
  o[6] = (w & 0xffffffff) * (w >> 32);
  o[7] = (w >> 32) * 0xdeadbeefu;
  o[8] = (ulong)(((long)w >> 32) * (long)(short)b);
  o[9] = mul_hi(w, w + 12345);
  o[10] = mul_hi(a, 0xaaaaaaabu) + (ulong)mul_hi((int)b, -5);
  o[11] = (ulong)((long)(int)a * -77) + (ulong)(uchar)a * (ushort)b + w * 3;
}
