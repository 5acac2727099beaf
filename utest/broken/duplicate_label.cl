// error: 5
__kernel void k(__global int *o) {
again:
  o[0]++;
again:
  if (o[0] < 9)
    goto again;
}
