// error: 3
__kernel void k(__global int *o) {
  int a[2.5];
  o[0] = 1;
}
