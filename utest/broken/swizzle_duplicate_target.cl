// error: 4
__kernel void k(__global int *o) {
  int4 v = (int4)(1);
  v.xx = (int2)(1, 2);
  o[0] = v.x;
}
