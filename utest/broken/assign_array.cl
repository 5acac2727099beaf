// error: 4
__kernel void k(__global int *o) {
  int a[2] = {1, 2}, b[2] = {3, 4};
  a = b;
  o[0] = a[0];
}
