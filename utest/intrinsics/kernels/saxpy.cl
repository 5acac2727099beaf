// Multiply and add; by hand four vectors at once.
// run: -k saxpy -g 131072 float:0.5 b:float:131072:rand,1 b:float:131072:rand,2
__kernel void saxpy(float a, __global const float *x, __global float *y) {
  size_t i = get_global_id(0);
  y[i] += a * x[i];
}
