// Counters far from zero, with unsigned numbers subtracted from them, or they from those.
// run: -k taken -g 9 b:int:200:rand,1 b:int:9 uint:2147483653 int:2147483630
// sum: 0 4649b17a87493568
// sum: 1 b2e75d5c44de4908
// run: -k left -g 9 b:int:200:rand,1 b:int:9 uint:2147483653 int:2147483630
// sum: 0 4649b17a87493568
// sum: 1 9f43254846684c7d
// run: -k searched -g 9 b:int:200:rand,1 b:int:9 uint:2147483653 int:2147483590
// sum: 0 4649b17a87493568
// sum: 1 9f952ae8ad98363b
__kernel void taken(__global const int *a, __global int *o, uint n, int w) {
  uint s = get_global_id(0);
  __global const int *p = a + 30;
  for (int k = w; k < w + 5; k++) s = s * 3 + p[(int)(k - n)] + p[(int)(k - n) + 2];
  o[get_global_id(0)] = s;
}
__kernel void left(__global const int *a, __global int *o, uint n, int w) {
  uint s = get_global_id(0);
  __global const int *p = a + 30;
  for (int k = w; k < w + 5; k++) s = s * 3 + p[(int)(n - k)];
  o[get_global_id(0)] = s;
}
// The midpoint of the remaining range, from both ends.
__kernel void searched(__global const int *a, __global int *o, uint n, int w) {
  int lo = w, hi = w + 50, i = get_global_id(0);
  uint s = 0;
  __global const int *p = a + 80;
  while (lo < hi) {
    int x = p[(int)(lo - n)], y = p[(int)(hi - n)];
    s = s * 5 + x - y;
    if ((x ^ i) & 1) lo++; else hi--;
  }
  o[get_global_id(0)] = s;
}
