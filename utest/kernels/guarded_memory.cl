// Loads and stores that would be out of bounds if the lane were not masked off; null pointers that are not accessed.
// run: -k guarded_memory -g 1000 b:int:1000:rand,124,-5,1200 b:int:1000 b:int:10:index,3
// sum: 0 6321f2560e6bbd1d
// sum: 1 ff75480e1c19617f
// sum: 2 7ce9c1013d17627e
__kernel void guarded_memory(__global const int *at, __global int *out, __global const int *small) {
  int i = get_global_id(0);
  int p = at[i], n = (int)get_global_size(0), r = -1;
  if (p >= 0 && p < n)
    r = at[p];
  if (i < 10)
    r += small[i];
  else if (p >= 0 && p < 10)
    r += small[p] * 100;
  __global const int *q = p > 0 ? small : 0;
  if (q)
    r += q[9];
  if (p != 7)
    out[i] = r;
}
