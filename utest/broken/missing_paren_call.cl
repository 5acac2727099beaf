// error: 3
__kernel void k(__global int *o) {
  o[0] = min(o[1], 3;
}
