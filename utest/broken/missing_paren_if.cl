// error: 3
__kernel void k(__global int *o) {
  if (o[0] > 1 { o[0] = 2; }
}
