// error: 3
__kernel void k(__global int *o) {
  int5 v;
  o[0] = 1;
}
