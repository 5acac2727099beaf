// error: 4
__kernel void k(__global float *o) {
  float a = o[0];
  int b = a << 1;
  o[0] = b;
}
