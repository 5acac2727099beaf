// error: 5
__kernel void k(__global int *o) {
  if (o[0]) o[0] = 1;
  o[1] = 2;
  else o[0] = 3;
}
