// error: 2
int counter = 0;
__kernel void k(__global int *o) {
  o[0] = counter;
}
