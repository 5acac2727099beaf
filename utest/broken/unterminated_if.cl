// error: 2
#ifdef __OPENCL_VERSION__
__kernel void k(__global int *o) {
  o[0] = 1;
}
