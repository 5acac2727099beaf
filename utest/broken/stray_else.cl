// error: 2
#else
__kernel void k(__global int *o) {
  o[0] = 1;
}
