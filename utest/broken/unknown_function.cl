// error: 3
__kernel void k(__global int *o) {
  int x = frobnicate(o[0]);
  o[0] = x;
}
