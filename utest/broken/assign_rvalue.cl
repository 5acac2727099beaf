// error: 4
__kernel void k(__global int *o) {
  int a = 1, b = 2;
  a + b = 3;
  o[0] = a;
}
