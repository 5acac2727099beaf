// y = a*x + y: limited by memory bandwidth.
// run: -k saxpy -g 1000 float:2.5 b:float:1000:rand,234,-1,1 b:float:1000:rand,235,-1,1
// sum: 1 bcdb26a1f296dccb
// sum: 2 87dd86dc44bdd622
// run: -k saxpy -g 1 float:2.5 b:float:1:rand,234,-1,1 b:float:1:rand,235,-1,1
// sum: 1 1a54a55ed78d3382
// sum: 2 74dc6a62ee87abc5
// bench: -k saxpy -g 33554432 float:2.5 b:float:33554432:rand,1 b:float:33554432:rand,2
// sum: 1 73b35cd8ae2a1e97
// sum: 2 69dfeeb7bcdeaed2
__kernel void saxpy(float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
