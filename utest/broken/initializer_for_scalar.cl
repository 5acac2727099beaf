// error: 3
__kernel void k(__global int *o) {
  int a = {1, {2}}.x;
  o[0] = a;
}
