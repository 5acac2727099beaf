// error: 2
__kernel void k(__global int *o, size_t n) {
  o[0] = n;
}
