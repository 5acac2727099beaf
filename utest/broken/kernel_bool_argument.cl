// error: 2
__kernel void k(__global int *o, bool b) {
  o[0] = b;
}
