// error: 3
__kernel void k(__global int *o) {
  void v;
  o[0] = 1;
}
