// error: 4
__kernel void k(__global int *o) {
  if (o[0])
    break;
  o[0] = 1;
}
