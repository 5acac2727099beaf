// error: 3
__kernel void k(__global int *o, __global int *p) {
  o[0] = *(o + p);
}
