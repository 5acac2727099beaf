// error: 3
__kernel void k(__global int *o) {
  o[1.5f] = 2;
}
