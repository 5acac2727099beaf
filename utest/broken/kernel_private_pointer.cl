// error: 2
__kernel void k(int *o) {
  o[0] = 1;
}
