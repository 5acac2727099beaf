// error: 3
__kernel void k(__global int *o) {
  int a = 1 int b = 2;
  o[0] = a + b;
}
