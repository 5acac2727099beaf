// Pointer arithmetic, differences, comparisons, pointers to pointers, and null.
// run: -k pointers -g 1000 b:int:1000:rand,118,-50,50 b:int:1000
// sum: 0 cbff978f8dc1b764
// sum: 1 387556d6971d2c58
__kernel void pointers(__global const int *in, __global int *out) {
  int n = (int)get_global_size(0), i = (int)get_global_id(0);
  __global const int *p = in + i, *end = in + n, *best = 0;
  while (p < end && p - (in + i) < 9) {
    if (*p > 10 && (best == 0 || *p > *best))
      best = p;
    ++p;
  }
  int a[5] = {1, 2, 3, 4, 5};
  int *q = a + (i % 5), **r = &q;
  *(*r) += 10;
  if (q != a)
    q--;
  *r = &a[4] - (*r - a);
  int s = (int)(*r - a) + **r;
  if (!best)
    s = -s;
  else
    s += (int)(best - in) * 2 + *best;
  out[i] = s + a[i % 5] + 0 [a];
}
