// Ranges of rows, one per work-item: counters start at the start of the range, in
// tiles of several rows and iterations.
// run: -k sums -g 1003 b:float:1003*70:rand,91,-1,1 b:float:1003
// sum: 1 f86a64bfb5434e36
kernel void sums(global const float *x, global float *y)
{
  int i = get_global_id(0);
  float s = 0;
  for (int j = i * 70; j < (i + 1) * 70; j++)
    s = s * 0.5f + x[j];
  y[i] = s;
}
// run: -k norms -g 517 b:int:517*53:rand,92,-100,100 b:int:517 int:53
// sum: 1 73de008a99d2df22
kernel void norms(global const int *x, global int *y, int n)
{
  int i = get_global_id(0), s = 0;
  if (i % 5 != 3)
    for (int j = i * n; j < i * n + n; j++)
      s = s * 3 + x[j] * x[j];
  y[i] = s;
}
// run: -k scaled -g 300 b:int:300*64:rand,93,-100,100 uint:64
// sum: 0 643ae1ecd0b05e20
kernel void scaled(global int *x, uint n)
{
  uint i = get_global_id(0);
  for (uint j = i * n; j != (i + 1) * n; j++)
    x[j] = x[j] * 3 + (int)i;
}
// run: -k pairs -g 260 b:short:260*96:rand,94,-100,100 b:int:260 int:2147483600
// sum: 1 5da0f4dc63f42ee5
kernel void pairs(global const short *x, global int *y, int far)
{
  int i = get_global_id(0), s = 0;
  for (int j = i * 96; j < i * 96 + 96; j += 2)
    s ^= x[j] * (x[j + 1] + j);
  for (int j = far + i; j < far + i + 40; j++) // empty beyond 2^31 - 40
    s += j & 15;
  y[i] = s;
}
