// error: 4
__kernel void k(__global int *o) {
  int f = 3;
  o[0] = f(1);
}
