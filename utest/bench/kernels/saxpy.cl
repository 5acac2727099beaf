// y = a*x + y: nothing but memory bandwidth.
// run: -k saxpy -g 33554432 float:2.5 b:float:33554432:rand,1 b:float:33554432:rand,2
// sum: 1 73b35cd8ae2a1e97
// sum: 2 69dfeeb7bcdeaed2
__kernel void saxpy(float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
