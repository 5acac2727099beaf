// error: 3
__kernel void k(__global float *o) {
  int a = ~o[0];
  o[0] = a;
}
