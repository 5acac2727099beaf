// GNU C and clang extensions used in kernels: ?: without a second operand, bit functions, hints, void pointers, ranges.
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

// In the style of translators from Java: $ in names, and pointers in a struct named this.
// run: -k dollar$1 -g 50 b:float:50:rand,3 b:float:50:rand,4 b:float:50
// sum: 0 3f868cf3498ae66f
// sum: 1 0a841973fe50d48f
// sum: 2 d57ee0fcee788172
typedef struct This_s { __global float *val$a, *val$b; __global float *$sum; int passid; } This;
int get_pass(This *this) { return this->passid; }
float add$two(This *this, int gid) { return this->val$a[gid] + this->val$b[gid] * get_pass(this); }
#define twice$(x) ((x) * 2)
__kernel void dollar$1(__global float *val$a, __global float *val$b, __global float *$sum) {
  This thisStruct;
  This *this = &thisStruct;
  this->val$a = val$a;
  this->val$b = val$b;
  this->$sum = $sum;
  this->passid = 3;
  {
    int gid = get_global_id(0);
    if (this->val$a[gid] > 0.5f) { this->$sum[gid] = add$two(this, gid); return; }
    this->$sum[gid] = twice$(this->val$b[gid]);
  }
}
