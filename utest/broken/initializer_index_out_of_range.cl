// error: 3
__kernel void k(__global int *o) {
  int a[2] = {[5] = 1};
  o[0] = a[0];
}
