// error: 3
__kernel void k(__global int *o) {
  int a[2] = {1, 2;
  o[0] = a[0];
}
