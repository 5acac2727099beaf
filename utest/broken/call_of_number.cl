// error: 3
__kernel void k(__global int *o) {
  o[0] = 3(4);
}
