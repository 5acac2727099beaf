// error: 3
__kernel void k(__global int4 *o) {
  if (o[0] > 1)
    o[1] = o[0];
}
