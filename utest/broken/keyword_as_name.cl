// error: 3
__kernel void k(__global int *o) {
  int while = 3;
  o[0] = 1;
}
