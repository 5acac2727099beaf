// error: 3
__kernel void k(__global int *o) {
  int float a = 1;
  o[0] = a;
}
