// error: 3
__kernel void k(__global int *o) {
  unsigned float a = 1;
  o[0] = a;
}
