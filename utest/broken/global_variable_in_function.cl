// error: 3
__kernel void k(__global int *o) {
  __global int a;
  o[0] = 1;
}
