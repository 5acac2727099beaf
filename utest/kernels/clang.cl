// Extensions of clang to OpenCL C: static assertions, shuffles by constants, conversions with a type
// operand, feature tests, and overloads of which one lacks the attribute.
// run: -k clang -g 41 b:uint4:41:rand,9 b:uint4:41 b:float4:41
// sum: 0 5954bf9cdac36fa3
// sum: 1 77bab7152d5ac459
// sum: 2 c0116ddf994b1389
typedef struct { uchar tag; float4 at; } point;
_Static_assert(sizeof(point) == 2 * sizeof(float4), "points are two vectors");
#if defined(__has_builtin) && __has_builtin(__builtin_no_such_thing) || __has_feature(no_such) || __has_extension(no_such) || __has_attribute(no_such)
#error none of them is there
#endif
typedef float4 quad;
uint mixed(uint x) { return x * 3; }
__attribute__((overloadable)) uint mixed(uint2 v) { return v.x ^ mixed(v.y); }
__attribute__((overloadable)) uint mixed(uint4 v) { return mixed(v.lo) + mixed(v.hi); }
uint4 next(uint4 v, uint *calls) { ++*calls; return v + *calls; }
__kernel void clang(__global const uint4 *in, __global uint4 *out, __global float4 *f) {
  enum { N = 4 };
  _Static_assert(N == 4 && sizeof(uint4) == N * sizeof(uint), "");
  size_t i = get_global_id(0);
  uint calls = 0;
  uint4 a = in[i], b = __builtin_shufflevector(next(a, &calls), a.wzyx, 7, 0, 5, 2);
  uint8 wide = __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7);
  uint2 two = __builtin_shufflevector(wide, wide, 15, 3);
  quad q = __builtin_convertvector(b >> 7, quad);
  q += __builtin_astype(a >> 5, quad);
  b.x += mixed(two) + mixed(calls) + __builtin_astype(1.5f, int);
  b.yw = __builtin_shufflevector(two, b.xz, 2, 1);
  out[i] = b + wide.lo * 5 + mixed(wide.hi);
  f[i] = q;
}

// run: -k swaps -g 30 b:ulong:30:rand,4 b:ulong:30
// sum: 0 949b791f9d4d420b
// sum: 1 c4600f4a4fe0f862
__kernel void swaps(__global const ulong *in, __global ulong *out) {
  ulong x = in[get_global_id(0)];
  ulong y = __builtin_bswap64(x) + __builtin_bswap32(x) * 3ul + __builtin_bswap16(x);
  if (x == 12345) __builtin_trap();
  out[get_global_id(0)] = y;
}
