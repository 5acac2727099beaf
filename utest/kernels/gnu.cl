// What kernels use of GNU C and of clang: ?: without a second operand, functions of bits, hints, void pointers, ranges.
// run: -k gnu -g 53 b:uint:53:rand,7 b:uint:53
// sum: 1 f210602051cd5c92
int once(int *calls, int x) { (*calls)++; return x; }
__kernel void gnu(__global const uint *in, __global uint *out) {
  size_t i = get_global_id(0);
  uint x = in[i], calls = 0;
  uint a = once(&calls, x & 3) ?: 77;
  short f = (short)(x >> 30) ?: 5;
  uint4 v = (uint4)(0, x, 0x80000000u, 1);
  char small = (char)x;
  int wide = small ?: x;
  if (__builtin_expect(x & 1, 1)) a += __builtin_clz(x | 1) * 3 + __builtin_ctz(x | 0x100) * 5;
  else a ^= __builtin_popcount(x) + __builtin_popcountll((ulong)x << 20 | 5) + __builtin_clzl(x | 1);
  __builtin_assume(calls < 10);
  switch (x >> 24) {
  case 0 ... 99: a += 1000; __attribute__((fallthrough));
  case 100 ... 180: a += 2000; break;
  case 255: __builtin_unreachable();
  default: a += ({ uint t = x; t % 7; });
  }
  out[i] = a * 31 + calls + (uint)(f * 4) + wide + (__builtin_constant_p(3) ? v.y : 0);
}
