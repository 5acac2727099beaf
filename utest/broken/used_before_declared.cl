// error: 3
__kernel void k(__global int *o) {
  o[0] = later;
  int later = 3;
}
