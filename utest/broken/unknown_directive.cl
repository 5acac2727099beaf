// error: 2
#frobnicate on
__kernel void k(__global int *o) {
  o[0] = 1;
}
