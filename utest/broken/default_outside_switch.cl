// error: 3
__kernel void k(__global int *o) {
  default: o[0] = 1;
}
