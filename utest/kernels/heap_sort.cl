// Heap sort of a private array of a length that differs by lane.
// run: -k heap_sort -g 200 b:uint:200:rand,221 b:uint:4800
// sum: 0 d493a89946fbe055
// sum: 1 71e39257f4287922
void sift(uint *a, int root, int n) {
  uint v = a[root];
  for (;;) {
    int child = 2 * root + 1;
    if (child >= n)
      break;
    if (child + 1 < n && a[child] < a[child + 1])
      child++;
    if (a[child] <= v)
      break;
    a[root] = a[child];
    root = child;
  }
  a[root] = v;
}
__kernel void heap_sort(__global const uint *in, __global uint *out) {
  int i = get_global_id(0);
  uint a[24], v = in[i];
  int n = 1 + (int)(v % 24);
  for (int k = 0; k < 24; k++) {
    v = v * 1664525u + 1013904223u;
    a[k] = v >> 20;
  }
  for (int k = n / 2 - 1; k >= 0; k--)
    sift(a, k, n);
  for (int k = n - 1; k > 0; k--) {
    uint t = a[0];
    a[0] = a[k];
    a[k] = t;
    sift(a, 0, k);
  }
  for (int k = 0; k < 24; k++)
    out[24 * i + k] = a[k];
}
// bench: -k heap_sort -g 20000 b:uint:20000:rand,221 b:uint:480000
// sum: 0 6531f7d5882dd3d8
// sum: 1 6601416aa33e5c3e
