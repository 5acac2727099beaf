// error: 3
__kernel void k(__global int *o) {
  7 = o[0];
}
