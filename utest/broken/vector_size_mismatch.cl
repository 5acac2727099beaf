// error: 4
__kernel void k(__global int4 *o) {
  int2 a = (int2)(1);
  o[0] = o[1] + a;
}
