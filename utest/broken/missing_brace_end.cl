// error: 4
__kernel void k(__global int *o) {
  if (o[0]) {
    o[0] = 1; }