// error: 4
__kernel void k(__global int *o) {
  const int n = 4;
  ++n;
  o[0] = n;
}
