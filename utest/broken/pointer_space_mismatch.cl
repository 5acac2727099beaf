// error: 3
__kernel void k(__global int *o) {
  int *p = o;
  p[0] = 1;
}
