// Helper functions: nested calls, out parameters, early returns, void helpers, a helper used twice.
// run: -k helpers -g 1000 b:int:1000:rand,111,-1000,1000 b:int:2000
// sum: 0 4e6d05def6862578
// sum: 1 579f5574e4c4b12d
int sign_of(int v) {
  if (v < 0)
    return -1;
  if (v == 0)
    return 0;
  return 1;
}
static inline int square(int v) { return v * v; }
int collatz_steps(int v, int limit) {
  for (int n = 0; n < limit; n++) {
    if (v <= 1)
      return n;
    v = v & 1 ? v / 2 + v : v / 2;
  }
  return -1;
}
void div_rem(int a, int b, int *q, int *r) {
  if (b == 0) {
    *q = 0;
    *r = a;
    return;
  }
  *q = a / b;
  *r = a - *q * b;
}
void swap(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}
int pick(__global const int *p, int i, int n) {
  while (i >= n)
    i -= n;
  return p[i];
}
__kernel void helpers(__global const int *in, __global int *out) {
  int i = get_global_id(0);
  int v = in[i], q = 1, r = 2;
  div_rem(v, (i & 7) - 3, &q, &r);
  if (sign_of(r) * sign_of(q) < 0)
    swap(&q, &r);
  int w = pick(in, i * 3, (int)get_global_size(0));
  out[2 * i] = square(sign_of(q) + square(r % 50)) + collatz_steps(v, 40);
  out[2 * i + 1] = w > 0 ? collatz_steps(w, 100) : sign_of(square(w) - 5);
}
