// error: 4
__kernel void k(__global int *o) {
  const int a = 1;
  a = 2;
  o[0] = a;
}
