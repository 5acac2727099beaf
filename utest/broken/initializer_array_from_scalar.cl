// error: 3
__kernel void k(__global int *o) {
  int a[3] = 5;
  o[0] = a[0];
}
