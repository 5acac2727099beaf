// error: 4
__kernel void k(__global int *o) {
  int v = 4;
  o[0] = v.x;
}
