// error: 4
__kernel void k(__global int *o) {
  if (o[0])
    goto nowhere;
  o[0] = 1;
}
