// Naive matrix product on a 2-D range.
// run: -k sgemm -g 33,20 b:float:480:rand,216,-1,1 b:float:792:rand,217,-1,1 b:float:660:const,1 int:24 float:1.5 float:0.25
// sum: 0 877eefc64c39538c
// sum: 1 fef010dd7750b2c1
// sum: 2 db7a98f47e3becdf
// run: -k sgemm -g 16,8 -l 4,4 b:float:192:rand,216,-1,1 b:float:384:rand,217,-1,1 b:float:128:const,1 int:24 float:1 float:0
// sum: 0 1cfc76aa0ab1c771
// sum: 1 e2c292aeea8847f8
// sum: 2 b0bc4023cb2752ff
__kernel void sgemm(__global const float *a, __global const float *b, __global float *c, int k, float alpha, float beta) {
  int col = get_global_id(0), row = get_global_id(1), n = get_global_size(0);
  float acc = 0.0f;
  for (int p = 0; p < k; p++)
    acc += a[row * k + p] * b[p * n + col];
  c[row * n + col] = alpha * acc + beta * c[row * n + col];
}
