// error: 2
__kernel void k(__global int **o) {
  o[0][0] = 1;
}
