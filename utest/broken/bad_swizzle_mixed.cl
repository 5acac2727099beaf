// error: 4
__kernel void k(__global int *o) {
  int4 v = (int4)(1);
  int2 w = v.xs1;
  o[0] = w.x;
}
