// y = a*x + y.
// run: -k saxpy -g 1000 float:2.5 b:float:1000:rand,234,-1,1 b:float:1000:rand,235,-1,1
// sum: 1 bcdb26a1f296dccb
// sum: 2 87dd86dc44bdd622
// run: -k saxpy -g 1 float:2.5 b:float:1:rand,234,-1,1 b:float:1:rand,235,-1,1
// sum: 1 1a54a55ed78d3382
// sum: 2 74dc6a62ee87abc5
__kernel void saxpy(float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
