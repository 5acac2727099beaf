// error: 3
__kernel void k(__global int *o) {
  o[0] = 1; /* this never ends
}
