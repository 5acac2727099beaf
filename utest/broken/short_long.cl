// error: 3
__kernel void k(__global int *o) {
  short long a = 1;
  o[0] = a;
}
