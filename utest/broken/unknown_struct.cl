// error: 3
__kernel void k(__global int *o) {
  struct nothing s;
  o[0] = 1;
}
