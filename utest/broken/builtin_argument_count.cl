// error: 3
__kernel void k(__global float *o) {
  o[0] = fma(o[1], o[2]);
}
