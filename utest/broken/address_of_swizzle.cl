// error: 4
__kernel void k(__global int *o) {
  int4 v = (int4)(1);
  int2 *p = &v.xy;
  o[0] = p->x;
}
