// Naive matrix product, one element per work-item: one operand uniform, the other contiguous.
// run: -k sgemm -g 384,384 b:float:384*384:rand,216,-1,1 b:float:384*384:rand,217,-1,1 b:float:384*384 int:384
// sum: 0 f7e9705770904ec7
// sum: 1 3c930e23fa3ffedf
// sum: 2 41281228ac440ba4
__kernel void sgemm(__global const float *a, __global const float *b, __global float *c, int k) {
  int col = get_global_id(0), row = get_global_id(1), n = get_global_size(0);
  float acc = 0.0f;
  for (int p = 0; p < k; p++)
    acc += a[row * k + p] * b[p * n + col];
  c[row * n + col] = acc;
}
