// The usual start of a kernel: a test for the end of the range before all work.
// run: -k range_check -g 1024 -l 64 b:float:1000:rand,41,-1,1 b:float:1000:rand,42 b:float:1000 int:1000
// sum: 0 adbedabcff6334b6
// sum: 1 69aad39203055834
// sum: 2 875c3ba0ae6f7c5d
// run: -k range_check -g 1024 -l 64 b:float:1000:rand,41,-1,1 b:float:1000:rand,42 b:float:1000 int:17
// sum: 0 adbedabcff6334b6
// sum: 1 69aad39203055834
// sum: 2 308b5236743f42fd
// run: -k range_check -g 1024 -l 64 b:float:1000:rand,41,-1,1 b:float:1000:rand,42 b:float:1000 int:0
// sum: 0 adbedabcff6334b6
// sum: 1 69aad39203055834
// sum: 2 94eb5aa73e186ba5
__kernel void range_check(__global const float *a, __global const float *b, __global float *c, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float s = 0.0f;
  for (int j = 0; j < n; j += 7)
    s += a[i] * b[j] + a[(i + j) % n];
  if (s > 0.0f)
    s = a[i] - s;
  c[i] = s;
}
