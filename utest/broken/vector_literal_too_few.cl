// error: 3
__kernel void k(__global int4 *o) {
  o[0] = (int4)(1, 2, 3);
}
