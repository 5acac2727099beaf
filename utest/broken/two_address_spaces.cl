// error: 2
__kernel void k(__global __local int *o) {
  o[0] = 1;
}
