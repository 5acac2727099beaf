// Values clamped at the border in one block are used in a later block too, by accesses that
// are contiguous there even without the border version.
// run: -k borders_shared -g 1000 b:int:1000:rand,19,-20,40 b:int:1000:rand,82,0,9 b:int:1000 int:1000
// sum: 2 ad78ee2461f295b7
__kernel void borders_shared(__global const int *a, __global const int *b, __global int *out, int n) {
  int x = get_global_id(0), v = a[x];
  if (v > 0) {
    v += b[clamp(x - 1, 0, n - 1)];
    int c = clamp(x + 2, 0, n - 1);
    v += c * b[clamp(x + 1, 0, n - 1)];
    if (v & 1)
      v += b[c];
  }
  out[x] = v;
}
