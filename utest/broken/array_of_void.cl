// error: 3
__kernel void k(__global int *o) {
  void a[3];
  o[0] = 1;
}
