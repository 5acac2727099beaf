// error: 3
__kernel void k(__global const int *in) {
  in[0] = 2;
}
