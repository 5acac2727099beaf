// error: 3
__kernel void k(__global int *o) {
  int *p = &(o[0] + 1);
  o[0] = *p;
}
