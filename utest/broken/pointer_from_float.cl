// error: 3
__kernel void k(__global int *o) {
  __global int *p = 1.5f;
  p[0] = 1;
}
