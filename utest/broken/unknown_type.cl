// error: 3
__kernel void k(__global int *o) {
  integer x = 3;
  o[0] = x;
}
