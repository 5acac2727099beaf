// error: 3
__kernel void k(__global int *o) {
  __local int a = 3;
  o[0] = a;
}
