// Heavy use of the preprocessor: function-like macros, # and ##, #if ladders, blocked recursion, -D.
// run: -k macros -g 1000 -D ROUNDS=5 -D TYPE=uint b:uint:1000:rand,113 b:uint:1000
// sum: 0 a0c1f9c1589e977e
// sum: 1 4c97714ad90338e2
// run: -k macros -g 17 -D ROUNDS=2 -D TYPE=ulong -D FAST b:uint:17:rand,113 b:uint:17
// sum: 0 1b62abb831580c1d
// sum: 1 1d25c75d2a36cffe
#ifndef ROUNDS
#error ROUNDS is not set
#endif
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STEP(n) CAT(step_, n)
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define MIX(a, b, c)       \
  do {                     \
    a -= b;                \
    a ^= ROTL((uint)c, 4); \
    c += b;                \
  } while (0)
#define REP2(X) X X
#define REP8(X) REP2(REP2(REP2(X)))
#define LEN(s) (sizeof(#s) - 1)
#define self self + 1
#define EMPTY
#define COUNT_ARGS(...) COUNT_ARGS_(__VA_ARGS__, 4, 3, 2, 1)
#define COUNT_ARGS_(a, b, c, d, n, ...) n
#if defined(FAST) && ROUNDS < 3
#define EXTRA 7
#elif ROUNDS * 2 >= 10 && !defined FAST
#define EXTRA (0x10 | 'A')
#else
#define EXTRA 0
#endif
TYPE STEP(1)(TYPE x) { return x * 3 + 1; }
TYPE STEP(2)(TYPE x) { return x ^ (x >> 7); }
__kernel void macros(__global const uint *in EMPTY, __global uint *out) {
  uint i = get_global_id(0);
  TYPE a = in[i], b = a >> 3, c = 0x9e3779b9;
  for (int r = 0; r < ROUNDS; ++r) {
    MIX(a, b, c);
    REP8(b = STEP(1)(b); c = STEP(2)(c);)
  }
#undef self
  uint self = LEN(a + "b") + COUNT_ARGS(x, y, z) * 100 + __LINE__ * 10000;
#ifdef __OPENCL_VERSION__
  self += 1;
#endif
  out[i] = (uint)(a ^ b ^ c) + EXTRA + self;
}
