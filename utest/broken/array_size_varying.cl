// error: 3
__kernel void k(__global int *o) {
  int a[o[0]];
  a[0] = 1;
  o[0] = a[0];
}
