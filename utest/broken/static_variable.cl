// error: 3
__kernel void k(__global int *o) {
  static int a = 1;
  o[0] = a;
}
