// error: 4
__kernel void k(__global int *o) {
  int a = 3;
  o[0] = a[1];
}
