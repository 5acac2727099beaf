// error: 3
__kernel void k(__global float *o) {
  o[0] = 1.0e+;
}
